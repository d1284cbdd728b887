#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "env/scenario_loader.h"

/// Helpers of the loader's tests.
namespace planarium {

inline std::vector<std::string> Shown(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(diagnostic.ToString());
  return lines;
}

/// Loads a text that must load.
inline Scenario Load(std::string_view text) {
  try {
    return LoadScenario(text, "world.yaml");
  } catch (const SpecError& error) {
    ADD_FAILURE() << "does not load: " << error.what() << "\n" << text;
    return {};
  }
}

/// Findings of a text that loads: "world.yaml:3:5 robot.state: ... (warning)".
inline std::vector<std::string> Remarks(std::string_view text) {
  return Shown(Load(text).diagnostics);
}

/// All findings of a text that must be refused; empty when it loads.
inline std::vector<std::string> Refusal(std::string_view text, const LoadLimits& limits = {}) {
  try {
    LoadScenario(text, "world.yaml", limits);
  } catch (const SpecError& error) {
    return Shown(error.diagnostics());
  }
  ADD_FAILURE() << "loads:\n" << text;
  return {};
}

/// A list of findings with one that contains all the parts.
inline testing::Matcher<std::vector<std::string>> Says(const std::vector<std::string>& parts) {
  std::vector<testing::Matcher<std::string>> matchers;
  for (const std::string& part : parts) matchers.push_back(testing::HasSubstr(part));
  return testing::Contains(testing::AllOfArray(matchers));
}

}  // namespace planarium
