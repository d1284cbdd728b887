#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace planarium {

inline constexpr const char* kNoReferenceData =
    "no reference data: set PLANARIUM_REFERENCE_DATA to the folder that holds worlds/";

/// A file or folder of the reference data: $PLANARIUM_REFERENCE_DATA, else ../shared beside the
/// repository. Tests run in the repository's root.
inline std::optional<std::string> ReferenceFile(const std::string& name) {
  const char* root = std::getenv("PLANARIUM_REFERENCE_DATA");
  const auto path = std::filesystem::path(root != nullptr ? root : "../shared") / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

}  // namespace planarium
