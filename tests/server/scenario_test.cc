// World files over the service: what is registered, what is refused, what is said about them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/service.h"
#include "tests/server/service_testing.h"

namespace planarium {
namespace {

TEST_F(ServiceTest, RegisteringTheSameTextTwiceGivesOneId) {
  const std::string id = Register();
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(Register(), id);
  EXPECT_NE(Register(std::string(kWorldYaml) + "\n# another\n"), id);
}

TEST_F(ServiceTest, BadScenariosNameFileLineAndKey) {
  v1::ScenarioSource source;
  source.set_name("bad.yaml");
  source.set_yaml("world: {height: 10, width: 10}\nrobto: []\n");
  v1::ScenarioHandle handle;
  EXPECT_THAT(service_->RegisterScenario(source, &handle),
              IsStatus(StatusCode::kInvalidArgument, "scenario bad.yaml:2:1"));

  v1::ScenarioReport report;
  ASSERT_THAT(service_->ValidateScenario(source, &report), IsOk());
  EXPECT_FALSE(report.valid());
  ASSERT_GT(report.diagnostics_size(), 0);
  EXPECT_EQ(report.diagnostics(0).line(), 2);
  EXPECT_EQ(report.diagnostics(0).severity(), v1::Diagnostic::ERROR);
}

TEST_F(ServiceTest, SourcesWithoutNameOrTextAndHugeOnesAreRefused) {
  v1::ScenarioSource source;
  v1::ScenarioHandle handle;
  EXPECT_THAT(service_->RegisterScenario(source, &handle),
              IsStatus(StatusCode::kInvalidArgument, "name: required"));
  source.set_name(std::string(257, 'n'));
  EXPECT_THAT(service_->RegisterScenario(source, &handle),
              IsStatus(StatusCode::kInvalidArgument, "name: got 257 bytes"));
  source.set_name("x.yaml");
  EXPECT_THAT(service_->RegisterScenario(source, &handle),
              IsStatus(StatusCode::kInvalidArgument, "yaml: required"));
  source.set_yaml(std::string(10u << 20, ' '));
  EXPECT_THAT(service_->RegisterScenario(source, &handle),
              IsStatus(StatusCode::kResourceExhausted, "10485760 bytes, limit 1048576"));
}

TEST_F(ServiceTest, HostileTextsAreRefusedQuickly) {
  const std::vector<std::string> texts{
      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
      "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
      "world: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
      "world: &w [*w]\n", std::string(100'000, '['), "world: {height: .nan, width: 10}\n"};
  for (const std::string& text : texts) {
    v1::ScenarioSource source;
    source.set_name("hostile.yaml");
    source.set_yaml(text);
    v1::ScenarioHandle handle;
    const Status status = service_->RegisterScenario(source, &handle);
    EXPECT_EQ(status.code, StatusCode::kInvalidArgument) << text.substr(0, 40) << status.text;
  }
  Register();
}

TEST_F(ServiceTest, AssetsThatNothingReadsAreReported) {
  v1::ScenarioSource source;
  source.set_name("x.yaml");
  source.set_yaml(std::string(kWorldYaml));
  (*source.mutable_assets())["map.png"] = "bytes";
  v1::ScenarioReport report;
  ASSERT_THAT(service_->ValidateScenario(source, &report), IsOk());
  EXPECT_TRUE(report.valid());
  ASSERT_GT(report.diagnostics_size(), 0);
  const v1::Diagnostic& last = report.diagnostics(report.diagnostics_size() - 1);
  EXPECT_EQ(last.key_path(), "assets[\"map.png\"]");
  EXPECT_EQ(last.message(), "not used by this world");
  EXPECT_EQ(last.severity(), v1::Diagnostic::WARNING);
}

// A file's text must not reach a terminal as a command.
TEST_F(ServiceTest, FindingsHoldNoControlCharacters) {
  v1::ScenarioSource source;
  source.set_name("x.yaml");
  source.set_yaml("world: {\"\\e[31mred\": 1}\nrobot: {kinematics: {name: \"\\ediff\"}}\n");
  v1::ScenarioReport report;
  ASSERT_THAT(service_->ValidateScenario(source, &report), IsOk());
  ASSERT_GE(report.diagnostics_size(), 2);
  bool quoted = false;
  for (const v1::Diagnostic& finding : report.diagnostics()) {
    const std::string text = finding.key_path() + finding.message() + finding.hint();
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    quoted = quoted || text.find("\\x1b[31mred") != std::string::npos;
  }
  EXPECT_TRUE(quoted);
}

}  // namespace
}  // namespace planarium
