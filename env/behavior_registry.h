#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "env/behavior.h"
#include "env/scenario.h"

namespace planarium {

/// One behavior: YAML name, documentation, drives it exists for, parameters, factory.
struct BehaviorRow {
  std::string_view name;
  std::string_view doc;
  std::span<const Drive> drives;
  std::span<const ParamSchema> params;
  /// Throws std::invalid_argument (key, expected, got) for values outside the schema's meaning.
  std::unique_ptr<Behavior> (*make)(const BehaviorSpec& spec, const ObjectSpec& object);
};

std::span<const BehaviorRow> BehaviorRegistry();
const BehaviorRow* FindBehavior(std::string_view name);
/// Behaviors of IR-SIM that this version refuses to load by name: sfm, orca.
bool IsUnbuiltBehavior(std::string_view name);

}  // namespace planarium
