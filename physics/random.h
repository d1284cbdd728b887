#pragma once

#include <array>
#include <cstdint>
#include <span>

/// Counter-based randomness (Philox 4x32-10, Salmon et al., "Parallel random numbers: as easy as 1,
/// 2, 3", 2011). A draw is a pure function of (episode seed, stream, object, step, draw index): no
/// generator object is stored, so threads, batch size and neighbouring worlds cannot change a
/// result.
namespace planarium {

/// Independent random streams of one episode. Adding a sensor or an object never shifts another
/// stream.
enum class Stream : std::uint32_t {
  kPlacement = 0,
  kGoal = 1,
  kShape = 2,
  kBehavior = 3,
  kMotionNoise = 4,
  kDelay = 5,
  kEvent = 6,
  kCurriculum = 7,
  kObservation = 8,
  kSensor = 64,  ///< sensor k of an object uses SensorStream(k)
};

/// Stream of the k-th sensor of an object.
constexpr Stream SensorStream(int sensor) {
  return static_cast<Stream>(static_cast<std::uint32_t>(Stream::kSensor) +
                             static_cast<std::uint32_t>(sensor));
}

/// One Philox 4x32-10 block.
std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// Seed of episode `episode` of a slot: the 64-bit number that EpisodeEnd reports and that replays
/// the episode alone.
std::uint64_t EpisodeSeed(std::uint64_t slot_seed, std::uint64_t episode);

/// Successive draws of one stream for one object at one step. A small value type that lives on the
/// stack.
class RandomSequence {
 public:
  /// `step` 0 is the reset of an episode; the first step of an episode draws with step 1.
  RandomSequence(std::uint64_t episode_seed, Stream stream, std::uint32_t object,
                 std::uint32_t step);

  /// Next uniform number in [0, 1) with 53 random bits.
  double Uniform();
  /// Next uniform number in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  /// Next integer in [low, high). REQUIRES: low < high.
  std::int64_t Integer(std::int64_t low, std::int64_t high);
  /// Next standard normal number (Box-Muller; both values of a pair are used).
  double Normal();

 private:
  std::uint64_t NextWord();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;  // stream, object, step, block
  std::array<std::uint64_t, 2> words_{};
  int words_left_ = 0;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

/// Fills `out` with standard normal numbers of one stream: element i is a function of (seed,
/// stream, object, step, lane, i) only. `lane` separates several fills of one step (0 range noise,
/// 1 angle noise, 2 velocity noise).
void FillNormal(std::uint64_t episode_seed, Stream stream, std::uint32_t object, std::uint32_t step,
                std::uint32_t lane, std::span<float> out);

}  // namespace planarium
