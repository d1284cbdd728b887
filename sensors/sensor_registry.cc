#include "sensors/sensor_registry.h"

#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sensors/lidar2d.h"

namespace planarium {
namespace {

// A scan of this size takes milliseconds; more is a typing error.
constexpr int kMaxBeams = 100000;

constexpr std::array kLidar2dParams{
    ParamSchema{"range_min", ParamType::kNumber, "0", "m", "radius of the blind zone", 0.0},
    ParamSchema{"range_max", ParamType::kNumber, "10", "m", "farthest hit", 0.0},
    ParamSchema{"angle_range", ParamType::kNumber, "3.141592653589793", "rad",
                "total fan, centred ahead, clipped to [0, 2 pi]"},
    ParamSchema{"number", ParamType::kInteger, "100", "-",
                "beams, evenly spaced with both ends of the fan included", 1, kMaxBeams},
    ParamSchema{"scan_time", ParamType::kNumber, "0.1", "s",
                "reported with the scan; a scan is taken every step", 0.0},
    ParamSchema{"noise", ParamType::kBool, "false", "-", "switches std and angle_std on"},
    ParamSchema{"std", ParamType::kNumber, "0.2", "m", "standard deviation of measured ranges",
                0.0},
    ParamSchema{"angle_std", ParamType::kNumber, "0", "rad",
                "standard deviation of the beam directions; reported angles stay nominal", 0.0,
                100.0},
    ParamSchema{"offset", ParamType::kNumbers, "[0, 0, 0]", "m, m, rad",
                "mount [x, y, theta] in the body frame"},
    ParamSchema{"has_velocity", ParamType::kBool, "false", "-",
                "scans carry the velocity of what each beam hit"},
};

[[noreturn]] void Refuse(std::string_view key, std::string_view expected, double got) {
  std::ostringstream message;
  message << "lidar2d: " << key << ": expected " << expected << ", got " << got;
  throw std::invalid_argument(message.str());
}

void Require(bool holds, std::string_view key, std::string_view expected, double got) {
  if (!holds) Refuse(key, expected, got);
}

int BeamCount(const Params& params, int fallback) {
  const double number = params.Number("number", fallback);
  const bool holds = number >= 1 && number <= kMaxBeams && number == std::floor(number);
  Require(holds, "number", "an integer from 1 to 100000", number);
  return static_cast<int>(number);
}

Pose2 Mount(const Params& params) {
  const std::vector<double> offset = params.Numbers("offset", {0.0, 0.0, 0.0});
  const auto size = static_cast<double>(offset.size());
  Require(size == 2 || size == 3, "offset", "2 or 3 numbers [x, y, theta]", size);
  for (const double value : offset) {
    Require(std::isfinite(value), "offset", "finite numbers", value);
  }
  return {offset[0], offset[1], offset.size() == 3 ? offset[2] : 0.0};
}

// Comparisons are written so that NaN fails them.
void Check(const Lidar2dOptions& options) {
  Require(options.range_max > 0.0 && std::isfinite(options.range_max), "range_max",
          "a finite number above 0", options.range_max);
  Require(options.range_min >= 0.0 && options.range_min < options.range_max, "range_min",
          "a number from 0 to below range_max", options.range_min);
  Require(options.std >= 0.0 && std::isfinite(options.std), "std", "a finite number of at least 0",
          options.std);
  Require(options.angle_std >= 0.0 && options.angle_std <= 100.0, "angle_std",
          "a number from 0 to 100", options.angle_std);
}

std::unique_ptr<Sensor> MakeLidar2d(const Params& params) {
  Lidar2dOptions options;
  options.range_min = params.Number("range_min", options.range_min);
  options.range_max = params.Number("range_max", options.range_max);
  options.angle_range = params.Number("angle_range", options.angle_range);
  options.number = BeamCount(params, options.number);
  options.scan_time = params.Number("scan_time", options.scan_time);
  options.noise = params.Bool("noise", options.noise);
  options.std = params.Number("std", options.std);
  options.angle_std = params.Number("angle_std", options.angle_std);
  options.offset = Mount(params);
  options.has_velocity = params.Bool("has_velocity", options.has_velocity);
  Check(options);
  return std::make_unique<Lidar2d>(options);
}

constexpr std::array kSensors{
    SensorRow{"lidar2d", "planar laser scanner with range and direction noise", kLidar2dParams,
              MakeLidar2d},
};

}  // namespace

std::span<const SensorRow> SensorRegistry() { return kSensors; }

const SensorRow* FindSensor(std::string_view type) {
  for (const SensorRow& row : kSensors) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace planarium
