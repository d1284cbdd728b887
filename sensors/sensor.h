#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "physics/ray_caster.h"
#include "physics/world_batch.h"
#include "sensors/params.h"

namespace planarium {

/// Per-worker scratch of all sensors. Grown by Sensor::Reserve before the first step, never in it.
struct SensorWorkspace {
  RayScene free_scene;
  RayScratch rays;
  std::vector<float> range_noise;   // [m]
  std::vector<float> angle_jitter;  // [rad]
};

/// One measurement: who carries the sensor, and when.
struct SensorContext {
  const WorldView& world;
  int object = 0;  ///< carrier
  int sensor = 0;  ///< position in the carrier's sensor list
};

/// A sensor type with its parameters, shared by all worlds: stateless; the measurement of each
/// world lives in the batch.
class Sensor {
 public:
  virtual ~Sensor() = default;

  virtual std::string_view type() const = 0;
  /// Bytes of one world's measurement; the block is 8-byte aligned and zero at first.
  virtual std::size_t StateBytes() const = 0;
  /// Grows the scratch to what Measure needs in a world of `spec`.
  virtual void Reserve(const WorldSpec& spec, SensorWorkspace& workspace) const = 0;
  /// Takes one measurement into `state`. Never allocates; touches nothing but `state` and
  /// `workspace`.
  virtual void Measure(const SensorContext& context, SensorWorkspace& workspace,
                       std::span<std::byte> state) const = 0;
};

/// A `sensors:` entry of a world file.
struct SensorSpec {
  std::string type = "lidar2d";
  std::string name;
  Params params;
};

}  // namespace planarium
