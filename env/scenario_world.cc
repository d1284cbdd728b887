#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "env/scenario_parts.h"

namespace planarium {
namespace {

struct ModeName {
  std::string_view name;
  CollisionMode mode;
};

constexpr std::array<ModeName, 4> kCollisionModes{{
    {"stop", CollisionMode::kStop},
    {"reactive", CollisionMode::kReactive},
    {"unobstructed", CollisionMode::kUnobstructed},
    {"unobstructed_obstacles", CollisionMode::kUnobstructedObstacles},
}};

// Drawing, labels, and the drawing period, which no simulation needs.
constexpr std::array<std::string_view, 5> kUnusedKeys{"plot", "status", "control_mode",
                                                      "fog_map_resolution", "mdownsample"};

// Keys of IR-SIM before version 2, and what replaced them.
constexpr std::array<std::array<std::string_view, 2>, 3> kOldKeys{{
    {"world_height", "height"},
    {"world_width", "width"},
    {"world_map", "obstacle_map"},
}};

// IR-SIM does not check the mode: a word it does not know makes no object stop.
CollisionMode ReadCollisionMode(MapReader& reader) {
  const YamlValue value = reader.Get("collision_mode");
  if (!value.present()) return CollisionMode::kStop;
  const std::string name = value.node->IsText() ? value.node->text : value.node->Describe();
  if (name == "contact") {
    reader.findings().Add(Severity::kError, value.node, value.path,
                          "collision_mode contact is not built yet",
                          "use stop, reactive, unobstructed or unobstructed_obstacles");
    return CollisionMode::kStop;
  }
  std::vector<std::string_view> names;
  for (const ModeName& row : kCollisionModes) {
    if (row.name == name) return row.mode;
    names.push_back(row.name);
  }
  const std::string nearest = Nearest(name, names);
  reader.findings().Add(
      Severity::kWarning, value.node, value.path,
      "unknown collision mode " + value.node->Describe() + " acts like unobstructed, as in IR-SIM",
      nearest.empty() ? "known modes: stop, reactive, unobstructed, unobstructed_obstacles"
                      : "did you mean " + nearest + "?");
  return CollisionMode::kUnobstructed;
}

std::string Normalized(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  std::string word(text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

void CheckStepMode(MapReader& reader) {
  const YamlValue value = reader.Get("step_mode");
  if (!value.present()) return;
  const std::string mode = Normalized(ReadText(value, "internal", reader.findings()));
  if (mode == "internal") return;
  const bool is_external = mode == "external";
  reader.findings().Add(Severity::kError, value.node, value.path,
                        is_external ? "step_mode external is not built yet"
                                    : "expected internal, got " + value.node->Describe());
}

// Maps and fog change what sensors see: ignoring them would be a lie.
void RefuseUnbuilt(MapReader& reader) {
  const YamlValue map = reader.Get("obstacle_map");
  if (map.given()) {
    reader.findings().Add(Severity::kError, map.node, map.path,
                          "obstacle maps are not built yet, got " + map.node->Describe(),
                          "remove the key, or write obstacle_map: null");
  }
  const YamlValue fog = reader.Get("fog_map");
  if (ReadBool(fog, false, reader.findings())) {
    reader.findings().Add(Severity::kError, fog.node, fog.path, "fog maps are not built yet",
                          "write fog_map: false");
  }
}

// Numbers of contact mode: checked as IR-SIM checks them, used by nothing yet.
void CheckContactNumbers(MapReader& reader) {
  NumberRule non_negative = kNonNegativeQuantity;
  non_negative.numeric_text = true;
  NumberRule gravity = non_negative;
  gravity.above = 0.0;
  NumberRule restitution = non_negative;
  restitution.high = 1.0;
  reader.Number("gravity", 9.81, gravity);
  reader.Number("friction", 0.5, non_negative);
  reader.Number("restitution", 0.0, restitution);
  reader.Number("drive_tau", 0.0, non_negative);
}

void CheckOldKeys(MapReader& reader) {
  for (const auto& [old_key, new_key] : kOldKeys) {
    if (!reader.Has(old_key)) continue;
    reader.Get(old_key);
    reader.Error(old_key, "this key belongs to IR-SIM before version 2, which is not supported",
                 "the new key is " + std::string(new_key));
  }
}

void IgnoreUnused(MapReader& reader) {
  const std::vector<YamlValue> unused = reader.Ignore(kUnusedKeys);
  if (unused.empty()) return;
  std::string keys;
  for (const YamlValue& value : unused) {
    keys += (keys.empty() ? "" : ", ") + value.path.substr(reader.path().size() + 1);
  }
  reader.findings().Add(Severity::kNote, unused.front().node, reader.path(),
                        "accepted and not used (drawing, keyboard, labels): " + keys);
}

}  // namespace

void ReadWorld(const YamlValue& world, LoadContext& context) {
  if (!world.present()) return;
  MapReader reader(*world.node, world.path, context.findings);
  WorldSpec& spec = context.scenario.world;

  const double width = reader.Number("width", 10.0, kPositiveQuantity);
  const double height = reader.Number("height", 10.0, kPositiveQuantity);
  const std::vector<double> offset = reader.Numbers("offset", {0.0, 0.0}, {2, 3}, kQuantity);
  spec.bounds = {offset[0], offset[1], offset[0] + width, offset[1] + height};
  spec.step_time = reader.Number("step_time", 0.1, kPositiveQuantity);
  reader.Number("sample_time", spec.step_time);
  spec.collision_mode = ReadCollisionMode(reader);

  CheckStepMode(reader);
  CheckContactNumbers(reader);
  RefuseUnbuilt(reader);
  if (reader.Has("name")) {
    reader.Get("name");
    reader.Error("name", "the world is named after its file: IR-SIM refuses this key", "remove it");
  }
  CheckOldKeys(reader);
  IgnoreUnused(reader);
  reader.Finish(UnknownKeys::kWarn);
}

}  // namespace planarium
