#include "physics/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "physics/math.h"

namespace planarium {
namespace {

// Multipliers and key increments of Philox 4x32 (Salmon et al. 2011, table 2).
constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
constexpr int kRounds = 10;

constexpr std::array<std::uint32_t, 2> KeyOf(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

// Bijective mix of 64 bits (Stafford's variant 13, the finaliser of SplitMix64).
constexpr std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Blocks of one batch of FillNormal: eight lanes fill one or two vectors of any instruction set,
// and plain loops of that fixed length are what the compiler turns into them.
constexpr int kLanes = 8;
constexpr int kWords = 4;
constexpr int kBatch = kLanes * kWords;

// Word w of lane l at [w][l]: lane l holds the block of counter `first_block + l`.
using LaneWords = std::uint32_t[kWords][kLanes];

}  // namespace

std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint64_t EpisodeSeed(std::uint64_t slot_seed, std::uint64_t episode) {
  // Both numbers are mixed alone first, so that slot seeds and episodes that count up together
  // never meet.
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd
  return Mix(Mix(slot_seed + kGolden) + kGolden * (episode + 1));
}

RandomSequence::RandomSequence(std::uint64_t episode_seed, Stream stream, std::uint32_t object,
                               std::uint32_t step)
    : key_(KeyOf(episode_seed)), counter_{static_cast<std::uint32_t>(stream), object, step, 0} {}

std::uint64_t RandomSequence::NextWord() {
  if (words_left_ == 0) {
    const std::array<std::uint32_t, 4> block = Philox4x32(counter_, key_);
    words_ = {block[0] | std::uint64_t{block[1]} << 32, block[2] | std::uint64_t{block[3]} << 32};
    words_left_ = 2;
    ++counter_[3];
  }
  return words_[2 - words_left_--];
}

double RandomSequence::Uniform() { return static_cast<double>(NextWord() >> 11) * 0x1p-53; }

std::int64_t RandomSequence::Integer(std::int64_t low, std::int64_t high) {
  // The high half of word * range: a bias below range / 2^64, and always one word per draw.
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = static_cast<std::uint64_t>((Wide{NextWord()} * range) >> 64);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double RandomSequence::Normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * Log(1.0 - Uniform()));  // 1 - u lies in (0, 1]
  const SinCosPair direction = SinCos(kTwoPi * Uniform());
  spare_normal_ = radius * direction.sin;
  has_spare_normal_ = true;
  return radius * direction.cos;
}

namespace {

// Eight Philox blocks side by side.
void PhiloxLanes(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key,
                 LaneWords& words) {
  for (int lane = 0; lane < kLanes; ++lane) {
    words[0][lane] = counter[0];
    words[1][lane] = counter[1];
    words[2][lane] = counter[2];
    words[3][lane] = counter[3] + static_cast<std::uint32_t>(lane);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t product0 = std::uint64_t{kMultiplier0} * words[0][lane];
      const std::uint64_t product1 = std::uint64_t{kMultiplier1} * words[2][lane];
      words[0][lane] = static_cast<std::uint32_t>(product1 >> 32) ^ words[1][lane] ^ key[0];
      words[2][lane] = static_cast<std::uint32_t>(product0 >> 32) ^ words[3][lane] ^ key[1];
      words[1][lane] = static_cast<std::uint32_t>(product1);
      words[3][lane] = static_cast<std::uint32_t>(product0);
    }
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
}

// sqrt(-2 log u) of the uniform number u in (0, 1] that `word` stands for, in single precision.
// Next to 1 the grain of u is 2^-24, so radii below 0.01 are coarse: off by up to 1e-4.
inline float NormalRadius(std::uint32_t word) {
  // 31 bits, centred in their cells: u >= 2^-32 keeps the tail up to 6.66 sigma.
  const float u = (static_cast<float>(static_cast<std::int32_t>(word >> 1)) + 0.5f) * 0x1p-31f;
  // u = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), see Log.
  constexpr std::int32_t kRootHalfBits = 0x3f3504f3;
  const std::int32_t offset = std::bit_cast<std::int32_t>(u) - kRootHalfBits;
  const float k = static_cast<float>(offset >> 23);
  const float f = std::bit_cast<float>((offset & 0x7fffff) + kRootHalfBits) - 1.0f;
  // log(1 + f) = 2 s + s z R(z): Remez fit, error 2^-29.
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float fit = (0x1.31e32ap-2f * z + 0x1.995eb8p-2f) * z + 0x1.55557ap-1f;
  const float log = k * 0x1.62e430p-1f + (2.0f * s + s * z * fit);
  return std::sqrt(-2.0f * log);
}

// Two independent normal numbers from two random words (Box-Muller). The direction is drawn in the
// quarter turn around the x axis; two spare bits mirror it to the whole circle.
inline void NormalPair(std::uint32_t radius_word, std::uint32_t angle_word, float& first,
                       float& second) {
  // t in [-1/2, 1/2] quarter turns; sin and cos of (pi/2) t by Remez fits, errors 2^-27 and 2^-34.
  const float t = static_cast<float>(static_cast<std::int32_t>(angle_word)) * 0x1p-32f;
  const float z = t * t;
  const float sine =
      t * (((-0x1.2d9bb8p-8f * z + 0x1.465ec6p-4f) * z - 0x1.4abbbap-1f) * z + 0x1.921fb6p+0f);
  const float cosine =
      (((0x1.d9c364p-11f * z - 0x1.55c57cp-6f) * z + 0x1.03c1dcp-2f) * z - 0x1.3bd3ccp+0f) * z +
      1.0f;
  const std::uint32_t swap = 0u - (angle_word & 1u);
  const std::uint32_t sign = (angle_word & 2u) << 30;
  const std::uint32_t x = std::bit_cast<std::uint32_t>(cosine) ^ sign;
  const std::uint32_t y = std::bit_cast<std::uint32_t>(sine);
  const std::uint32_t exchange = (x ^ y) & swap;
  const float radius = NormalRadius(radius_word);
  first = radius * std::bit_cast<float>(x ^ exchange);
  second = radius * std::bit_cast<float>(y ^ exchange);
}

// Words 0, 1 of a lane give numbers lane and lane + 8 of the batch; words 2, 3 those 16 further on.
void NormalBatch(const LaneWords& words, float* out) {
  for (int half = 0; half < 2; ++half) {
    float* const first = out + 2 * kLanes * half;
    for (int lane = 0; lane < kLanes; ++lane) {
      NormalPair(words[2 * half][lane], words[2 * half + 1][lane], first[lane],
                 first[lane + kLanes]);
    }
  }
}

}  // namespace

void FillNormal(std::uint64_t episode_seed, Stream stream, std::uint32_t object, std::uint32_t step,
                std::uint32_t lane, std::span<float> out) {
  // The block counter starts at 2^24 times (lane + 1): fills of one step stay apart from each other
  // and from the RandomSequence of the stream, which counts from 0. Enough for 2^26 numbers a lane.
  std::array<std::uint32_t, 4> counter{static_cast<std::uint32_t>(stream), object, step,
                                       (lane + 1) << 24};
  const std::array<std::uint32_t, 2> key = KeyOf(episode_seed);
  LaneWords words;
  float batch[kBatch];
  for (std::size_t done = 0; done < out.size(); done += kBatch) {
    PhiloxLanes(counter, key, words);
    NormalBatch(words, batch);
    const std::size_t count = std::min<std::size_t>(kBatch, out.size() - done);
    std::copy_n(batch, count, out.data() + done);
    counter[3] += kLanes;
  }
}

}  // namespace planarium
