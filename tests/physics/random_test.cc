#include "physics/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <vector>

namespace planarium {
namespace {

constexpr std::uint64_t kSeed = 0x0123456789abcdef;
constexpr int kSamples = 200'000;

double NormalCdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Largest difference between the empirical and the given distribution (Kolmogorov-Smirnov), times
// sqrt(n): 1.95 is exceeded once in a thousand times.
double KolmogorovStatistic(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    const double rank = static_cast<double>(i);
    worst = std::max({worst, expected - rank / n, (rank + 1.0) / n - expected});
  }
  return worst * std::sqrt(n);
}

// Correlation of two samples times sqrt(n): standard normal when they are independent.
double CorrelationStatistic(std::span<const double> a, std::span<const double> b) {
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb) * std::sqrt(static_cast<double>(a.size()));
}

std::vector<float> Fill(std::size_t count, std::uint64_t seed = kSeed, std::uint32_t object = 3,
                        std::uint32_t step = 17, std::uint32_t lane = 0) {
  std::vector<float> out(count);
  FillNormal(seed, SensorStream(1), object, step, lane, out);
  return out;
}

std::vector<double> ToDouble(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> Normals(std::uint64_t seed, Stream stream, std::uint32_t object,
                            std::uint32_t step, int count) {
  RandomSequence sequence(seed, stream, object, step);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(sequence.Normal());
  return values;
}

// Known-answer vectors of the Random123 distribution for philox4x32-10.
TEST(Random, PhiloxGivesTheKnownAnswers) {
  using Block = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, EpisodeSeedsOfNearbySlotsAndEpisodesAreAllDifferent) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    for (std::uint64_t episode = 0; episode < 200; ++episode) {
      seeds.insert(EpisodeSeed(slot, episode));
    }
  }
  EXPECT_EQ(seeds.size(), 40'000u);
}

TEST(Random, EpisodeSeedFlipsHalfItsBitsWhenOneInputBitFlips) {
  double slot_flips = 0.0;
  double episode_flips = 0.0;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    slot_flips += std::popcount(EpisodeSeed(kSeed, 5) ^ EpisodeSeed(kSeed ^ mask, 5));
    episode_flips += std::popcount(EpisodeSeed(kSeed, 5) ^ EpisodeSeed(kSeed, 5 ^ mask));
  }
  EXPECT_NEAR(slot_flips / 64.0, 32.0, 2.0);
  EXPECT_NEAR(episode_flips / 64.0, 32.0, 2.0);
}

// Recorded episodes must stay replayable: the values were computed apart from this code.
TEST(Random, EpisodeSeedIsPinned) {
  EXPECT_EQ(EpisodeSeed(0, 0), 12035550249420947055u);
  EXPECT_EQ(EpisodeSeed(42, 7), 13553200262973777806u);
}

TEST(Random, UniformReadsTwoWordsOfTheBlockAsOneFraction) {
  const std::array<std::uint32_t, 4> block =
      Philox4x32({5, 3, 9, 0}, {0x89abcdef, 0x01234567});  // behind stream, object, step: block 0
  RandomSequence sequence(kSeed, Stream::kDelay, 3, 9);
  const auto expected = [&](int i) {
    const std::uint64_t word = block[2 * i] | std::uint64_t{block[2 * i + 1]} << 32;
    return static_cast<double>(word >> 11) / 9007199254740992.0;
  };
  EXPECT_EQ(sequence.Uniform(), expected(0));
  EXPECT_EQ(sequence.Uniform(), expected(1));
}

TEST(Random, SequenceIsAFunctionOfItsFourNumbers) {
  const auto first = [](std::uint64_t seed, Stream stream, std::uint32_t object,
                        std::uint32_t step) {
    return RandomSequence(seed, stream, object, step).Uniform();
  };
  const double value = first(kSeed, Stream::kGoal, 1, 2);
  EXPECT_EQ(value, first(kSeed, Stream::kGoal, 1, 2));
  EXPECT_NE(value, first(kSeed + 1, Stream::kGoal, 1, 2));
  EXPECT_NE(value, first(kSeed ^ (std::uint64_t{1} << 40), Stream::kGoal, 1, 2));
  EXPECT_NE(value, first(kSeed, Stream::kShape, 1, 2));
  EXPECT_NE(value, first(kSeed, Stream::kGoal, 2, 2));
  EXPECT_NE(value, first(kSeed, Stream::kGoal, 1, 3));
}

TEST(Random, UniformNumbersAreUniform) {
  RandomSequence sequence(kSeed, Stream::kPlacement, 0, 0);
  std::vector<double> sample;
  for (int i = 0; i < kSamples; ++i) sample.push_back(sequence.Uniform());
  EXPECT_GE(*std::min_element(sample.begin(), sample.end()), 0.0);
  EXPECT_LT(*std::max_element(sample.begin(), sample.end()), 1.0);
  EXPECT_LT(KolmogorovStatistic(sample, [](double x) { return x; }), 1.95);
}

TEST(Random, UniformInAnIntervalStaysInside) {
  RandomSequence sequence(kSeed, Stream::kPlacement, 0, 0);
  for (int i = 0; i < 10'000; ++i) {
    const double value = sequence.Uniform(-3.0, 5.0);
    EXPECT_GE(value, -3.0);
    EXPECT_LT(value, 5.0);
  }
}

TEST(Random, IntegersAreEquallyLikelyAndExcludeTheUpperEnd) {
  RandomSequence sequence(kSeed, Stream::kShape, 0, 0);
  constexpr int kCells = 6;
  std::array<int, kCells> counts{};
  for (int i = 0; i < kSamples; ++i) {
    const std::int64_t value = sequence.Integer(-2, -2 + kCells);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, -2 + kCells);
    ++counts[static_cast<std::size_t>(value + 2)];
  }
  const double expected = static_cast<double>(kSamples) / kCells;
  double chi_square = 0.0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 20.5);  // exceeded once in a thousand with 5 degrees of freedom
}

TEST(Random, IntegerCopesWithOneValueAndWithAllOfThem) {
  RandomSequence sequence(kSeed, Stream::kShape, 0, 0);
  EXPECT_EQ(sequence.Integer(7, 8), 7);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t value = sequence.Integer(INT64_MIN, INT64_MAX);
    negative |= value < -(std::int64_t{1} << 62);
    positive |= value > (std::int64_t{1} << 62);
  }
  EXPECT_TRUE(negative);
  EXPECT_TRUE(positive);
}

TEST(Random, NormalNumbersAreNormal) {
  const std::vector<double> sample = Normals(kSeed, Stream::kMotionNoise, 0, 1, kSamples);
  EXPECT_LT(KolmogorovStatistic(sample, NormalCdf), 1.95);
}

TEST(Random, SuccessiveNormalNumbersAreUncorrelated) {
  const std::vector<double> sample = Normals(kSeed, Stream::kMotionNoise, 0, 1, kSamples);
  const std::span<const double> all(sample);
  for (const std::size_t lag : {1, 2, 3}) {
    const double statistic = CorrelationStatistic(all.first(all.size() - lag), all.subspan(lag));
    EXPECT_LT(std::fabs(statistic), 3.5) << lag;
  }
}

TEST(Random, StreamsObjectsStepsAndSeedsAreUncorrelated) {
  constexpr int kCount = 50'000;
  const std::vector<double> base = Normals(kSeed, Stream::kMotionNoise, 4, 1, kCount);
  const std::array<std::vector<double>, 5> others{
      Normals(kSeed, Stream::kBehavior, 4, 1, kCount),
      Normals(kSeed, SensorStream(0), 4, 1, kCount),
      Normals(kSeed, Stream::kMotionNoise, 5, 1, kCount),
      Normals(kSeed, Stream::kMotionNoise, 4, 2, kCount),
      Normals(kSeed + 1, Stream::kMotionNoise, 4, 1, kCount)};
  for (const std::vector<double>& other : others) {
    EXPECT_LT(std::fabs(CorrelationStatistic(base, other)), 3.5);
  }
}

TEST(Random, EachSensorHasItsOwnStream) {
  EXPECT_EQ(SensorStream(0), Stream::kSensor);
  EXPECT_EQ(static_cast<std::uint32_t>(SensorStream(3)), 67u);
}

TEST(FillNormal, NumbersAreNormal) {
  const std::vector<double> sample = ToDouble(Fill(kSamples));
  EXPECT_LT(KolmogorovStatistic(sample, NormalCdf), 1.95);
  double square = 0.0;
  double fourth = 0.0;
  for (const double value : sample) {
    square += value * value / kSamples;
    fourth += value * value * value * value / kSamples;
  }
  EXPECT_NEAR(square, 1.0, 4.0 * std::sqrt(2.0 / kSamples));
  EXPECT_NEAR(fourth, 3.0, 4.0 * std::sqrt(96.0 / kSamples));
}

TEST(FillNormal, TailReachesBeyondFourSigmaOnBothSides) {
  const std::vector<float> sample = Fill(1'000'000);
  const auto beyond = [&](float low, float high) {
    return std::count_if(sample.begin(), sample.end(),
                         [=](float value) { return value > low && value < high; });
  };
  // 1e6 * P(z > 4) = 31.7; three and a half standard deviations around it
  EXPECT_NEAR(static_cast<double>(beyond(4.0f, 7.0f)), 31.7, 20.0);
  EXPECT_NEAR(static_cast<double>(beyond(-7.0f, -4.0f)), 31.7, 20.0);
}

TEST(FillNormal, NeighboursAndPartnersOfAPairAreUncorrelated) {
  const std::vector<double> sample = ToDouble(Fill(kSamples));
  const std::span<const double> all(sample);
  for (const std::size_t lag : {1, 2, 8, 16, 32}) {
    const double statistic = CorrelationStatistic(all.first(all.size() - lag), all.subspan(lag));
    EXPECT_LT(std::fabs(statistic), 3.5) << lag;
  }
}

TEST(FillNormal, DirectionsOfPairsCoverTheWholeCircle) {
  const std::vector<float> sample = Fill(320'000);
  constexpr int kSectors = 16;
  std::array<int, kSectors> counts{};
  constexpr std::size_t kPartner = 8;  // numbers i and i + 8 of a group of 16 come from one pair
  for (std::size_t i = 0; i < sample.size(); i += (i % 16 == 7) ? 9 : 1) {
    const double turn = std::atan2(sample[i + kPartner], sample[i]) / 6.283185307179586 + 0.5;
    ++counts[std::min<std::size_t>(kSectors - 1, static_cast<std::size_t>(turn * kSectors))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

// The oracle: one Philox block at a time and libm in double precision.
TEST(FillNormal, EachNumberIsTheBoxMullerTransformOfItsBlock) {
  const std::vector<float> sample = Fill(200, kSeed, 3, 17, 1);
  for (std::uint32_t i = 0; i < sample.size(); ++i) {
    const std::uint32_t block_index = i / 32 * 8 + i % 8;
    const auto block = Philox4x32({65, 3, 17, (2u << 24) + block_index}, {0x89abcdef, 0x01234567});
    const std::uint32_t half = i % 32 / 16;
    const std::uint32_t radius_word = block[2 * half];
    const std::uint32_t angle_word = block[2 * half + 1];
    const double u = (static_cast<double>(radius_word >> 1) + 0.5) / 2147483648.0;
    const double t = static_cast<std::int32_t>(angle_word) / 4294967296.0 * 1.5707963267948966;
    const double x = std::cos(t) * (angle_word & 2 ? -1.0 : 1.0);
    const bool wants_x = (i % 16 < 8) == ((angle_word & 1) == 0);
    const double expected = std::sqrt(-2.0 * std::log(u)) * (wants_x ? x : std::sin(t));
    EXPECT_NEAR(sample[i], expected, 2e-6) << i;
  }
}

TEST(FillNormal, ElementDoesNotDependOnTheLengthOfTheFill) {
  const std::vector<float> all = Fill(1000);
  for (const std::size_t count : {0, 1, 7, 31, 32, 33, 180, 999}) {
    const std::vector<float> part = Fill(count);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin())) << count;
  }
}

TEST(FillNormal, WritesNothingBeyondItsSpan) {
  std::array<float, 48> out;
  out.fill(99.0f);
  FillNormal(kSeed, SensorStream(0), 0, 0, 0, std::span<float>(out).subspan(1, 37));
  EXPECT_EQ(out[0], 99.0f);
  EXPECT_EQ(out[38], 99.0f);
  EXPECT_NE(out[37], 99.0f);
}

TEST(FillNormal, LanesObjectsStepsAndSeedsAreUncorrelated) {
  constexpr std::size_t kCount = 50'000;
  const std::vector<double> base = ToDouble(Fill(kCount));
  for (const auto& other :
       {Fill(kCount, kSeed, 3, 17, 1), Fill(kCount, kSeed, 3, 17, 2), Fill(kCount, kSeed, 4, 17, 0),
        Fill(kCount, kSeed, 3, 18, 0), Fill(kCount, kSeed + 1, 3, 17, 0)}) {
    EXPECT_LT(std::fabs(CorrelationStatistic(base, ToDouble(other))), 3.5);
  }
}

TEST(FillNormal, LanesOfLongFillsDoNotRunIntoEachOther) {
  // 1e6 numbers take 250 000 of the 2^24 blocks of a lane
  const std::vector<float> first = Fill(1'000'000, kSeed, 3, 17, 0);
  const std::vector<float> second = Fill(64, kSeed, 3, 17, 1);
  EXPECT_EQ(std::search(first.begin(), first.end(), second.begin(), second.end()), first.end());
}

// One number over all bits: the same for every optimisation level, sanitizer and CPU.
TEST(FillNormal, NumbersAreTheSameBitsInEveryBuild) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const float value : Fill(100'000)) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 1099511628211u;
  }
  for (const double value : Normals(kSeed, Stream::kMotionNoise, 1, 1, 10'000)) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u;
  }
  EXPECT_EQ(hash, 6114845948334980906u);
}

}  // namespace
}  // namespace planarium
