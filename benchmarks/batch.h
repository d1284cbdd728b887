#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/task_presets.h"
#include "env/vector_env.h"
#include "tests/testing/scenes.h"

namespace planarium {

/// A benchmark scene by the name that results carry: world file text and task preset.
struct BenchScene {
  const char* name;
  std::string (*scenario)();
  const char* preset;
};

inline std::string ReferenceScene() { return scenes::Reference(); }
inline std::string NavigationScene() { return scenes::Navigation(); }

/// Adding a scene is a row here and its text in tests/testing/scenes.cc.
inline const BenchScene kBenchScenes[] = {
    {"REF-100x44", &ReferenceScene, "default"},
    {"drl_nav", &NavigationScene, "drl_nav"},
};

/// A batch with its rows and actions: constant, different in every slot, from a multiplicative
/// hash.
class BenchBatch {
 public:
  BenchBatch(const BenchScene& scene, std::size_t worlds, int threads)
      : env_({{scenes::Load(scene.scenario()), worlds}}, TaskPreset(scene.preset),
             Options(threads)) {
    const auto width = static_cast<std::size_t>(env_.description().observation_width);
    observations_.resize(worlds * width);
    rewards_.resize(worlds);
    flags_.resize(4 * worlds);
    std::uint8_t* flag = flags_.data();
    part_ = {observations_.data(), rewards_.data(),   flag,   flag + worlds,
             flag + 2 * worlds,    flag + 3 * worlds, nullptr};
    const auto actions = worlds * static_cast<std::size_t>(env_.description().action_width);
    for (std::uint32_t k = 0; k < actions; ++k) {
      actions_.push_back(static_cast<float>(k * 2654435761U) / 2147483648.0F - 1.0F);
    }
    env_.Reset({}, sink());
  }

  void Step() { env_.Step({actions_, nullptr}, sink()); }
  std::size_t bytes_per_world() const { return env_.description().bytes_per_world; }

 private:
  static VectorEnvOptions Options(int threads) {
    VectorEnvOptions options;
    options.seed = 1;
    options.threads = threads;
    return options;
  }
  RowSink sink() { return {std::span(&part_, 1), env_.description().num_envs}; }

  VectorEnv env_;
  std::vector<float> observations_, rewards_, actions_;
  std::vector<std::uint8_t> flags_;
  PartRows part_;
};

}  // namespace planarium
