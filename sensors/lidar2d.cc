#include "sensors/lidar2d.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/angle.h"
#include "physics/random.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

// Lanes of the sensor's random stream.
constexpr std::uint32_t kRangeNoiseLane = 0;
constexpr std::uint32_t kAngleNoiseLane = 1;

// IR-SIM 2.12: a fan beyond a full turn is a full turn, a meaningless one is a single direction.
double ClipFan(double angle_range) {
  return std::isfinite(angle_range) ? std::clamp(angle_range, 0.0, kTwoPi) : 0.0;
}

Lidar2dOptions Normalized(Lidar2dOptions options) {
  options.angle_range = ClipFan(options.angle_range);
  return options;
}

// Normal numbers of this scan with the given deviation; they depend on nothing but the seed, who
// scans and when.
void DrawNoise(const SensorContext& context, std::uint32_t lane, double deviation,
               std::span<float> noise) {
  const WorldClock& clock = context.world.clock();
  FillNormal(clock.episode_seed, SensorStream(context.sensor),
             static_cast<std::uint32_t>(context.object), static_cast<std::uint32_t>(clock.step),
             lane, noise);
  const auto scale = static_cast<float>(deviation);
  for (float& value : noise) value *= scale;
}

// Adds range noise to hits; misses stay at range_max.
void AddNoise(std::span<const float> noise, const LidarScan& scan) {
  for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
    scan.ranges[i] += scan.owner[i] >= 0 ? noise[i] : 0.0F;
  }
}

}  // namespace

Lidar2d::Lidar2d(const Lidar2dOptions& options)
    : options_(Normalized(options)),
      beams_(options_.angle_range, options.number),
      mount_(SinCos(options.offset.theta)) {}

std::size_t Lidar2d::StateBytes() const {
  const auto number = static_cast<std::size_t>(options_.number);
  const std::size_t bytes = number * (sizeof(float) + sizeof(std::int32_t) + sizeof(std::uint8_t));
  // Whole words keep the next block aligned.
  return (bytes + 7) / 8 * 8;
}

LidarScan Lidar2d::scan(std::span<std::byte> state) const {
  const auto number = static_cast<std::size_t>(options_.number);
  std::byte* ranges = state.data();
  std::byte* owner = ranges + number * sizeof(float);
  std::byte* valid = owner + number * sizeof(std::int32_t);
  return {{reinterpret_cast<float*>(ranges), number},
          {reinterpret_cast<std::uint8_t*>(valid), number},
          {reinterpret_cast<std::int32_t*>(owner), number}};
}

Vec2 Lidar2d::Origin(Vec2 carrier, const SinCosPair& heading) const {
  const Pose2& offset = options_.offset;
  return {carrier.x + heading.cos * offset.x - heading.sin * offset.y,
          carrier.y + heading.sin * offset.x + heading.cos * offset.y};
}

Pose2 Lidar2d::SensorPose(const Pose2& carrier) const {
  const Vec2 origin = Origin({carrier.x, carrier.y}, SinCos(carrier.theta));
  return {origin.x, origin.y, WrapToPi(carrier.theta + options_.offset.theta)};
}

void Lidar2d::Reserve(const WorldSpec& spec, SensorWorkspace& workspace) const {
  const auto number = static_cast<std::size_t>(options_.number);
  const SceneCapacity free = FreeSceneCapacity(spec);
  workspace.free_scene.Reserve(free.segments, free.circles);
  workspace.rays.Reserve(number, std::max(free.segments, spec.fixed_scene.segments()));
  for (std::vector<float>* noise : {&workspace.range_noise, &workspace.angle_jitter}) {
    noise->resize(std::max(noise->size(), number));
  }
}

void Lidar2d::Measure(const SensorContext& context, SensorWorkspace& workspace,
                      std::span<std::byte> state) const {
  const LidarScan scan = this->scan(state);
  const std::size_t number = scan.ranges.size();
  const ObjectState& carrier = context.world.object(context.object);
  const SinCosPair& turn = carrier.placed.heading;
  RayQuery query;
  query.origin = Origin({carrier.state[0], carrier.state[1]}, turn);
  query.heading = {turn.sin * mount_.cos + turn.cos * mount_.sin,
                   turn.cos * mount_.cos - turn.sin * mount_.sin};
  query.range_min = options_.range_min;
  query.range_max = options_.range_max;

  // The beams leave in slightly other directions than the scan reports.
  if (options_.noise && options_.angle_std > 0.0) {
    const auto jitter = std::span(workspace.angle_jitter).first(number);
    DrawNoise(context, kAngleNoiseLane, options_.angle_std, jitter);
    query.jitter = jitter;
  }

  // What never moves comes first: it has the lower place in a tie.
  GatherFreeScene(context.world, context.object, workspace.free_scene);
  const std::array<const RayScene*, 2> scenes{&context.world.spec().fixed_scene,
                                              &workspace.free_scene};
  const bool noisy = options_.noise && options_.std > 0.0;
  RayHits hits{scan.ranges, scan.owner, scan.valid};
  if (noisy) hits.valid = {};
  CastRays(beams_, query, scenes, workspace.rays, hits);
  if (!noisy) return;

  const auto noise = std::span(workspace.range_noise).first(number);
  DrawNoise(context, kRangeNoiseLane, options_.std, noise);
  AddNoise(noise, scan);
  GateHits(options_.range_min, options_.range_max, {scan.ranges, scan.owner, scan.valid});
}

void FillScanVelocity(const WorldView& world, const LidarScan& scan, std::span<float> velocity) {
  const std::size_t number = scan.owner.size();
  // Neighbouring beams mostly hit the same body: its velocity is derived once per run.
  std::int32_t last = -1;
  Twist2 twist;
  for (std::size_t i = 0; i < number; ++i) {
    if (scan.owner[i] != last) {
      last = scan.owner[i];
      twist = last >= 0 ? TwistOf(world, last) : Twist2{};
    }
    velocity[i] = static_cast<float>(twist.vx);
    velocity[number + i] = static_cast<float>(twist.vy);
  }
}

}  // namespace planarium
