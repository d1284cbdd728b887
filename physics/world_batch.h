#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/world_spec.h"

namespace planarium {

/// Clock and episode identity of one world.
struct WorldClock {
  std::uint64_t step = 0;          ///< world steps since the start of the episode
  std::uint64_t episode_seed = 0;  ///< key of every draw of the episode
};

/// Access to one world of a batch: spans into the batch's block. Cheap to copy; valid as long as
/// the batch.
class WorldView {
 public:
  WorldView(const WorldSpec& spec, std::byte* block);

  const WorldSpec& spec() const { return *spec_; }
  WorldClock& clock() const { return *clock_; }
  /// Simulated time since the start of the episode [s], exact: step * step_time.
  double time() const { return static_cast<double>(clock_->step) * spec_->step_time; }

  /// State of any object; fixed ones are read from the spec.
  const ObjectState& object(int id) const {
    const int free = spec_->free_index[static_cast<std::size_t>(id)];
    return free >= 0 ? objects_[static_cast<std::size_t>(free)]
                     : spec_->fixed_states[static_cast<std::size_t>(
                           spec_->fixed_index[static_cast<std::size_t>(id)])];
  }
  /// State of a free object for writing. REQUIRES: not fixed.
  ObjectState& free_object(int id) const {
    return objects_[static_cast<std::size_t>(spec_->free_index[static_cast<std::size_t>(id)])];
  }
  /// All free objects in id order.
  std::span<ObjectState> free_objects() const { return objects_; }

  /// Goal slots of a free object (GoalCapacity of them).
  std::span<BodyState> goals(int id) const;
  /// Current goal of any object, nullptr without one.
  const BodyState* goal(int id) const;
  /// Replaces a free object's queue. REQUIRES: queue.size() <= goals(id).size().
  void SetGoals(int id, std::span<const BodyState> queue) const;

  /// Storage of a free object's drawn body-frame vertices and of its world vertices.
  std::span<Vec2> body_vertices(int id) const;
  std::span<Vec2> world_vertices(int id) const;

  /// Bytes that one world of `spec` takes.
  static std::size_t BlockBytes(const WorldSpec& spec);

 private:
  const WorldSpec* spec_;
  WorldClock* clock_;
  std::span<ObjectState> objects_;
  BodyState* goals_;
  Vec2* body_vertices_;
  Vec2* world_vertices_;
};

/// All mutable state of all worlds in one block, world after world. Never reallocates.
class WorldBatch {
 public:
  /// `spec_of_world[i]` describes world i; specs outlive the batch.
  explicit WorldBatch(std::vector<const WorldSpec*> spec_of_world);

  std::size_t size() const { return specs_.size(); }
  WorldView world(std::size_t i) const { return {*specs_[i], block_.get() + offsets_[i]}; }
  std::size_t bytes() const { return offsets_.back(); }

 private:
  std::vector<const WorldSpec*> specs_;
  std::vector<std::size_t> offsets_;  // (size + 1)
  struct Free {
    void operator()(std::byte* block) const;
  };
  std::unique_ptr<std::byte[], Free> block_;
};

}  // namespace planarium
