#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "env/task_presets.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

// Counts every operator new of this program; the array and nothrow forms call these.
namespace {
std::atomic<long> allocations{0};

void* Allocate(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* Allocate(std::size_t bytes, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (bytes + step) / step * step)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes); }
void* operator new[](std::size_t bytes) { return Allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace planarium {
namespace {

constexpr int kSteps = 1000;
constexpr int kWarmUp = 20;

TEST(Counting, SeesAnAllocation) {
  const long before = allocations.load();
  const auto memory = std::make_unique<std::vector<int>>(3);
  EXPECT_EQ(allocations.load() - before, 2);
}

struct Setting {
  Autoreset autoreset;
  int threads;
};

class Allocation : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(
    Settings, Allocation,
    testing::Values(Setting{Autoreset::kNextStep, 1}, Setting{Autoreset::kNextStep, 2},
                    Setting{Autoreset::kSameStep, 1}, Setting{Autoreset::kSameStep, 2},
                    Setting{Autoreset::kDisabled, 1}, Setting{Autoreset::kDisabled, 2}));

// Steps a batch; in mode DISABLED the finished episodes are reset by their mask.
class Driver {
 public:
  Driver(Batch& batch, Autoreset mode)
      : batch_(batch),
        mode_(mode),
        sink_(batch.sink()),
        actions_(batch.size() * batch.action_width),
        mask_(batch.size()) {
    for (std::size_t k = 0; k < actions_.size(); k += 2) {
      actions_[k] = 1.0F;
      actions_[k + 1] = static_cast<float>(k % 7) / 7.0F - 0.4F;
    }
  }

  // Returns the number of episodes that ended.
  std::size_t Run(int steps) {
    std::size_t ended = 0;
    for (int k = 0; k < steps; ++k) {
      if (batch_.env.Step({actions_, nullptr}, sink_)) std::abort();
      ended += batch_.env.results().ends.slots.size();
      if (mode_ == Autoreset::kDisabled && !batch_.env.results().ends.slots.empty()) ResetDone();
    }
    return ended;
  }

 private:
  void ResetDone() {
    for (std::size_t i = 0; i < mask_.size(); ++i) {
      mask_[i] = batch_.terminated[i] | batch_.truncated[i];
    }
    ResetInput input;
    input.mask = mask_;
    if (batch_.env.Reset(input, sink_)) std::abort();
  }

  Batch& batch_;
  Autoreset mode_;
  RowSink sink_;
  std::vector<float> actions_;
  std::vector<std::uint8_t> mask_;
};

TEST_P(Allocation, IsZeroInAThousandSteps) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "that build starts its threads anew in every call";
#endif
  for (const auto& [world, preset] :
       {std::pair{scenes::Navigation(), "drl_nav"}, std::pair{scenes::Reference(), "default"}}) {
    Task task = TaskPreset(preset);
    task.max_steps = 60;
    VectorEnvOptions options;
    options.threads = GetParam().threads;
    options.autoreset = GetParam().autoreset;
    const std::size_t worlds = options.threads == 1 ? 4 : 80;  // few worlds never wake a thread
    Batch batch(scenes::Load(world), worlds, task, options);
    ASSERT_EQ(batch.Reset(), std::nullopt);
    Driver driver(batch, GetParam().autoreset);
    driver.Run(kWarmUp);
    const long before = allocations.load();
    const std::size_t ended = driver.Run(options.threads == 1 ? kSteps : kSteps / 4);
    EXPECT_EQ(allocations.load() - before, 0) << preset;
    EXPECT_GT(ended, 3U) << "resets are part of it";
  }
}

TEST(Allocation, OfABuiltInPolicyIsZeroToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "that build starts its threads anew in every call";
#endif
  Batch batch(scenes::Load(scenes::Navigation()), 4, TaskPreset("drl_nav"));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  const RowSink sink = batch.sink();
  for (const char* policy : {"dash", "rvo"}) {
    const long before = allocations.load();
    for (int k = 0; k < kSteps / 4; ++k) {
      if (batch.env.Step({{}, policy}, sink)) std::abort();
    }
    EXPECT_EQ(allocations.load() - before, 0) << policy;
  }
}

}  // namespace
}  // namespace planarium
