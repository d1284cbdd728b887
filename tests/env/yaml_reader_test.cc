#include "env/yaml/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace planarium {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A parsed mapping with a reader and what it found.
struct Reading {
  explicit Reading(const std::string& text)
      : document(YamlDocument::Parse(text, "file.yaml")),
        findings("file.yaml"),
        reader(document.root(), "robot[0]", findings) {}

  std::vector<std::string> lines() const {
    std::vector<std::string> shown;
    for (const Diagnostic& diagnostic : findings.list()) shown.push_back(diagnostic.ToString());
    return shown;
  }

  YamlDocument document;
  Findings findings;
  MapReader reader;
};

TEST(MapReader, ReadsEveryTypeAndFallsBackWhenAbsent) {
  Reading r("{n: 2.5, i: 3, list: [1, 2], t: word, b: yes, child: {x: 1}}");
  EXPECT_EQ(r.reader.Number("n", 0.0), 2.5);
  EXPECT_EQ(r.reader.Integer("i", 0), 3);
  EXPECT_THAT(r.reader.Numbers("list", {}), ElementsAre(1.0, 2.0));
  EXPECT_EQ(r.reader.Text("t", ""), "word");
  EXPECT_TRUE(r.reader.Bool("b", false));
  EXPECT_EQ(r.reader.Child("child").Number("x", 0.0), 1.0);
  EXPECT_EQ(r.reader.Number("absent", 7.0), 7.0);
  EXPECT_EQ(r.reader.Text("absent", "d"), "d");
  EXPECT_EQ(r.reader.Child("absent").Number("x", 4.0), 4.0);
  r.reader.Finish(UnknownKeys::kError);
  EXPECT_THAT(r.lines(), IsEmpty());
}

TEST(MapReader, ErrorsNamePlaceKeyAndValue) {
  Reading r("a: text\nb: [1, x]\nc: -1\nd: 2.5\n");
  r.reader.Number("a", 0.0);
  r.reader.Numbers("b", {}, Exactly(2));
  r.reader.Number("c", 0.0, kPositive);
  r.reader.Integer("d", 0);
  EXPECT_THAT(
      r.lines(),
      ElementsAre("file.yaml:1:4 robot[0].a: expected a number, got the text 'text' (error)",
                  "file.yaml:2:8 robot[0].b[1]: expected a number, got the text 'x' (error)",
                  "file.yaml:3:4 robot[0].c: expected a number > 0, got -1 (error)",
                  "file.yaml:4:4 robot[0].d: expected an integer, got 2.5 (error)"));
}

TEST(MapReader, NamesTheNearestKnownKey) {
  Reading r("{goal_treshold: 1, quite_different_word: 2}");
  r.reader.Number("goal_threshold", 0.1);
  r.reader.Finish(UnknownKeys::kWarn);
  EXPECT_THAT(r.lines(), Contains(HasSubstr("did you mean goal_threshold? (warning)")));
  EXPECT_THAT(r.lines(), Contains(HasSubstr("known keys: goal_threshold (warning)")));
  r.reader.Finish(UnknownKeys::kError);
  EXPECT_TRUE(r.findings.has_errors());
}

TEST(MapReader, IgnoredKeysAreKnown) {
  Reading r("{color: red, plot: {}}");
  constexpr std::array<std::string_view, 3> kKeys{"color", "plot", "label"};
  EXPECT_THAT(r.reader.Ignore(kKeys), SizeIs(2));
  r.reader.Finish(UnknownKeys::kError);
  EXPECT_FALSE(r.findings.has_errors());
}

TEST(MapReader, ReadsANonMappingAsEmptyWithOneError) {
  Findings findings("file.yaml");
  const YamlDocument document = YamlDocument::Parse("[1]", "file.yaml");
  MapReader reader(document.root(), "world", findings);
  EXPECT_EQ(reader.Number("width", 10.0), 10.0);
  reader.Finish(UnknownKeys::kError);
  ASSERT_THAT(findings.list(), SizeIs(1));
  EXPECT_EQ(findings.list()[0].message, "expected a mapping, got a list of 1");
}

TEST(MapReader, NeverAcceptsNanAndInfinityOnlyOnRequest) {
  Reading r("{a: .nan, b: .inf, c: .inf, d: -.inf, e: '1e3', f: '1e3', g: 1e-3}");
  NumberRule unbounded = kPositive;
  unbounded.infinite = true;
  EXPECT_EQ(r.reader.Number("a", 1.0, unbounded), 1.0);
  EXPECT_EQ(r.reader.Number("b", 1.0), 1.0);
  EXPECT_EQ(r.reader.Number("c", 1.0, unbounded), INFINITY);
  EXPECT_EQ(r.reader.Number("d", 1.0, unbounded), 1.0);
  EXPECT_EQ(r.reader.Number("e", 1.0, {.numeric_text = true}), 1000.0);
  EXPECT_EQ(r.reader.Number("f", 1.0), 1.0);
  EXPECT_EQ(r.reader.Number("g", 1.0), 1.0);
  EXPECT_THAT(r.lines(), Contains(HasSubstr("robot[0].f: expected a number")));
  EXPECT_THAT(r.lines(), Contains(HasSubstr("YAML 1.1 reads '1e-3' as text")));
  EXPECT_THAT(r.findings.list(), SizeIs(5));
}

TEST(MapReader, TakesTruthAsPythonDoes) {
  Reading r("{a: 'false', b: 0, c: 2, d: [], e: [no], f: ~, g: ''}");
  EXPECT_TRUE(r.reader.Bool("a", false));
  EXPECT_FALSE(r.reader.Bool("b", true));
  EXPECT_TRUE(r.reader.Bool("c", false));
  EXPECT_FALSE(r.reader.Bool("d", true));
  EXPECT_TRUE(r.reader.Bool("e", false));
  EXPECT_FALSE(r.reader.Bool("f", true));
  EXPECT_FALSE(r.reader.Bool("g", true));
  EXPECT_FALSE(r.findings.has_errors());
  EXPECT_THAT(r.lines(), Contains(HasSubstr("which counts as true, as in Python (warning)")));
}

TEST(MapReader, WarnsAboutSurprisingNumbers) {
  Reading r("{a: 017, b: 1:30, c: yes, d: 12}");
  EXPECT_EQ(r.reader.Number("a", 0.0), 15.0);
  EXPECT_EQ(r.reader.Number("b", 0.0), 90.0);
  EXPECT_EQ(r.reader.Number("c", 0.0), 1.0);
  EXPECT_EQ(r.reader.Number("d", 0.0), 12.0);
  EXPECT_THAT(r.findings.list(), SizeIs(3));
  EXPECT_THAT(r.lines(), Contains(HasSubstr("017 is read as 15, an octal number of YAML 1.1")));
}

TEST(MapReader, ReadsParametersBySchema) {
  constexpr std::array kSchema{
      ParamSchema{"range", ParamType::kNumber, "10", "m", "", 0.0, 100.0},
      ParamSchema{"number", ParamType::kInteger, "1", "-", "", 1.0},
      ParamSchema{"noise", ParamType::kBool, "false", "-", ""},
      ParamSchema{"mode", ParamType::kText, "a", "-", ""},
      ParamSchema{"offset", ParamType::kNumbers, "[]", "m", ""},
      ParamSchema{"absent", ParamType::kNumber, "5", "m", ""},
  };
  Reading r("{range: 5, number: 3, noise: true, mode: b, offset: [1, 2]}");
  Params params;
  params.Set("range", 7.0);
  r.reader.ReadParams(kSchema, params);
  EXPECT_EQ(params.Number("range", 0.0), 7.0) << "what the caller has set stays";
  EXPECT_EQ(params.Integer("number", 0), 3);
  EXPECT_TRUE(params.Bool("noise", false));
  EXPECT_EQ(params.Text("mode", ""), "b");
  EXPECT_THAT(params.Numbers("offset", {}), ElementsAre(1.0, 2.0));
  EXPECT_FALSE(params.Has("absent"));
  r.reader.Finish(UnknownKeys::kError);
  EXPECT_THAT(r.lines(), IsEmpty());

  Reading bad("{range: 101, number: 0}");
  Params ignored;
  bad.reader.ReadParams(kSchema, ignored);
  EXPECT_THAT(bad.lines(), ElementsAre(HasSubstr("expected a number from 0 to 100, got 101"),
                                       HasSubstr("expected an integer >= 1, got 0")));
}

TEST(MapReader, RefusesListsOfTheWrongLength) {
  Reading r("{a: [1], b: 3, c: [1, 2, 3]}");
  r.reader.Numbers("a", {}, Exactly(2));
  r.reader.Numbers("b", {}, {1});
  r.reader.Numbers("c", {}, {1, 2});
  EXPECT_THAT(r.lines(),
              ElementsAre(HasSubstr("expected a list of 2 numbers, got a list of 1"),
                          HasSubstr("expected a list of at least 1 numbers, got 3"),
                          HasSubstr("expected a list of 1 to 2 numbers, got a list of 3")));
}

TEST(Findings, KeepEqualOnesOnceAndStayBounded) {
  Findings findings("f");
  for (int i = 0; i < 10; ++i) findings.Add(Severity::kNote, nullptr, "a", "same");
  EXPECT_THAT(findings.list(), SizeIs(1));
  for (int i = 0; i < 1000; ++i) findings.Add(Severity::kWarning, nullptr, "", std::to_string(i));
  EXPECT_THAT(findings.list(), SizeIs(Findings::kMaxFindings));
  EXPECT_FALSE(findings.has_errors());
  findings.Add(Severity::kError, nullptr, "", "the reason");
  findings.Add(Severity::kError, nullptr, "", "another");
  EXPECT_TRUE(findings.has_errors());
  EXPECT_EQ(findings.list().back().message, "the reason") << "the first error is never dropped";
}

TEST(Diagnostic, ShowsFilePlaceKeyMessageAndHint) {
  const Diagnostic full{Severity::kError, "w.yaml", 3, 5, "world.width", "bad", "try 1"};
  EXPECT_EQ(full.ToString(), "w.yaml:3:5 world.width: bad; try 1 (error)");
  const Diagnostic bare{Severity::kNote, "w.yaml", 0, 0, "", "hello", ""};
  EXPECT_EQ(bare.ToString(), "w.yaml: hello (note)");
}

TEST(SpecError, PutsErrorsFirstAndCountsThem) {
  const Diagnostic note{Severity::kNote, "f", 1, 1, "", "n", ""};
  const Diagnostic first{Severity::kError, "f", 2, 1, "", "e1", ""};
  const Diagnostic second{Severity::kError, "f", 3, 1, "", "e2", ""};
  const SpecError error({note, first, second});
  EXPECT_STREQ(error.what(), "f:2:1: e1 (error) (and 1 more)");
  EXPECT_EQ(error.diagnostics()[0].message, "e1");
  EXPECT_EQ(error.diagnostics()[2].message, "n");
}

TEST(Nearest, FindsMisspellingsWithinAThirdOfTheWord) {
  EXPECT_EQ(Nearest("step_tme", {"width", "step_time"}), "step_time");
  EXPECT_EQ(Nearest("robots", {"robot", "obstacle"}), "robot");
  EXPECT_EQ(Nearest("uav", {"gui", "robot"}), "");
  EXPECT_EQ(Nearest(std::string(10'000, 'x'), {"x"}), "");
  EXPECT_EQ(Nearest("", {"x"}), "");
}

}  // namespace
}  // namespace planarium
