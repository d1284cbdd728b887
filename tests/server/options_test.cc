#include "server/options.h"

#include <gtest/gtest.h>
#include <sysexits.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace planarium {
namespace {

ParsedOptions Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "planarium-server");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data());
}

class OptionsTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("PLANARIUM_MAX_WORLDS");
    ::unsetenv("PLANARIUM_MAX_BATCHES");
    ::unsetenv("PLANARIUM_REFLECTION");
    std::filesystem::remove(file_);
  }
  const char* WriteConfig(const std::string& text) {
    std::ofstream(file_) << text;
    return file_.c_str();
  }
  const std::string file_ = testing::TempDir() + "planarium_options_test.conf";
};

TEST_F(OptionsTest, DefaultsAreTheDocumentedLimits) {
  const ParsedOptions parsed = Parse({});
  ASSERT_TRUE(parsed.options) << parsed.text;
  EXPECT_EQ(parsed.options->limits.max_receive_bytes, 16u << 20);
  EXPECT_EQ(parsed.options->limits.max_memory, std::size_t{8} << 30);
  EXPECT_EQ(parsed.options->limits.lease_seconds, 60.0);
  EXPECT_EQ(parsed.options->threads, 0);
  EXPECT_FALSE(parsed.options->reflection);
}

TEST_F(OptionsTest, FlagsWinOverEnvironmentOverFileOverDefaults) {
  const char* const file =
      WriteConfig("max-worlds = 10\nmax-batches = 20\nmax-scenarios = 30\nreflection = true\n");
  ::setenv("PLANARIUM_MAX_WORLDS", "11", 1);
  ::setenv("PLANARIUM_MAX_BATCHES", "21", 1);
  const ParsedOptions parsed = Parse({"--config", file, "--max-worlds", "12"});
  ASSERT_TRUE(parsed.options) << parsed.text;
  EXPECT_EQ(parsed.options->limits.max_worlds, 12u);
  EXPECT_EQ(parsed.options->limits.max_batches, 21u);
  EXPECT_EQ(parsed.options->limits.max_scenarios, 30u);
  EXPECT_TRUE(parsed.options->reflection);
}

TEST_F(OptionsTest, SizesHaveUnits) {
  const ParsedOptions parsed = Parse({"--max-memory", "2 GiB", "--chunk-bytes=512kb"});
  ASSERT_TRUE(parsed.options) << parsed.text;
  EXPECT_EQ(parsed.options->limits.max_memory, std::size_t{2} << 30);
  EXPECT_EQ(parsed.options->limits.chunk_bytes, 512u << 10);
}

TEST_F(OptionsTest, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(Parse({"--help"}).exit_code, EX_OK);
  EXPECT_NE(Parse({"--help"}).text.find("--max-worlds"), std::string::npos);
  EXPECT_EQ(Parse({"--version"}).exit_code, EX_OK);
  EXPECT_EQ(Parse({"--version"}).text, VersionText() + "\n");
}

TEST_F(OptionsTest, WrongCommandLinesAreUsageErrors) {
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{"--bogus"},
                                             {"--max-worlds", "many"},
                                             {"--max-worlds", "-1"},
                                             {"--max-batches", "0"},
                                             {"--max-receive-bytes", "3GiB"},
                                             {"--lease", "0"},
                                             {"--lease", "nan"},
                                             {"--log-level", "loud"},
                                             {"--chunk-bytes", "1"},
                                             {"--threads", "-1"}}) {
    const ParsedOptions parsed = Parse(arguments);
    EXPECT_FALSE(parsed.options);
    EXPECT_EQ(parsed.exit_code, EX_USAGE) << arguments[0];
    EXPECT_FALSE(parsed.text.empty());
  }
}

TEST_F(OptionsTest, WrongFilesAreConfigurationErrors) {
  const ParsedOptions unknown = Parse({"--config", WriteConfig("max-world = 3\n")});
  EXPECT_EQ(unknown.exit_code, EX_CONFIG);
  EXPECT_NE(unknown.text.find("did you mean \"max-worlds\"?"), std::string::npos) << unknown.text;
  EXPECT_EQ(Parse({"--config", WriteConfig("lease = soon\n")}).exit_code, EX_CONFIG);
  EXPECT_EQ(Parse({"--config", WriteConfig("lease = nan\n")}).exit_code, EX_CONFIG);
  EXPECT_EQ(Parse({"--config", "/"}).exit_code, EX_CONFIG);
  EXPECT_EQ(Parse({"--config", "/nonexistent/planarium.conf"}).exit_code, EX_CONFIG);
}

}  // namespace
}  // namespace planarium
