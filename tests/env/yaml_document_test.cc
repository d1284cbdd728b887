#include "env/yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "env/yaml/text_check.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

YamlDocument Parse(const std::string& text) { return YamlDocument::Parse(text, "file.yaml"); }

// The error of a text that must be refused.
std::string Failure(const std::string& text, const YamlLimits& limits = {}) {
  try {
    YamlDocument::Parse(text, "file.yaml", limits);
  } catch (const SpecError& error) {
    return error.what();
  }
  ADD_FAILURE() << "parses: " << text.substr(0, 80);
  return {};
}

Scalar Resolved(const std::string& scalar) { return ResolvePlainScalar(scalar); }

TEST(ResolvePlainScalar, KnowsTheBooleansOfYaml11) {
  for (const char* word : {"yes", "Yes", "YES", "true", "on", "On"}) {
    EXPECT_EQ(Resolved(word).type, ScalarType::kBool) << word;
    EXPECT_EQ(Resolved(word).number, 1.0) << word;
  }
  for (const char* word : {"no", "False", "OFF", "off"}) {
    EXPECT_EQ(Resolved(word).type, ScalarType::kBool) << word;
    EXPECT_EQ(Resolved(word).number, 0.0) << word;
  }
  for (const char* word : {"y", "n", "tRUE", "oN", "yess", ""}) {
    EXPECT_NE(Resolved(word).type, ScalarType::kBool) << word;
  }
}

TEST(ResolvePlainScalar, ReadsIntegersAsPyYaml) {
  const std::vector<std::pair<std::string, double>> cases{{"0", 0},
                                                          {"12", 12},
                                                          {"-7", -7},
                                                          {"+7", 7},
                                                          {"017", 15},
                                                          {"-017", -15},
                                                          {"0_7", 7},
                                                          {"0b101", 5},
                                                          {"0x1F", 31},
                                                          {"1_000", 1000},
                                                          {"1:30", 90},
                                                          {"-1:30", -90},
                                                          {"190:20:30", 685230},
                                                          {"00", 0},
                                                          {"0_", 0}};
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(Resolved(text).type, ScalarType::kInteger) << text;
    EXPECT_EQ(Resolved(text).number, value) << text;
  }
}

TEST(ResolvePlainScalar, ReadsFloatsAsPyYaml) {
  const std::vector<std::pair<std::string, double>> cases{
      {"1.", 1.0},       {"1.5", 1.5},       {"-0.25", -0.25}, {".5", 0.5},      {"1.0e-3", 1e-3},
      {"1.e+3", 1000.0}, {"1_0.2_5", 10.25}, {"1:30.5", 90.5}, {"1.0e-400", 0.0}};
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(Resolved(text).type, ScalarType::kFloat) << text;
    EXPECT_EQ(Resolved(text).number, value) << text;
  }
  EXPECT_EQ(Resolved(".inf").number, INFINITY);
  EXPECT_EQ(Resolved("-.INF").number, -INFINITY);
  EXPECT_EQ(Resolved("1.0e+400").number, INFINITY);
  EXPECT_TRUE(std::isnan(Resolved(".NaN").number));
}

TEST(ResolvePlainScalar, LeavesTextAsText) {
  for (const char* text : {"1e-3", "1e3", "1.5e3", "1.5e300", "-.5",  "+.5",   "08", "089", "0o17",
                           "0x",   "0b2", "1:60",  "0:30",    "1,5",  "1.2.3", "_1", "-",   ".",
                           "--1",  "-pi", "1 2",   "0xG",     ".iNF", "nULL",  "<<", "="}) {
    EXPECT_EQ(Resolved(text).type, ScalarType::kText) << text;
  }
}

TEST(ResolvePlainScalar, TellsDatesFromTexts) {
  for (const char* text : {"2024-01-31", "2024-1-1T10:00:00Z", "2024-01-01 10:00:00.5 +01:30"}) {
    EXPECT_EQ(Resolved(text).type, ScalarType::kTimestamp) << text;
  }
  for (const char* text : {"2024-1-1", "2024-01-01x", "2024-01-01 10:00", "24-01-01"}) {
    EXPECT_EQ(Resolved(text).type, ScalarType::kText) << text;
  }
}

TEST(ResolvePlainScalar, RemembersSurprisingSpellings) {
  EXPECT_EQ(Resolved("017").spelling, Spelling::kOctal);
  EXPECT_EQ(Resolved("1:30").spelling, Spelling::kSexagesimal);
  EXPECT_EQ(Resolved("1_000").spelling, Spelling::kUnderscores);
  EXPECT_EQ(Resolved("0x10").spelling, Spelling::kHexadecimal);
  EXPECT_EQ(Resolved("-12.5").spelling, Spelling::kPlain);
}

TEST(ParsePythonFloat, AcceptsWhatFloatAccepts) {
  double number = 0.0;
  for (const char* text : {"2.5", " 2.5 ", "+2.5", "25e-1", "2.50"}) {
    EXPECT_TRUE(ParsePythonFloat(text, number)) << text;
    EXPECT_EQ(number, 2.5) << text;
  }
  EXPECT_TRUE(ParsePythonFloat("-inf", number));
  EXPECT_EQ(number, -INFINITY);
  for (const char* text : {"", " ", "x", "2.5m", "+-1", "--1", "0x10", "-"}) {
    EXPECT_FALSE(ParsePythonFloat(text, number)) << text;
  }
}

TEST(YamlDocument, QuotedScalarsAreText) {
  const YamlDocument document = Parse("{a: '1', b: \"yes\", c: 'it''s', d: '', e: !!str 5}");
  for (const YamlNode::Entry& entry : document.root().entries) {
    EXPECT_TRUE(entry.value->IsText()) << entry.key->text;
  }
  EXPECT_EQ(document.root().Find("c")->text, "it's");
  EXPECT_EQ(document.root().Find("e")->text, "5");
}

TEST(YamlDocument, KnowsWhereEveryNodeStands) {
  const YamlDocument document = Parse("world:\r\n  width: 3\r\nrobot:\r\n- {goal: [1, 2]}\r\n");
  const YamlNode& goal = *document.root().Find("robot")->items[0]->Find("goal");
  EXPECT_EQ(goal.line, 4);
  EXPECT_EQ(goal.column, 10);
  EXPECT_EQ(document.root().Find("world")->Find("width")->line, 2);
}

TEST(YamlDocument, LastDuplicateKeyWinsWithAWarningNamingBothLines) {
  const YamlDocument document = Parse("robot:\n  - goal: 1\n    name: x\n    goal: 2\n");
  EXPECT_EQ(document.root().Find("robot")->items[0]->Find("goal")->number, 2.0);
  ASSERT_THAT(document.warnings(), SizeIs(1));
  EXPECT_THAT(document.warnings()[0].ToString(),
              HasSubstr("file.yaml:4:5 robot[0].goal: duplicate key (lines 2 and 4)"));
}

TEST(YamlDocument, NumberAndTextAreDifferentKeys) {
  EXPECT_THAT(Parse("{1: a, '1': b}").warnings(), IsEmpty());
  EXPECT_THAT(Parse("{1: a, 1.0: b}").warnings(), SizeIs(1));
}

TEST(YamlDocument, AliasesShareTheirNode) {
  const YamlDocument document = Parse("a: &pose [1, 2]\nb: *pose\nc: [*pose, *pose]\n");
  const YamlNode& root = document.root();
  EXPECT_EQ(root.Find("a"), root.Find("b"));
  EXPECT_EQ(root.Find("c")->items[1], root.Find("a"));
  EXPECT_EQ(root.size, 17u);
}

TEST(YamlDocument, MergeKeysGiveDefaultsThatOwnKeysOverride) {
  const YamlDocument document = Parse(
      "base: &base {x: 1, y: 2}\n"
      "other: &other {y: 3, z: 4}\n"
      "one: {x: 9, <<: *base}\n"
      "two: {<<: [*base, *other]}\n"
      "three: {'<<': 1}\n");
  const YamlNode& one = *document.root().Find("one");
  EXPECT_EQ(one.Find("x")->number, 9.0);
  EXPECT_EQ(one.Find("y")->number, 2.0);
  EXPECT_EQ(one.Find("<<"), nullptr);
  const YamlNode& two = *document.root().Find("two");
  EXPECT_EQ(two.Find("y")->number, 2.0);
  EXPECT_EQ(two.Find("z")->number, 4.0);
  EXPECT_THAT(two.entries, SizeIs(3)) << "the first of two merged values stays alone";
  EXPECT_EQ(document.root().Find("three")->Find("<<")->number, 1.0);
  EXPECT_THAT(document.warnings(), IsEmpty());
  EXPECT_THAT(Failure("a: {<<: 3}"),
              HasSubstr("expected a mapping or a list of mappings after <<"));
}

TEST(YamlDocument, EmptyTextsAreNull) {
  for (const char* text : {"", "# nothing\n", "---\n", "\n\n", "\xEF\xBB\xBF"}) {
    EXPECT_TRUE(Parse(text).root().IsNull()) << text;
  }
}

TEST(YamlDocument, AcceptsWhatPyYamlAccepts) {
  EXPECT_THAT(Parse("[1, 2,]").root().items, SizeIs(2));
  EXPECT_THAT(Parse("{a: 1,}").root().entries, SizeIs(1));
  EXPECT_EQ(Parse("a: 1.").root().Find("a")->number, 1.0);
  EXPECT_THAT(Parse("a:\n- 1\n- 2\nb: 3").root().Find("a")->items, SizeIs(2));
  EXPECT_EQ(Parse("# 日本語\na: é\n").root().Find("a")->text, "é");
  EXPECT_EQ(Parse("\xEF\xBB\xBF"
                  "a: 1")
                .root()
                .Find("a")
                ->number,
            1.0);
  EXPECT_EQ(Parse("a: 1\n...\n").root().Find("a")->number, 1.0);
  EXPECT_EQ(Parse("a: |\n  b\n  c\n").root().Find("a")->text, "b\nc\n");
}

TEST(YamlDocument, SyntaxErrorsCarryTheirPosition) {
  EXPECT_THAT(Failure("a: [1, 2\nb: 3\n"), HasSubstr("file.yaml:2:2"));
  EXPECT_THAT(Failure("a: b: c"), HasSubstr("file.yaml:1:5: YAML syntax"));
  EXPECT_THAT(Failure("a: *nowhere"), HasSubstr("file.yaml:1:4"));
}

TEST(YamlDocument, RefusesMoreThanOneDocument) {
  EXPECT_THAT(Failure("a: 1\n---\nb: 2\n"), HasSubstr("expected one document"));
  EXPECT_THAT(Failure("a: 1\n}\n"), HasSubstr("file.yaml:2:1"));
}

TEST(YamlDocument, RefusesTagsItDoesNotKnow) {
  EXPECT_THAT(Failure("a: !foo 3"), HasSubstr("unsupported tag '!foo'"));
  EXPECT_THAT(Failure("a: !!python/object:os.system {}"), HasSubstr("unsupported tag"));
  EXPECT_THAT(Failure("a: !!int x"), HasSubstr("unsupported tag"));
  EXPECT_EQ(Parse("a: !!float 5").root().Find("a")->type, ScalarType::kFloat);
}

TEST(YamlDocument, RefusesCollectionsAsKeys) {
  EXPECT_THAT(Failure("{? [a]: 1}"), HasSubstr("cannot be a key"));
}

TEST(YamlDocument, RefusesQuotesThatNeverEnd) {
  EXPECT_THAT(Failure("a: 'abc\nb: 2\n"), HasSubstr("file.yaml:1:4"));
  EXPECT_THAT(Failure("a: \"abc\nb: 2\n"), HasSubstr("never ends"));
  EXPECT_THAT(Failure("a: &x 'abc''\nb: 2\n"), HasSubstr("never ends"));
  EXPECT_EQ(Parse("a: &x 'abc'''\n").root().Find("a")->text, "abc'");
  EXPECT_EQ(Parse("a: \"ab\\\"c\"\n").root().Find("a")->text, "ab\"c");
}

TEST(YamlDocument, RefusesTextThatIsNotUtf8OrNotPrintable) {
  EXPECT_THAT(Failure("a: \xFF\n"), HasSubstr("file.yaml:1:4: the text is not valid UTF-8"));
  EXPECT_THAT(Failure("a: \xC0\x80"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(Failure("a: \xE0\x80\x80"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(Failure("a: \xED\xA0\x80"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(Failure("a: \xE6\x97"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(Failure(std::string("a: b\n\0", 6)), HasSubstr("file.yaml:2:1"));
  EXPECT_THAT(Failure("a: \x07"), HasSubstr("control character U+0007"));
  EXPECT_THAT(Failure("a: \xF4\x90\x80\x80"), HasSubstr("not valid UTF-8"));
}

TEST(YamlLimits, BoundBytesDepthNodesScalarsAndAliases) {
  YamlLimits limits;
  limits.max_bytes = 10;
  EXPECT_THAT(Failure("a: 12345678", limits), HasSubstr("at most 10 are read"));
  limits = {};
  limits.max_depth = 3;
  EXPECT_THAT(Failure("[[[1]]]", limits), HasSubstr("file.yaml:1:4: nesting deeper than 3"));
  EXPECT_THAT(Failure("{a: &x [1], b: [*x]}", limits), HasSubstr("nesting deeper than 3"));
  limits = {};
  limits.max_nodes = 5;
  EXPECT_THAT(Failure("[1, 2, 3, 4, 5]", limits), HasSubstr("more than 5 nodes"));
  limits = {};
  limits.max_alias_uses = 2;
  EXPECT_THAT(Failure("[&a 1, *a, *a, *a]", limits),
              HasSubstr("file.yaml:1:16: more than 2 alias"));
  limits = {};
  limits.max_scalar = 4;
  EXPECT_THAT(Failure("a: 12345", limits), HasSubstr("longer than 4 bytes"));
}

TEST(YamlLimits, RefuseAliasBombsBeforeTheyGrow) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    std::string list = before;
    for (int k = 0; k < 8; ++k) list += ", " + before;
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + list + "]\n";
  }
  EXPECT_THAT(Failure(bomb), HasSubstr("more than 100000 nodes (aliases expanded)"));
}

TEST(YamlLimits, RefuseAliasesThatContainThemselves) {
  EXPECT_THAT(Failure("obstacle: &loop [*loop]"), HasSubstr("alias *loop refers to the node that"));
  EXPECT_THAT(Failure("a: &x {b: {c: *x}}"), HasSubstr("file.yaml:1:15: alias *x"));
}

TEST(YamlLimits, RefuseDeepNestingCheaply) {
  EXPECT_THAT(Failure(std::string(100'000, '[')), HasSubstr("nesting deeper than 32"));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_THAT(Failure(dashes), HasSubstr("nesting deeper than 32"));
}

TEST(YamlNode, DescribesItselfForMessages) {
  const YamlDocument document =
      Parse("[~, [], [1, 2], {a: 1}, 3.50, 'text', " + std::string(80, 'x') + "]");
  std::vector<std::string> shown;
  for (const YamlNode* item : document.root().items) shown.push_back(item->Describe());
  EXPECT_THAT(shown, ElementsAre("null", "an empty list", "a list of 2", "a mapping", "3.50",
                                 "the text 'text'", "the text '" + std::string(64, 'x') + "...'"));
}

TEST(PositionOf, CountsLinesAndBytes) {
  EXPECT_EQ(PositionOf("ab\ncd", 0).column, 1);
  EXPECT_EQ(PositionOf("ab\ncd", 4).line, 2);
  EXPECT_EQ(PositionOf("ab\ncd", 4).column, 2);
}

}  // namespace
}  // namespace planarium
