#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "physics/math.h"
#include "physics/random.h"
#include "physics/ray_caster.h"
#include "physics/ray_kernel.h"
#include "tests/testing/reference_lidar.h"

namespace planarium {
namespace {

using testing::ReferenceCast;
using testing::ReferenceHit;
using testing::ReferenceScanner;

// Promise of the ray caster: error relative to the range.
constexpr double kTolerance = 2e-5;
// Float directions and vertices are exact to this angle [rad]: a beam that near to an end of a
// wall, or to the rim of a circle, may be cast to either side of it.
constexpr double kFloatAngle = 4e-7;

// Where and how a random scan is taken.
struct Recipe {
  std::string name{};
  double fan = kTwoPi;
  int number = 100;
  double range_max = 10.0;
  double jitter = 0.0;  // [rad] standard deviation
  double far = 0.0;     // [m] distance of the whole scene from the world origin
  double reach = 12.0;  // [m] half size of the scene
  bool circles = true;
};

struct RandomScene {
  RayScene scene;
  Pose2 pose;
  std::vector<float> jitter;
};

// Walls from 1 cm to 20 m, notched squares, discs from 3 cm to 10 m; the scanner anywhere among
// them.
RandomScene MakeScene(const Recipe& recipe, std::uint32_t index) {
  RandomSequence random(1, Stream::kEvent, index, 0);
  RandomScene made;
  const auto somewhere = [&] {
    return Vec2{recipe.far + random.Uniform(-recipe.reach, recipe.reach),
                -recipe.far + random.Uniform(-recipe.reach, recipe.reach)};
  };
  std::int32_t owner = 0;
  for (auto left = random.Integer(0, 40); left > 0; --left) {
    const Vec2 a = somewhere();
    const SinCosPair d = SinCos(random.Uniform(-kPi, kPi));
    const double length = std::pow(10.0, random.Uniform(-2.0, 1.3));
    made.scene.AddSegment(a, a + length * Vec2{d.cos, d.sin}, owner++);
  }
  for (auto left = random.Integer(0, 6); left > 0; --left) {
    const Vec2 c = somewhere();
    const double h = random.Uniform(0.2, 2.0);
    // A notched square, either way round: the near side hides the far side of concave bodies too.
    std::vector<Vec2> ring{c + Vec2{-h, -h}, c + Vec2{h, -h}, c + Vec2{0.3 * h, 0.1 * h},
                           c + Vec2{h, h}, c + Vec2{-h, h}};
    if (random.Integer(0, 2) == 0) std::ranges::reverse(ring);
    made.scene.AddChain(ring, true, owner++);
  }
  for (auto left = recipe.circles ? random.Integer(0, 10) : 0; left > 0; --left) {
    made.scene.AddCircle(somewhere(), std::pow(10.0, random.Uniform(-1.5, 1.0)), owner++);
  }
  const Vec2 at = somewhere();
  made.pose = {at.x, at.y, random.Uniform(-kPi, kPi)};
  if (recipe.jitter > 0.0) {
    for (int i = 0; i < recipe.number; ++i) {
      made.jitter.push_back(static_cast<float>(recipe.jitter * random.Normal()));
    }
  }
  return made;
}

struct Hits {
  std::vector<float> range;
  std::vector<std::int32_t> owner;
};

Hits Cast(const Recipe& recipe, const RandomScene& made, const RayKernel* kernel) {
  const auto number = static_cast<std::size_t>(recipe.number);
  Hits hits{std::vector<float>(number), std::vector<std::int32_t>(number)};
  RayScratch scratch;
  scratch.kernel = kernel;
  const RayScene* const scenes[] = {&made.scene};
  CastRays(BeamTable(recipe.fan, recipe.number),
           {{made.pose.x, made.pose.y}, SinCos(made.pose.theta), recipe.range_max, made.jitter},
           scenes, scratch, {hits.range, hits.owner});
  return hits;
}

// True when range and owner are those of the oracle.
bool Agrees(const ReferenceHit& expected, float range, std::int32_t owner, double range_max) {
  const double error = std::abs(static_cast<double>(range) - expected.range);
  if (error > kTolerance * expected.range) return false;
  // At the very end of the range, hit and miss are the same distance.
  return owner == expected.owner || expected.range > range_max * (1.0 - 1e-6);
}

// True when the oracle gives this owner, and a range on either side of this one, to beams that are
// turned by no more than the float angle.
bool AgreesNearby(const ReferenceScanner& scanner, double angle,
                  std::span<const RayScene* const> scenes, float range, std::int32_t owner) {
  double low = HUGE_VAL;
  double high = 0.0;
  bool owns = false;
  for (const double shift : {-kFloatAngle, 0.0, kFloatAngle}) {
    const ReferenceHit hit = ReferenceCast(scanner, angle + shift, scenes);
    low = std::min(low, hit.range);
    high = std::max(high, hit.range);
    owns = owns || hit.owner == owner;
  }
  const auto value = static_cast<double>(range);
  return owns && low * (1.0 - kTolerance) <= value && value <= high * (1.0 + kTolerance);
}

// Compares one scan with the oracle; returns the number of beams that needed the float angle.
int ExpectOracle(const BeamTable& beams, const RandomScene& made, double range_max,
                 const Hits& hits) {
  const ReferenceScanner scanner{made.pose, range_max};
  const RayScene* const scenes[] = {&made.scene};
  int near_an_end = 0;
  for (std::size_t i = 0; i < hits.range.size(); ++i) {
    const double jitter = made.jitter.empty() ? 0.0 : static_cast<double>(made.jitter[i]);
    const double angle = beams.angles()[i] + jitter;
    const ReferenceHit expected = ReferenceCast(scanner, angle, scenes);
    if (Agrees(expected, hits.range[i], hits.owner[i], range_max)) continue;
    ++near_an_end;
    EXPECT_TRUE(AgreesNearby(scanner, angle, scenes, hits.range[i], hits.owner[i]))
        << "beam " << i << ": " << hits.range[i] << " of " << hits.owner[i] << ", expected "
        << expected.range << " of " << expected.owner;
  }
  return near_an_end;
}

class RayOracle : public ::testing::TestWithParam<Recipe> {};

TEST_P(RayOracle, RangesAndOwnersAreThoseOfTheScalarDoubleReference) {
  const Recipe& recipe = GetParam();
  const BeamTable beams(recipe.fan, recipe.number);
  constexpr std::uint32_t kScenes = 400;
  int near_an_end = 0;
  for (std::uint32_t index = 0; index < kScenes; ++index) {
    SCOPED_TRACE("scene " + std::to_string(index));
    const RandomScene made = MakeScene(recipe, index);
    near_an_end += ExpectOracle(beams, made, recipe.range_max, Cast(recipe, made, nullptr));
  }
  // The excuse may be needed once in ten thousand beams, no more.
  EXPECT_LE(near_an_end, 1 + static_cast<int>(kScenes) * recipe.number / 10000);
}

// The wide kernels of this CPU.
std::vector<const RayKernel*> WideKernels() {
  std::vector<const RayKernel*> kernels;
  if (__builtin_cpu_supports("avx2")) kernels.push_back(&kAvx2RayKernel);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    kernels.push_back(&kAvx512RayKernel);
  }
  return kernels;
}

void ExpectSameBits(const Hits& plain, const Hits& wide) {
  ASSERT_EQ(plain.owner, wide.owner);
  ASSERT_EQ(std::memcmp(plain.range.data(), wide.range.data(), 4 * plain.range.size()), 0);
}

TEST_P(RayOracle, AllKernelsGiveTheSameBits) {
  const auto kernels = WideKernels();
  if (kernels.empty()) GTEST_SKIP() << "no AVX2 on this CPU";
  const Recipe& recipe = GetParam();
  for (std::uint32_t index = 0; index < 1000; ++index) {
    const RandomScene made = MakeScene(recipe, index);
    const Hits plain = Cast(recipe, made, &kPlainRayKernel);
    for (const RayKernel* kernel : kernels) {
      SCOPED_TRACE(kernel->name);
      SCOPED_TRACE(index);
      ASSERT_NO_FATAL_FAILURE(ExpectSameBits(plain, Cast(recipe, made, kernel)));
    }
  }
}

TEST_P(RayOracle, AllKernelsReadTheSame) {
  const Recipe& recipe = GetParam();
  const Hits cast = Cast(recipe, MakeScene(recipe, 0), nullptr);
  const auto range_max = static_cast<float>(recipe.range_max);
  const float range_min = 0.3F * range_max;
  std::vector<const RayKernel*> kernels = WideKernels();
  kernels.push_back(&kPlainRayKernel);
  for (const RayKernel* kernel : kernels) {
    Hits hits = cast;
    // Noise may carry a hit to either side, and onto the limits.
    for (std::size_t i = 0; i < hits.range.size(); i += 5) hits.range[i] = range_max * 1.25F;
    for (std::size_t i = 1; i < hits.range.size(); i += 7) hits.range[i] = -0.1F;
    for (std::size_t i = 2; i < hits.range.size(); i += 9) hits.range[i] = range_min;
    const std::vector<float> before = hits.range;
    std::vector<std::uint8_t> valid(before.size(), 9);
    GateHits(range_min, range_max, {hits.range, hits.owner, valid}, kernel);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool measured = before[i] >= range_min && before[i] <= range_max;
      ASSERT_EQ(valid[i], hits.owner[i] >= 0 && measured ? 1 : 0) << kernel->name << " beam " << i;
      ASSERT_EQ(hits.range[i], std::clamp(before[i], range_min, range_max)) << kernel->name;
    }
  }
}

TEST_P(RayOracle, ReadingsInOnePassAreTheGatedDistances) {
  const Recipe& recipe = GetParam();
  const RandomScene made = MakeScene(recipe, 0);
  const double range_min = 0.3 * recipe.range_max;
  Hits gated = Cast(recipe, made, &kPlainRayKernel);
  std::vector<std::uint8_t> valid(gated.range.size());
  GateHits(range_min, recipe.range_max, {gated.range, gated.owner, valid}, &kPlainRayKernel);
  std::vector<const RayKernel*> kernels = WideKernels();
  kernels.push_back(&kPlainRayKernel);
  for (const RayKernel* kernel : kernels) {
    SCOPED_TRACE(kernel->name);
    Hits hits{std::vector<float>(valid.size()), std::vector<std::int32_t>(valid.size())};
    std::vector<std::uint8_t> hits_valid(valid.size(), 9);
    RayScratch scratch;
    scratch.kernel = kernel;
    const RayScene* const scenes[] = {&made.scene};
    CastRays(BeamTable(recipe.fan, recipe.number),
             {{made.pose.x, made.pose.y},
              SinCos(made.pose.theta),
              recipe.range_max,
              made.jitter,
              range_min},
             scenes, scratch, {hits.range, hits.owner, hits_valid});
    ASSERT_NO_FATAL_FAILURE(ExpectSameBits(gated, hits));
    ASSERT_EQ(hits_valid, valid);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scans, RayOracle,
    ::testing::Values(
        Recipe{.name = "FullCircle"}, Recipe{.name = "FullCircleDense", .number = 720},
        Recipe{.name = "AlmostFullCircle", .fan = 6.28, .number = 360},
        Recipe{.name = "HalfFan", .fan = kPi, .number = 181},
        Recipe{.name = "TinyFan", .fan = 1e-3, .number = 25},
        Recipe{.name = "NoFan", .fan = 0.0, .number = 9}, Recipe{.name = "TwoBeams", .number = 2},
        Recipe{.name = "SingleBeam", .number = 1},
        Recipe{.name = "LongRange", .range_max = 200.0, .reach = 60.0},
        Recipe{.name = "ShortRange", .number = 64, .range_max = 1.5},
        Recipe{.name = "FarAway", .far = 1e6}, Recipe{.name = "SegmentsOnly", .circles = false},
        Recipe{.name = "Crowded", .number = 200, .reach = 3.0},
        Recipe{.name = "Jittered", .fan = kPi, .number = 180, .jitter = 0.1},
        Recipe{.name = "JitteredFullCircle", .number = 97, .jitter = 0.1},
        Recipe{.name = "WildJitter", .number = 50, .jitter = 20.0}),
    [](const auto& test) { return test.param.name; });

// Scanners close to long walls and large circles, with beams aimed along them.
TEST(RayOracleEdges, GrazingBeamsKeepThePromise) {
  const Recipe recipe{.name = "Grazing", .number = 73, .range_max = 40.0};
  const BeamTable beams(recipe.fan, recipe.number);
  for (std::uint32_t index = 0; index < 3000; ++index) {
    RandomSequence random(2, Stream::kEvent, index, 0);
    const double gap = std::pow(10.0, random.Uniform(-7.0, 0.0));
    const double angle = std::pow(10.0, random.Uniform(-6.0, -0.5));
    const auto beam = static_cast<std::size_t>(random.Integer(0, recipe.number));
    if (std::abs(angle - gap / 30.0) < kFloatAngle) continue;  // at the very end of the wall
    RandomScene made;
    made.scene.AddSegment({-30, gap}, {30, gap}, 0);
    made.scene.AddCircle({0, -5.0 - gap}, 5.0, 1);
    made.pose = {0, 0, (index % 2 == 0 ? angle : -angle) - beams.angles()[beam]};
    const RayScene* const scenes[] = {&made.scene};
    const ReferenceHit expected =
        ReferenceCast({made.pose, recipe.range_max}, beams.angles()[beam], scenes);
    const Hits hits = Cast(recipe, made, nullptr);
    EXPECT_NEAR(hits.range[beam], expected.range, kTolerance * expected.range)
        << "gap " << gap << ", angle " << angle;
    EXPECT_EQ(hits.owner[beam], expected.owner);
  }
}

TEST(ReferenceLidar, PolygonCirclesAreThoseOfTheSpecification) {
  RayScene scene;
  scene.AddCircle({3, 0}, 1.0, 0);
  const RayScene* const scenes[] = {&scene};
  const ReferenceScanner scanner{.circles = testing::CircleModel::kPolygon64};
  const double degrees[] = {0, 5, 10, 15, 19, 19.4};
  const double expected[] = {2.000000000, 2.024147144, 2.101707771,
                             2.269449276, 2.627638552, 2.755762338};
  for (int i = 0; i < 6; ++i) {
    const double angle = degrees[i] * kPi / 180.0;
    EXPECT_NEAR(ReferenceCast(scanner, angle, scenes).range, expected[i], 1e-8);
  }
}

TEST(ReferenceLidar, CanLookForOneOwnerOnly) {
  RayScene scene;
  scene.AddCircle({3, 0}, 1.0, 0);
  scene.AddCircle({6, 0}, 1.0, 1);
  const RayScene* const scenes[] = {&scene};
  EXPECT_EQ(ReferenceCast({.only_owner = 1}, 0.0, scenes).range, 5.0);
}

}  // namespace
}  // namespace planarium
