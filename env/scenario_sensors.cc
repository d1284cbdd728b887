#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "env/scenario_parts.h"
#include "physics/math.h"
#include "sensors/sensor_registry.h"

namespace planarium {
namespace {

// Far beyond any robot; bounds what `number: 4096` can multiply.
constexpr std::size_t kMaxSensors = 16;

constexpr std::array<std::string_view, 3> kDrawingKeys{"alpha", "color", "plot"};

// Sensors of IR-SIM that this version refuses by name.
constexpr std::array<std::string_view, 2> kUnbuilt{"fmcw_lidar2d", "contact2d"};

const SensorRow* FindRow(MapReader& reader, std::string_view key, const std::string& type) {
  if (const SensorRow* row = FindSensor(type)) return row;
  if (std::find(kUnbuilt.begin(), kUnbuilt.end(), type) != kUnbuilt.end()) {
    reader.Error(key, "sensor " + type + " is not built yet", "use lidar2d");
    return nullptr;
  }
  std::vector<std::string_view> names;
  std::string list;
  for (const SensorRow& row : SensorRegistry()) {
    names.push_back(row.type);
    list += (list.empty() ? "" : ", ") + std::string(row.type);
  }
  const std::string nearest = Nearest(type, names);
  std::string hint = nearest.empty() ? "known: " + list : "did you mean " + nearest + "?";
  if (reader.Has("name") && reader.Has("type")) {
    hint = "a sensor has no name in IR-SIM: the value of `name` goes before `type`; remove it";
  }
  reader.Error(key, "unknown sensor '" + type + "'", std::move(hint));
  return nullptr;
}

// A fan beyond a full turn (6.2832 is a popular 2 pi) is cut to it, and a negative one to nothing.
void ClipAngleRange(MapReader& reader, Params& params) {
  const double range = reader.Number("angle_range", kPi);
  if (range >= 0.0 && range <= kTwoPi) return;
  const double clipped = std::clamp(range, 0.0, kTwoPi);
  reader.Warn("angle_range", "clipped to [0, 2 pi], as in IR-SIM",
              range > 0.0 ? "write 6.283185307179586 for a full turn" : "");
  params.Set("angle_range", clipped);
}

// The mount [x, y, theta]; IR-SIM accepts a fourth number and does not use it.
void CutOffset(MapReader& reader, Params& params) {
  if (!reader.Get("offset").given()) return;
  std::vector<double> offset =
      reader.Numbers("offset", {0.0, 0.0, 0.0}, {3, kMaxStateDim}, kQuantity);
  offset.resize(3);
  params.Set("offset", std::move(offset));
}

void CheckLidar(MapReader& reader, const LoadContext& context, Params& params) {
  ClipAngleRange(reader, params);
  CutOffset(reader, params);
  reader.Integer("number", 100, {.low = 1.0, .high = 1.0 * context.limits.max_beams});
  const double low = reader.Number("range_min", 0.0, kNonNegativeQuantity);
  const double high = reader.Number("range_max", 10.0, kPositiveQuantity);
  if (low >= high) reader.Error("range_min", "range_min must be less than range_max");
}

// One sensor; nothing is added when it cannot be built.
void ReadSensor(const YamlValue& value, LoadContext& context, LoadedSensors& loaded) {
  MapReader reader(*value.node, value.path, context.findings);
  if (reader.node() == nullptr) return;
  // IR-SIM takes the type from `name` before `type`.
  const std::string_view key = reader.Has("name") ? "name" : "type";
  SensorSpec spec;
  spec.type = reader.Text(key, "lidar2d");
  reader.Get("type");
  reader.Get("name");
  const SensorRow* row = FindRow(reader, key, spec.type);
  if (row == nullptr) return;
  const std::size_t index = loaded.specs.size();
  spec.name = index == 0 ? spec.type : spec.type + "_" + std::to_string(index);
  if (row->type == "lidar2d") CheckLidar(reader, context, spec.params);
  reader.ReadParams(row->params, spec.params);
  for (const YamlValue& unused : reader.Ignore(kDrawingKeys)) {
    context.unused.try_emplace(unused.path.substr(unused.path.rfind('.') + 1), unused);
  }
  reader.Finish(UnknownKeys::kWarn);
  if (context.findings.has_errors()) return;
  try {
    loaded.sensors.push_back(row->make(spec.params));
    loaded.specs.push_back(std::move(spec));
  } catch (const std::invalid_argument& error) {
    reader.Error("", error.what());
  }
}

LoadedSensors ReadList(const YamlValue& list, LoadContext& context) {
  LoadedSensors loaded;
  if (!list.node->IsSequence()) {
    context.findings.Add(Severity::kError, list.node, list.path,
                         "expected a list of sensors, got " + list.node->Describe(),
                         "begin each sensor with a dash: - type: lidar2d");
    return loaded;
  }
  const std::size_t count = list.node->items.size();
  if (count > kMaxSensors) {
    context.findings.Add(Severity::kError, list.node, list.path,
                         std::to_string(count) + " sensors on one object; at most " +
                             std::to_string(kMaxSensors) + " are allowed");
    return loaded;
  }
  for (std::size_t i = 0; i < count; ++i) ReadSensor(list.Item(i), context, loaded);
  return loaded;
}

}  // namespace

LoadedSensors ReadSensors(const YamlValue& sensors, int index, LoadContext& context) {
  if (!sensors.given()) return {};
  // A list of mappings belongs to every object, a list of lists holds one list per object.
  YamlValue own = sensors;
  const auto& items = sensors.node->items;
  const bool is_shared = std::all_of(items.begin(), items.end(),
                                     [](const YamlNode* item) { return item->IsMapping(); });
  if (sensors.node->IsSequence() && !is_shared) {
    own = sensors.Item(std::min(static_cast<std::size_t>(index), items.size() - 1));
  }
  if (!own.given()) return {};
  const auto known = context.sensors.find(own.node);
  if (known != context.sensors.end()) return known->second;
  return context.sensors.emplace(own.node, ReadList(own, context)).first->second;
}

}  // namespace planarium
