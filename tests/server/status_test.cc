#include "server/status.h"

#include <gtest/gtest.h>

#include "tests/server/service_testing.h"

namespace planarium {
namespace {

TEST(CapText, KeepsShortTextsAndCutsLongOnesBetweenCharacters) {
  EXPECT_EQ(CapText("short"), "short");
  EXPECT_EQ(CapText(std::string(2000, 'x')).size(), kMaxStatusBytes);
  EXPECT_EQ(CapText("aaaa\xC3\xA4zzzz", 8), "aaaa...");  // the limit falls into the umlaut
  EXPECT_EQ(CapText("aaa\xC3\xA4zzzzz", 8), "aaa\xC3\xA4...");
}

TEST(Escape, MakesClientTextHarmless) {
  EXPECT_EQ(Escape("plain text"), "plain text");
  EXPECT_EQ(Escape("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(Escape("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(Escape("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(Escape(std::string(100, 'y')), std::string(64, 'y') + "...");
}

TEST(Guard, TurnsEveryExceptionIntoAStatus) {
  EXPECT_THAT(Guard("Call", [] {}), IsOk());
  EXPECT_THAT(Guard("Call", [] { throw RequestError(StatusCode::kNotFound, "gone"); }),
              IsStatus(StatusCode::kNotFound, "gone"));
  EXPECT_THAT(Guard("Call", [] { throw std::bad_alloc(); }),
              IsStatus(StatusCode::kResourceExhausted, "out of memory"));
  EXPECT_THAT(Guard("Call", [] { throw 42; }), IsStatus(StatusCode::kInternal, "internal error"));
  Diagnostic finding;
  finding.file = "a.yaml";
  finding.line = 3;
  finding.column = 4;
  finding.message = "no";
  EXPECT_THAT(Guard("Call", [&] { throw SpecError({finding}); }),
              IsStatus(StatusCode::kInvalidArgument, "a.yaml:3:4"));
}

TEST(Guard, KeepsForeignTextsFromTheClientAndCapsLongOnes) {
  const Status foreign = Guard("Call", [] { throw std::runtime_error("/secret/path"); });
  EXPECT_EQ(foreign.text.find("secret"), std::string::npos);
  const Status lengthy =
      Guard("Call", [] { throw RequestError(StatusCode::kNotFound, std::string(99'999, 'x')); });
  EXPECT_EQ(lengthy.text.size(), kMaxStatusBytes);
}

TEST(DescribeFindings, ShowsTheFirstSixteenAndACount) {
  std::vector<Diagnostic> findings(20);
  for (std::size_t i = 0; i < findings.size(); ++i) findings[i].message = "m" + std::to_string(i);
  const std::string text = DescribeFindings(SpecError(findings));
  EXPECT_NE(text.find("m15"), std::string::npos);
  EXPECT_EQ(text.find("m16"), std::string::npos);
  EXPECT_NE(text.find("and 4 more"), std::string::npos);
}

}  // namespace
}  // namespace planarium
