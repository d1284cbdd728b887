#include "env/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "physics/math.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

// IR-SIM spaces the objects of an entry by at most this many redraws; Planarium uses the same count
// per object.
RandomSequence PlacementDraws(const WorldView& world, int object) {
  return {world.clock().episode_seed, Stream::kPlacement, static_cast<std::uint32_t>(object), 0};
}

double SquaredDistance(const Pose2& a, const BodyState& b) {
  return (a.x - b[0]) * (a.x - b[0]) + (a.y - b[1]) * (a.y - b[1]);
}

}  // namespace

PoseBox ReadPoseBox(const Params& params, const Aabb& bounds, double inset) {
  PoseBox box{{bounds.min_x + inset, bounds.min_y + inset, -kPi},
              {bounds.max_x - inset, bounds.max_y - inset, kPi}};
  const auto read = [&params](const char* name, std::array<double, 3>& corner) {
    const std::vector<double> given = params.Numbers(name, {});
    if (params.Has(name) && given.size() != 2 && given.size() != 3) {
      throw std::invalid_argument(std::string(name) + ": got " + std::to_string(given.size()) +
                                  " numbers, expected [x, y] or [x, y, theta]");
    }
    std::ranges::copy(given, corner.begin());
  };
  read("range_low", box.low);
  read("range_high", box.high);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(box.low[k] <= box.high[k]))
      throw std::invalid_argument("range_low must not exceed range_high");
  }
  return box;
}

Placer::Placer(const Scenario& scenario, const WorldSpec& spec, WorldView world, int agent,
               int max_tries, std::span<std::uint8_t> placed)
    : scenario_(scenario),
      spec_(spec),
      world_(world),
      agent_(agent),
      max_tries_(max_tries),
      placed_(placed) {
  std::ranges::fill(placed_, std::uint8_t{1});
}

void Placer::MarkUnplaced(std::span<const int> ids) {
  for (const int id : ids) placed_[static_cast<std::size_t>(id)] = 0;
}

void Placer::SetPose(int object, const Pose2& pose) {
  ObjectState& state = world_.free_object(object);
  state.state[0] = pose.x;
  state.state[1] = pose.y;
  state.state[2] = pose.theta;
  PlaceObject(world_, object);
}

bool Placer::IsFree(int object) const {
  // Objects that collisions ignore cannot be in the way, and an ignored object may stand anywhere.
  if (spec_.objects[static_cast<std::size_t>(object)].unobstructed) return true;
  return !OverlapsAny(world_, object, [this](int other) {
    return placed_[static_cast<std::size_t>(other)] != 0 &&
           !spec_.objects[static_cast<std::size_t>(other)].unobstructed;
  });
}

bool Placer::HasClearance(int object, double clearance) const {
  const PlacedShape& self = world_.object(object).placed;
  Aabb reach = self.box;
  reach.Include({self.box.min_x - clearance, self.box.min_y - clearance});
  reach.Include({self.box.max_x + clearance, self.box.max_y + clearance});
  for (const ObjectSpec& other : spec_.objects) {
    const bool counts = other.id != object && !other.unobstructed &&
                        placed_[static_cast<std::size_t>(other.id)] != 0;
    if (!counts) continue;
    const PlacedShape& shape = world_.object(other.id).placed;
    if (Overlaps(reach, shape.box) && Distance(self, shape) < clearance) return false;
  }
  return true;
}

void Placer::Report(int object) {
  ++failure_count_;
  if (num_failed_ < failed_.size()) failed_[num_failed_++] = object;
}

void Placer::DrawAnyPose(int object, RandomSequence& random, const std::array<double, 3>& low,
                         const std::array<double, 3>& high) {
  const double x = random.Uniform(low[0], high[0]);
  const double y = random.Uniform(low[1], high[1]);
  SetPose(object, {x, y, random.Uniform(low[2], high[2])});
  placed_[static_cast<std::size_t>(object)] = 1;
}

bool Placer::DrawGoal(int object, RandomSequence& random, const std::array<double, 3>& low,
                      const std::array<double, 3>& high, double clearance, double min_distance) {
  const BodyState& from = world_.object(object).state;
  BodyState goal{};
  bool found = false;
  for (int k = 0; !found && MayTry(k); ++k) {
    goal = {random.Uniform(low[0], high[0]), random.Uniform(low[1], high[1]),
            random.Uniform(low[2], high[2]), 0.0};
    found = Hypot(goal[0] - from[0], goal[1] - from[1]) >= min_distance;
    for (int other = 0; other < spec_.num_objects() && found; ++other) {
      const ObjectSpec& spec = spec_.objects[static_cast<std::size_t>(other)];
      const bool in_the_way = other != object && spec.is_static && !spec.unobstructed;
      found = !in_the_way || !IsNear(world_.object(other).placed, {goal[0], goal[1]}, clearance);
    }
  }
  world_.SetGoals(object, std::span(&goal, 1));
  if (!found) Report(object);
  return found;
}

void Placer::PlaceEntryStates(const RandomPlacement& entry) {
  const double spacing = entry.min_distance * entry.min_distance;
  for (std::size_t i = 0; i < entry.objects.size(); ++i) {
    const auto earlier = std::span(entry.objects).first(i);
    RandomSequence random = PlacementDraws(world_, entry.objects[i]);
    DrawPose(entry.objects[i], random, entry.range_low, entry.range_high, [&](const Pose2& pose) {
      return std::ranges::all_of(earlier, [&](int id) {
        return SquaredDistance(pose, world_.object(id).state) >= spacing;
      });
    });
  }
}

// Goals keep IR-SIM's rule: spaced within the entry, the last draw is kept after all tries; no
// geometry is tested.
void Placer::PlaceEntryGoals(const RandomPlacement& entry) {
  const double spacing = entry.min_distance * entry.min_distance;
  for (std::size_t i = 0; i < entry.objects.size(); ++i) {
    RandomSequence random(episode_seed(), Stream::kGoal,
                          static_cast<std::uint32_t>(entry.objects[i]), 0);
    BodyState goal{};
    bool spaced = false;
    for (int k = 0; !spaced && MayTry(k); ++k) {
      const auto& low = entry.range_low;
      const auto& high = entry.range_high;
      goal = {random.Uniform(low[0], high[0]), random.Uniform(low[1], high[1]),
              random.Uniform(low[2], high[2]), 0.0};
      const BodyState& start = world_.object(entry.objects[i]).state;
      const double reach = spec_.objects[static_cast<std::size_t>(entry.objects[i])].goal_threshold;
      if (Hypot(goal[0] - start[0], goal[1] - start[1]) < reach) continue;
      spaced = std::ranges::all_of(std::span(entry.objects).first(i), [&](int id) {
        return SquaredDistance({goal[0], goal[1], 0.0}, *world_.goal(id)) >= spacing;
      });
    }
    world_.SetGoals(entry.objects[i], std::span(&goal, 1));
  }
}

void Placer::ApplyRandomPlacements() {
  for (const RandomPlacement& entry : scenario_.placements) {
    PlaceEntryStates(entry);
    PlaceEntryGoals(entry);
  }
}

void Placer::DrawWanderGoals() {
  for (const int id : spec_.free_objects) {
    const BehaviorSpec& behavior = scenario_.plans[static_cast<std::size_t>(id)].behavior;
    if (behavior.wander) DrawWanderGoal(behavior, world_, id, 0);
  }
}

void Placer::KeepLoopStarts() {
  for (const int id : spec_.free_objects) {
    const auto goals = world_.goals(id);
    const bool loops = scenario_.plans[static_cast<std::size_t>(id)].behavior.loop;
    if (loops && world_.object(id).goal_count == 1) goals[1] = world_.object(id).state;
  }
}

void DrawWanderGoal(const BehaviorSpec& behavior, WorldView world, int object, std::uint32_t step) {
  // Stream kBehavior: the goals of a random distribution use kGoal with the same object and step.
  RandomSequence random(world.clock().episode_seed, Stream::kBehavior,
                        static_cast<std::uint32_t>(object), step);
  BodyState goal{};
  for (std::size_t k = 0; k < 3; ++k)
    goal[k] = random.Uniform(behavior.range_low[k], behavior.range_high[k]);
  world.SetGoals(object, std::span(&goal, 1));
}

void RenewGoal(const BehaviorSpec& behavior, WorldView world, int object) {
  if (!behavior.wander && !behavior.loop) return;
  ObjectState& state = world.free_object(object);
  if (!state.arrive) return;
  state.arrive = false;
  if (behavior.wander) {
    DrawWanderGoal(behavior, world, object, static_cast<std::uint32_t>(world.clock().step) + 1);
    return;
  }
  // Several goals: the whole queue again. One goal: goal, then the start, for ever; headings count
  // in state mode only.
  const ObjectSpec& spec = world.spec().objects[static_cast<std::size_t>(object)];
  state.goal_index = 0;
  if (state.goal_count > 1 && spec.goals.size() > 1) return;
  // The start was put behind the single goal at reset.
  const auto goals = world.goals(object);
  std::array<BodyState, 2> queue{goals[0], goals[1]};
  if (spec.arrive_mode == ArriveMode::kPosition) {
    for (BodyState& goal : queue) goal[2] = std::numeric_limits<double>::quiet_NaN();
  }
  world.SetGoals(object, queue);
}

}  // namespace planarium
