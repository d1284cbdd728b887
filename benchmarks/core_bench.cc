// World steps per second in one process: scenes x worlds x threads. One iteration is one step of
// the whole batch, with observations, rewards and flags written to rows. Read `world_steps/s`;
// times are of the wall clock.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "env/parallel_for.h"
#include "env/task_presets.h"
#include "env/vector_env.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

/// A batch with its rows and actions: constant, different in every slot, drawn once by a
/// multiplicative hash.
class Batch {
 public:
  Batch(const std::string& scenario, const Task& task, std::size_t worlds, int threads)
      : env_({{scenes::Load(scenario), worlds}}, task,
             {.seed = 1, .slot_seeds = {}, .threads = threads}) {
    const auto width = static_cast<std::size_t>(env_.description().observation_width);
    observations_.resize(worlds * width);
    rewards_.resize(worlds);
    flags_.resize(4 * worlds);
    std::uint8_t* flag = flags_.data();
    part_ = {observations_.data(), rewards_.data(),   flag,
             flag + worlds,        flag + 2 * worlds, flag + 3 * worlds};
    for (std::uint32_t k = 0;
         k < worlds * static_cast<std::size_t>(env_.description().action_width); ++k) {
      actions_.push_back(static_cast<float>(k * 2654435761U) / 2147483648.0F - 1.0F);
    }
    env_.Reset({}, sink());
  }

  void Step() { env_.Step({.actions = actions_}, sink()); }
  std::size_t bytes_per_world() const { return env_.description().bytes_per_world; }

 private:
  RowSink sink() { return {std::span(&part_, 1), env_.description().num_envs}; }

  VectorEnv env_;
  std::vector<float> observations_, rewards_, actions_;
  std::vector<std::uint8_t> flags_;
  PartRows part_;
};

void StepBatch(benchmark::State& state, const std::string& scenario, const char* preset) {
  const auto worlds = static_cast<std::size_t>(state.range(0));
  Batch batch(scenario, TaskPreset(preset), worlds, static_cast<int>(state.range(1)));
  for (int k = 0; k < 5; ++k) batch.Step();
  for (auto _ : state) batch.Step();
  state.counters["world_steps/s"] = benchmark::Counter(
      static_cast<double>(worlds), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/world"] = static_cast<double>(batch.bytes_per_world());
}

void Register(const char* name, const std::string& scenario, const char* preset) {
  auto* bench = benchmark::RegisterBenchmark(
      name, [=](benchmark::State& state) { StepBatch(state, scenario, preset); });
  bench->ArgNames({"worlds", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (const int threads : {1, 2}) {
    for (const int worlds : {1, 64, 1024, 8192}) bench->Args({worlds, threads});
  }
}

}  // namespace
}  // namespace planarium

int main(int argc, char** argv) {
  planarium::Register("REF-100x44", planarium::scenes::Reference(), "default");
  planarium::Register("drl_nav", planarium::scenes::Navigation(), "drl_nav");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
