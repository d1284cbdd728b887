#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "env/scenario.h"

namespace planarium {

/// Bounds on untrusted files; all stated to the user when exceeded.
struct LoadLimits {
  std::size_t max_bytes = 1 << 20;  ///< 1 MiB of YAML text
  int max_depth = 32;               ///< nesting
  int max_alias_uses = 256;         ///< `*alias` occurrences
  std::size_t max_nodes = 100'000;  ///< nodes after alias expansion
  int max_objects = 4096;           ///< robots and obstacles
  int max_vertices = 4096;          ///< of one polygon or linestring
  int max_beams = 4096;             ///< of one scanner
};

/// Reads an IR-SIM world file (PyYAML's meaning: YAML 1.1 scalars, last duplicate key wins with a
/// warning, aliases and merge keys). Throws SpecError with all findings when the file cannot be
/// used. `file` is the name that messages show.
Scenario LoadScenario(std::string_view text, const std::string& file,
                      const LoadLimits& limits = {});

/// Reads the file at `path` and loads it. Throws SpecError; a missing file is an error that names
/// the path.
Scenario LoadScenarioFile(const std::string& path, const LoadLimits& limits = {});

/// All findings without building anything to run: what `lint` shows. Never throws SpecError.
std::vector<Diagnostic> LintScenario(std::string_view text, const std::string& file,
                                     const LoadLimits& limits = {});

}  // namespace planarium
