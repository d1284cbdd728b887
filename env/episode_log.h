#pragma once

#include <cstdint>
#include <vector>

#include "env/slot.h"
#include "env/vector_env.h"

namespace planarium {

/// Column storage of the episodes that ended in one call. Sized once for all slots; Collect never
/// allocates.
class EpisodeLog {
 public:
  /// `width` floats per final observation; 0 when they are not kept.
  EpisodeLog(std::size_t slots, std::size_t width);

  void Clear();
  /// Called by the worker that owns `slot`; spans of one slot are disjoint from those of all
  /// others.
  void Record(std::size_t slot, const SlotState& state, int scenario, double step_time,
              std::uint64_t world_steps);
  float* final_observation(std::size_t slot) { return final_observations_.data() + slot * width_; }
  /// Moves the recorded rows together in slot order.
  void Collect();
  EpisodeEnds ends() const;
  std::size_t bytes() const;

 private:
  struct Row {
    double episode_return, sim_seconds, path_length;
    std::uint64_t seed, episode;
    std::int32_t length, scenario;
    EpisodeEnd end;
    bool recorded;
  };

  std::size_t width_;
  std::vector<Row> rows_;  // (slots)
  std::vector<float> final_observations_;
  std::size_t count_ = 0;
  std::vector<std::int32_t> slots_, lengths_, scenarios_;
  std::vector<double> returns_, sim_seconds_, path_lengths_;
  std::vector<std::uint8_t> success_, reasons_, collided_;
  std::vector<std::uint64_t> seeds_, episodes_;
};

}  // namespace planarium
