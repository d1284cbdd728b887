#include "env/episode_log.h"

#include <algorithm>

namespace planarium {

EpisodeLog::EpisodeLog(std::size_t slots, std::size_t width)
    : width_(width),
      rows_(slots),
      final_observations_(slots * width),
      slots_(slots),
      lengths_(slots),
      scenarios_(slots),
      returns_(slots),
      sim_seconds_(slots),
      path_lengths_(slots),
      success_(slots),
      reasons_(slots),
      collided_(slots),
      seeds_(slots),
      episodes_(slots) {}

void EpisodeLog::Clear() {
  for (Row& row : rows_) row.recorded = false;
  count_ = 0;
}

void EpisodeLog::Record(std::size_t slot, const SlotState& state, int scenario, double step_time,
                        std::uint64_t world_steps) {
  rows_[slot] = {state.episode_return,
                 static_cast<double>(world_steps) * step_time,
                 state.memory.path_length,
                 state.episode_seed,
                 state.episode,
                 static_cast<std::int32_t>(state.memory.steps),
                 scenario,
                 state.end,
                 true};
}

void EpisodeLog::Collect() {
  count_ = 0;
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    const Row& row = rows_[slot];
    if (!row.recorded) continue;
    const std::size_t k = count_++;
    slots_[k] = static_cast<std::int32_t>(slot);
    lengths_[k] = row.length;
    scenarios_[k] = row.scenario;
    returns_[k] = row.episode_return;
    sim_seconds_[k] = row.sim_seconds;
    path_lengths_[k] = row.path_length;
    success_[k] = row.end.success ? 1 : 0;
    reasons_[k] = static_cast<std::uint8_t>(row.end.reason);
    collided_[k] = row.end.collided;
    seeds_[k] = row.seed;
    episodes_[k] = row.episode;
    // k <= slot: rows only move down, so none is overwritten before it moved.
    if (width_ > 0 && k != slot) std::copy_n(final_observation(slot), width_, final_observation(k));
  }
}

EpisodeEnds EpisodeLog::ends() const {
  const auto first = [this](const auto& column) { return std::span(column).first(count_); };
  return {first(slots_),        first(returns_),
          first(lengths_),      first(success_),
          first(reasons_),      first(seeds_),
          first(episodes_),     std::span(final_observations_).first(count_ * width_),
          first(scenarios_),    first(sim_seconds_),
          first(path_lengths_), first(collided_)};
}

std::size_t EpisodeLog::bytes() const {
  constexpr std::size_t kColumnBytes =
      3 * sizeof(std::int32_t) + 3 * sizeof(double) + 3 + 2 * sizeof(std::uint64_t);
  return rows_.size() * (sizeof(Row) + kColumnBytes) + final_observations_.size() * sizeof(float);
}

}  // namespace planarium
