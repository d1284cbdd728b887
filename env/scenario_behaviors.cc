#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "env/behavior_registry.h"
#include "env/scenario_parts.h"
#include "physics/math.h"

namespace planarium {
namespace {

std::array<double, 3> ReadCorner(MapReader& reader, std::string_view key,
                                 const std::array<double, 3>& fallback) {
  const std::vector<double> values =
      reader.Numbers(key, {fallback.begin(), fallback.end()}, {2, kMaxStateDim}, kQuantity);
  std::array<double, 3> corner{};
  std::copy_n(values.begin(), std::min(values.size(), corner.size()), corner.begin());
  return corner;
}

TargetRoles ReadTargetRoles(MapReader& reader) {
  const std::string roles = reader.Text("target_roles", "all");
  if (roles == "robot") return TargetRoles::kRobot;
  if (roles == "obstacle") return TargetRoles::kObstacle;
  if (roles != "all") {
    reader.Warn("target_roles", "expected all, robot or obstacle, got '" + roles +
                                    "', which counts as all, as in IR-SIM");
  }
  return TargetRoles::kAll;
}

// Goals of the object itself, whoever steers it.
void ReadGoalKeys(MapReader& reader, BehaviorSpec& spec) {
  spec.wander = reader.Bool("wander", false);
  spec.loop = reader.Bool("loop", false);
  spec.range_low = ReadCorner(reader, "range_low", {0.0, 0.0, -kPi});
  spec.range_high = ReadCorner(reader, "range_high", {10.0, 10.0, kPi});
  spec.target_roles = ReadTargetRoles(reader);
  if (spec.wander && spec.loop) {
    reader.Warn("loop", "wander takes priority, loop is switched off, as in IR-SIM");
    spec.loop = false;
  }
  for (std::size_t i = 0; spec.wander && i < spec.range_low.size(); ++i) {
    if (spec.range_low[i] <= spec.range_high[i]) continue;
    reader.Error("range_low", "range_low exceeds range_high in element " + std::to_string(i));
  }
}

// The rvo cones other than `rvo` itself.
void CheckRvoMode(MapReader& reader) {
  const YamlValue mode = reader.Get("mode");
  if (!mode.given() || !mode.node->IsText() || mode.node->text == "rvo") return;
  const bool is_known = mode.node->text == "vo" || mode.node->text == "hrvo";
  reader.Error("mode",
               is_known ? "rvo mode " + mode.node->text + " is not built yet"
                        : "expected rvo, got '" + mode.node->text + "'",
               "write mode: rvo");
}

std::string DriveList(const BehaviorRow& row) {
  std::string names;
  for (const Drive drive : row.drives) {
    names += (names.empty() ? "" : ", ") + std::string(DriveName(drive));
  }
  return names;
}

// Parameters of a built-in behavior, checked by its own factory.
void ReadBuiltIn(MapReader& reader, const BehaviorRow& row, const ObjectSpec& object,
                 BehaviorSpec& spec) {
  const Drive drive = object.kinematics.drive;
  if (std::find(row.drives.begin(), row.drives.end(), drive) == row.drives.end()) {
    reader.Error("name",
                 "there is no behavior " + spec.name + " for " + DriveName(drive) + " kinematics",
                 spec.name + " exists for " + DriveList(row));
    return;
  }
  if (row.name == "rvo") CheckRvoMode(reader);
  reader.ReadParams(row.params, spec.params);
  reader.Finish(UnknownKeys::kWarn);
  if (reader.findings().has_errors()) return;
  try {
    row.make(spec, object);
  } catch (const std::invalid_argument& error) {
    reader.Error("", error.what());
  }
}

// A name that only clients know: Python code of IR-SIM users.
void MarkExternal(MapReader& reader, BehaviorSpec& spec) {
  spec.external = true;
  if (spec.name.empty()) {
    reader.Note("", "a behavior without a name steers nothing: the object must be given actions");
    return;
  }
  std::vector<std::string_view> names;
  for (const BehaviorRow& row : BehaviorRegistry()) names.push_back(row.name);
  const std::string nearest = Nearest(spec.name, names);
  const std::string text =
      "behavior '" + spec.name + "' is not built in: the object must be given actions";
  if (nearest.empty()) {
    reader.Note("name", text);
  } else {
    reader.Warn("name", text, "did you mean " + nearest + "?");
  }
}

bool IsEmpty(const YamlValue& value) {
  return !value.given() || (value.node->IsMapping() && value.node->entries.empty());
}

}  // namespace

BehaviorSpec ReadBehavior(const YamlValue& behavior, const YamlValue& group_behavior,
                          const ObjectSpec& object, Findings& findings) {
  if (!IsEmpty(group_behavior)) {
    findings.Add(Severity::kError, group_behavior.node, group_behavior.path,
                 "group behaviors are not built yet", "use behavior: {name: rvo}");
  }
  BehaviorSpec spec;
  if (IsEmpty(behavior)) return spec;
  if (behavior.node->IsText()) {
    findings.Add(Severity::kError, behavior.node, behavior.path,
                 "expected a mapping, got " + behavior.node->Describe(),
                 "write behavior: {name: " + behavior.node->text + "}");
    return spec;
  }
  MapReader reader(behavior, findings);
  spec.name = reader.Text("name", "");
  ReadGoalKeys(reader, spec);
  if (object.is_static) {
    // IR-SIM never asks an object that does not move.
    if (!spec.name.empty()) reader.Note("name", "not used: the object never moves");
    spec.name.clear();
    return spec;
  }
  if (IsUnbuiltBehavior(spec.name)) {
    reader.Error("name", "behavior " + spec.name + " is not built yet");
    return spec;
  }
  const BehaviorRow* row = FindBehavior(spec.name);
  if (row == nullptr) {
    MarkExternal(reader, spec);
  } else {
    ReadBuiltIn(reader, *row, object, spec);
  }
  return spec;
}

}  // namespace planarium
