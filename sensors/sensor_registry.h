#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sensors/params.h"
#include "sensors/sensor.h"

namespace planarium {

/// One sensor type: YAML name, documentation, parameters, factory.
struct SensorRow {
  std::string_view type;
  std::string_view doc;
  std::span<const ParamSchema> params;
  std::unique_ptr<Sensor> (*make)(const Params& params);
};

/// All sensor types.
std::span<const SensorRow> SensorRegistry();
/// The row of a type, nullptr when unknown.
const SensorRow* FindSensor(std::string_view type);

}  // namespace planarium
