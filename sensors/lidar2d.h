#pragma once

#include "physics/math.h"
#include "physics/ray_caster.h"
#include "sensors/sensor.h"

namespace planarium {

/// Parameters of `lidar2d` (spec irsim-sensors-contact 4.1). Files written for IR-SIM give them
/// unchanged.
struct Lidar2dOptions {
  double range_min = 0.0;     ///< [m] blind zone
  double range_max = 10.0;    ///< [m]
  double angle_range = kPi;   ///< [rad] fan, clipped to [0, 2 pi]; non-finite: 0
  int number = 100;           ///< beams
  double scan_time = 0.1;     ///< [s] metadata only
  bool noise = false;         ///< switches both noises
  double std = 0.2;           ///< [m] range noise
  double angle_std = 0.0;     ///< [rad] beam direction noise
  Pose2 offset;               ///< mount in the body frame
  bool has_velocity = false;  ///< scan messages carry the velocity of what each beam hit
};

/// One scan: views into a world's sensor state.
struct LidarScan {
  std::span<float> ranges;        ///< [m] (number) within [range_min, range_max]
  std::span<std::uint8_t> valid;  ///< (number) 1: a hit within [range_min, range_max]
  std::span<std::int32_t> owner;  ///< (number) id of the object that the beam met, -1: none
};

/// Planar scanner (spec irsim-sensors-contact 4). Beam i points to heading + angles()[i].
class Lidar2d final : public Sensor {
 public:
  explicit Lidar2d(const Lidar2dOptions& options);

  std::string_view type() const override { return "lidar2d"; }
  std::size_t StateBytes() const override;
  void Reserve(const WorldSpec& spec, SensorWorkspace& workspace) const override;
  void Measure(const SensorContext& context, SensorWorkspace& workspace,
               std::span<std::byte> state) const override;

  const Lidar2dOptions& options() const { return options_; }
  const BeamTable& beams() const { return beams_; }
  /// Sensor pose for a carrier pose: origin p + R(theta) offset, heading WrapToPi(theta +
  /// offset.theta).
  Pose2 SensorPose(const Pose2& carrier) const;
  /// The scan kept in `state` (a block of StateBytes()).
  LidarScan scan(std::span<std::byte> state) const;

 private:
  /// Where the sensor sits on a carrier that stands and points like this. [m]
  Vec2 Origin(Vec2 carrier, const SinCosPair& heading) const;

  Lidar2dOptions options_;
  BeamTable beams_;
  SinCosPair mount_;  // of offset.theta
};

/// World-frame velocity of what each beam hit, zeros elsewhere; `velocity` holds (2, number)
/// row-major. [m/s]
void FillScanVelocity(const WorldView& world, const LidarScan& scan, std::span<float> velocity);

}  // namespace planarium
