#include <array>
#include <cmath>
#include <stdexcept>

#include "env/placement.h"
#include "env/term.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"ids", ParamType::kNumbers, "all obstacles but linestrings", "-",
                "object ids to move (\"1-7\" and lists are accepted)"},
    ParamSchema{"range_low", ParamType::kNumbers, "world bounds, -pi", "m, m, rad",
                "lower corner of the box of positions"},
    ParamSchema{"range_high", ParamType::kNumbers, "world bounds, pi", "m, m, rad", "upper corner"},
    ParamSchema{"non_overlapping", ParamType::kBool, "true", "-",
                "keep clear of everything placed already"},
};

/// Obstacles put to random poses at every reset, in id order.
class ObjectScatter final : public EventTerm {
 public:
  ObjectScatter(std::vector<int> ids, const PoseBox& box, bool free)
      : ids_(std::move(ids)), box_(box), free_(free) {}
  std::vector<int> Moves() const override { return ids_; }
  void Apply(Placer& placer) const override {
    for (const int id : ids_) {
      RandomSequence random(placer.episode_seed(), Stream::kEvent, static_cast<std::uint32_t>(id),
                            0);
      if (free_) {
        placer.DrawPose(id, random, box_.low, box_.high, [](const Pose2&) { return true; });
      } else {
        placer.DrawAnyPose(id, random, box_.low, box_.high);
      }
    }
  }

 private:
  std::vector<int> ids_;
  PoseBox box_;
  bool free_;
};

// Walls drawn as linestrings stay where they are unless their ids are given.
std::vector<int> AllObstacles(const Scenario& scenario) {
  std::vector<int> ids;
  for (const ObjectSpec& object : scenario.world.objects) {
    const auto* shape = std::get_if<Shape>(&object.shape);
    const bool wall = shape != nullptr && shape->kind == ShapeKind::kPolyline;
    if (object.role == Role::kObstacle && !wall) ids.push_back(object.id);
  }
  return ids;
}

std::unique_ptr<EventTerm> Make(const Params& params, const TermSetup& setup) {
  std::vector<int> ids;
  for (const double id : params.Numbers("ids", {})) {
    if (id != std::floor(id) || id < 0 || id >= setup.scenario.world.num_objects()) {
      throw std::invalid_argument("ids: got " + std::to_string(id) + ", expected object ids 0.." +
                                  std::to_string(setup.scenario.world.num_objects() - 1));
    }
    ids.push_back(static_cast<int>(id));
  }
  if (!params.Has("ids")) ids = AllObstacles(setup.scenario);
  return std::make_unique<ObjectScatter>(std::move(ids),
                                         ReadPoseBox(params, setup.scenario.world.bounds, 0.0),
                                         params.Bool("non_overlapping", true));
}

}  // namespace

extern const TermRow<EventTerm> kObjectScatterRow;
const TermRow<EventTerm> kObjectScatterRow{
    "object.scatter", "obstacles put to random poses at reset", kParams, &Make};

}  // namespace planarium
