#include "env/scenario.h"

namespace planarium {
namespace {

// What a map node with a short name and a value takes.
constexpr std::size_t kParameterBytes = 160;

std::size_t BytesOf(const Params& params) { return params.values().size() * kParameterBytes; }

std::size_t BytesOf(const ObjectSpec& object) {
  return sizeof(object) + object.name.size() + object.goals.size() * sizeof(BodyState) +
         MaxVertices(object.shape) * sizeof(Vec2);
}

std::size_t BytesOf(const ObjectPlan& plan) {
  std::size_t bytes = sizeof(plan) + plan.behavior.name.size() + BytesOf(plan.behavior.params);
  for (const SensorSpec& spec : plan.sensor_specs)
    bytes += sizeof(spec) + spec.name.size() + BytesOf(spec.params);
  // A sensor's tables grow like its measurement; a lidar's take four times as much.
  for (const auto& sensor : plan.sensors) bytes += 4 * sensor->StateBytes();
  return bytes;
}

}  // namespace

std::size_t EstimateBytes(const Scenario& scenario) {
  std::size_t bytes = sizeof(scenario);
  for (const ObjectSpec& object : scenario.world.objects) bytes += BytesOf(object);
  for (const ObjectPlan& plan : scenario.plans) bytes += BytesOf(plan);
  for (const RandomPlacement& placement : scenario.placements)
    bytes += sizeof(placement) + placement.objects.size() * sizeof(int);
  for (const Diagnostic& finding : scenario.diagnostics) {
    bytes += sizeof(finding) + finding.file.size() + finding.key_path.size() +
             finding.message.size() + finding.hint.size();
  }
  return bytes;
}

}  // namespace planarium
