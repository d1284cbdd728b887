// A stepping process for paired measurements: the peer scripts run one of our blocks, then one of
// the peer's, and so on.
//
// usage: step_blocks SCENE                    prints the world file of a scene and ends
//        step_blocks SCENE WORLDS THREADS     for each line "SECONDS" on standard input: steps for
//        about that long, then prints
//                                             "NANOSECONDS_PER_WORLD_STEP WORLD_STEPS"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "benchmarks/batch.h"

namespace planarium {
namespace {

using Clock = std::chrono::steady_clock;

const BenchScene* FindScene(const char* name) {
  for (const BenchScene& scene : kBenchScenes) {
    if (std::strcmp(scene.name, name) == 0) return &scene;
  }
  return nullptr;
}

void RunBlock(BenchBatch& batch, std::size_t worlds, double seconds) {
  const auto start = Clock::now();
  std::size_t steps = 0;
  double spent = 0.0;
  while (spent < seconds) {
    batch.Step();
    steps += worlds;
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::printf("%.3f %zu\n", spent * 1e9 / static_cast<double>(steps), steps);
  std::fflush(stdout);
}

}  // namespace
}  // namespace planarium

int main(int argc, char** argv) {
  const planarium::BenchScene* scene = argc > 1 ? planarium::FindScene(argv[1]) : nullptr;
  if (scene == nullptr || (argc != 2 && argc != 4)) {
    std::fprintf(stderr, "usage: step_blocks SCENE [WORLDS THREADS]; scenes:");
    for (const auto& known : planarium::kBenchScenes) std::fprintf(stderr, " %s", known.name);
    std::fprintf(stderr, "\n");
    return 64;
  }
  if (argc == 2) {
    std::fputs(scene->scenario().c_str(), stdout);
    return 0;
  }
  const auto worlds = static_cast<std::size_t>(std::atol(argv[2]));
  planarium::BenchBatch batch(*scene, worlds, std::atoi(argv[3]));
  for (int k = 0; k < 5; ++k) batch.Step();
  double seconds = 0.0;
  while (std::cin >> seconds) planarium::RunBlock(batch, worlds, seconds);
  return 0;
}
