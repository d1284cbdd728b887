#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "env/scenario.h"
#include "physics/world_batch.h"

namespace planarium {

/// A box of poses [low, high): x [m], y [m], theta [rad].
struct PoseBox {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
};

/// Parameters `range_low` and `range_high` of a term; missing: the world bounds shrunk by `inset`,
/// any heading. Two numbers leave the heading free. Throws std::invalid_argument for other lengths
/// and for low > high.
PoseBox ReadPoseBox(const Params& params, const Aabb& bounds, double inset);

/// Draws poses and goals for one world at reset. Every draw is a function of the episode seed, the
/// stream and the object, so an episode replays alone. Poses are free by true geometry: no drawn
/// object shares a point with one that is already placed.
class Placer {
 public:
  /// `placed` is scratch of one flag per object: objects that drawn ones must keep clear of.
  Placer(const Scenario& scenario, const WorldSpec& spec, WorldView world, int agent, int max_tries,
         std::span<std::uint8_t> placed);

  WorldView world() const { return world_; }
  int agent() const { return agent_; }
  const WorldSpec& spec() const { return spec_; }
  std::uint64_t episode_seed() const { return world_.clock().episode_seed; }

  /// Objects that later draws will move are not in the way yet.
  void MarkUnplaced(std::span<const int> ids);

  /// Draws poses of `object` in the box [low, high) until it is free (and `accept(pose)` holds),
  /// then counts it as placed. After max_tries the last draw stays and the object is reported.
  template <typename Accept>
  bool DrawPose(int object, RandomSequence& random, const std::array<double, 3>& low,
                const std::array<double, 3>& high, Accept accept) {
    for (int k = 0; MayTry(k); ++k) {
      const Pose2 pose{random.Uniform(low[0], high[0]), random.Uniform(low[1], high[1]),
                       random.Uniform(low[2], high[2])};
      SetPose(object, pose);
      if (accept(pose) && IsFree(object)) {
        placed_[static_cast<std::size_t>(object)] = 1;
        return true;
      }
    }
    placed_[static_cast<std::size_t>(object)] = 1;
    Report(object);
    return false;
  }

  /// True when `object` stands at least `clearance` [m] from everything that is placed and can
  /// collide with it.
  bool HasClearance(int object, double clearance) const;

  /// Draws one pose of `object` without looking at others.
  void DrawAnyPose(int object, RandomSequence& random, const std::array<double, 3>& low,
                   const std::array<double, 3>& high);

  /// Draws a goal for `object` until nothing that stands still is within `clearance` of it and it
  /// lies at least `min_distance` from the object. After max_tries the last draw stays and the
  /// object is reported.
  bool DrawGoal(int object, RandomSequence& random, const std::array<double, 3>& low,
                const std::array<double, 3>& high, double clearance, double min_distance);

  /// The `distribution: random` entries of the world file: all states of an entry, then all its
  /// goals.
  void ApplyRandomPlacements();
  /// First goals of wandering objects.
  void DrawWanderGoals();
  /// Puts the start of every looping object with one goal behind that goal, where RenewGoal finds
  /// it.
  void KeepLoopStarts();

  /// Objects that could not be placed within max_tries; empty when all is well. At most a few are
  /// kept.
  std::span<const int> failures() const { return {failed_.data(), num_failed_}; }
  std::size_t failure_count() const { return failure_count_; }

 private:
  void SetPose(int object, const Pose2& pose);
  bool IsFree(int object) const;
  void Report(int object);
  void PlaceEntryStates(const RandomPlacement& entry);
  void PlaceEntryGoals(const RandomPlacement& entry);
  /// Whether a (k + 1)-th draw is allowed: by the tries of its object and by the work that one
  /// episode may cost, so that no world can hold a thread for minutes. The first always is: what
  /// keeps its last draw needs one.
  bool MayTry(int k) {
    work_left_ -= spec_.num_objects();
    return k == 0 || (k < max_tries_ && work_left_ > 0);
  }

  const Scenario& scenario_;
  const WorldSpec& spec_;
  WorldView world_;
  int agent_;
  int max_tries_;
  std::int64_t work_left_ = 200'000'000;  // tests of one object against another
  std::span<std::uint8_t> placed_;
  std::array<int, 8> failed_{};
  std::size_t num_failed_ = 0;
  std::size_t failure_count_ = 0;
};

/// Start of an object's step: a wanderer that arrived gets a new goal, a looping one starts its
/// queue again (spec irsim-world 7.3).
void RenewGoal(const BehaviorSpec& behavior, WorldView world, int object);

/// One uniform draw of a wander goal. `step` 0 is the reset.
void DrawWanderGoal(const BehaviorSpec& behavior, WorldView world, int object, std::uint32_t step);

}  // namespace planarium
