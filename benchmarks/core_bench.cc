// World steps per second in one process: scenes x worlds x threads. One iteration is one step of
// the whole batch, with observations, rewards and flags written to rows. Read `world_steps/s`;
// times are of the wall clock.
#include <benchmark/benchmark.h>

#include "benchmarks/batch.h"

namespace planarium {
namespace {

void StepBatch(benchmark::State& state, const BenchScene& scene) {
  const auto worlds = static_cast<std::size_t>(state.range(0));
  BenchBatch batch(scene, worlds, static_cast<int>(state.range(1)));
  for (int k = 0; k < 5; ++k) batch.Step();
  for (auto _ : state) batch.Step();
  state.counters["world_steps/s"] = benchmark::Counter(
      static_cast<double>(worlds), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/world"] = static_cast<double>(batch.bytes_per_world());
}

void Register(const BenchScene& scene) {
  auto* bench = benchmark::RegisterBenchmark(
      scene.name, [&scene](benchmark::State& state) { StepBatch(state, scene); });
  bench->ArgNames({"worlds", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (const int threads : {1, 2}) {
    for (const int worlds : {1, 64, 1024, 8192}) bench->Args({worlds, threads});
  }
}

}  // namespace
}  // namespace planarium

int main(int argc, char** argv) {
  for (const planarium::BenchScene& scene : planarium::kBenchScenes) planarium::Register(scene);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
