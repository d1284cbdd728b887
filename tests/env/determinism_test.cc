#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <numeric>
#include <ostream>

#include "env/task_presets.h"
#include "physics/random.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kLargest = 130;  // still more than one block of worlds
#else
constexpr std::size_t kLargest = 1024;
#endif

constexpr std::uint64_t kSeed = 77;
constexpr int kEpisodes = 2;       // whole episodes that are compared
constexpr int kEpisodeSteps = 25;  // longest episode
// Two episodes and their reset rows fit.
constexpr int kCalls = kEpisodes * (kEpisodeSteps + 1);

// FNV-1a over the bits of values.
class Hash {
 public:
  void Add(float value) { AddBits(std::bit_cast<std::uint32_t>(value)); }
  void AddBits(std::uint64_t bits) {
    for (int k = 0; k < 8; ++k) value_ = (value_ ^ (bits >> (8 * k) & 0xff)) * 0x100000001b3ULL;
  }
  void Add(std::span<const float> row) {
    for (const float value : row) Add(value);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

struct Scene {
  const char* name;
  std::string world;
  std::string_view preset;
};

struct Variant {
  std::size_t worlds = 1;
  int threads = 1;
  Autoreset autoreset = Autoreset::kNextStep;
  bool reversed = false;  // slot seeds in reverse order
};

// The action of a transition: a function of slot seed, episode and step.
void WriteAction(std::uint64_t seed, std::uint64_t episode, int step, std::span<float> action) {
  RandomSequence random(EpisodeSeed(seed, episode), Stream::kCurriculum, 0,
                        static_cast<std::uint32_t>(step));
  for (float& value : action) value = static_cast<float>(random.Uniform(-1.0, 1.0));
}

// What one slot has shown so far.
struct Transcript {
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;
  int step = 0;
  Hash hash;
  bool awaits_reset = false;
};

class Recorder {
 public:
  Recorder(const Scene& scene, const Variant& variant) : variant_(variant) {
    Task task = TaskPreset(scene.preset);
    task.max_steps = kEpisodeSteps;
    VectorEnvOptions options;
    options.threads = variant.threads;
    options.autoreset = variant.autoreset;
    for (std::size_t i = 0; i < variant.worlds; ++i) {
      options.slot_seeds.push_back(kSeed + (variant.reversed ? variant.worlds - 1 - i : i));
    }
    slots_.resize(variant.worlds);
    for (std::size_t i = 0; i < variant.worlds; ++i) slots_[i].seed = options.slot_seeds[i];
    batch_ = std::make_unique<Batch>(scenes::Load(scene.world), variant.worlds, task, options);
  }

  // Hash of the first episodes of every slot, by slot seed.
  std::map<std::uint64_t, std::uint64_t> Run() {
    EXPECT_EQ(batch_->Reset(), std::nullopt);
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].hash.Add(batch_->row(i));
    for (int k = 0; k < kCalls; ++k) Step();
    std::map<std::uint64_t, std::uint64_t> out;
    for (const Transcript& slot : slots_) {
      EXPECT_GE(slot.episode, static_cast<std::uint64_t>(kEpisodes)) << "not finished";
      out[slot.seed] = slot.hash.value();
    }
    return out;
  }

 private:
  void Step() {
    if (variant_.autoreset == Autoreset::kDisabled) ResetDoneSlots();
    std::vector<float> actions(batch_->size() * batch_->action_width);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      WriteAction(slots_[i].seed, slots_[i].episode, slots_[i].step,
                  std::span(actions).subspan(i * batch_->action_width, batch_->action_width));
    }
    ASSERT_EQ(batch_->Step(actions), std::nullopt);
    const auto final_rows = FinalRows();
    for (std::size_t i = 0; i < slots_.size(); ++i) Record(i, final_rows);
  }

  std::map<std::size_t, std::span<const float>> FinalRows() const {
    std::map<std::size_t, std::span<const float>> rows;
    const EpisodeEnds ends = batch_->env.results().ends;
    if (ends.final_observations.empty()) return rows;
    for (std::size_t k = 0; k < ends.slots.size(); ++k) {
      rows[static_cast<std::size_t>(ends.slots[k])] =
          ends.final_observations.subspan(k * batch_->width, batch_->width);
    }
    return rows;
  }

  void ResetDoneSlots() {
    std::vector<std::uint8_t> mask(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) mask[i] = slots_[i].awaits_reset ? 1 : 0;
    if (std::accumulate(mask.begin(), mask.end(), 0) == 0) return;
    ASSERT_EQ(batch_->Reset(SelectSlots(mask)), std::nullopt);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (mask[i] != 0) AddFirst(slots_[i], batch_->row(i));
    }
  }

  static void AddFirst(Transcript& slot, std::span<const float> row) {
    slot.awaits_reset = false;
    if (slot.episode < kEpisodes) slot.hash.Add(row);
  }

  void Record(std::size_t i, const std::map<std::size_t, std::span<const float>>& final_rows) {
    Transcript& slot = slots_[i];
    if (slot.awaits_reset) {
      AddFirst(slot, batch_->row(i));  // a reset row
      return;
    }
    const bool done = batch_->terminated[i] != 0 || batch_->truncated[i] != 0;
    const auto final_row = final_rows.find(i);
    const bool same_step = done && final_row != final_rows.end();
    if (slot.episode < kEpisodes) {
      slot.hash.Add(same_step ? final_row->second : batch_->row(i));
      slot.hash.Add(batch_->rewards[i]);
      slot.hash.AddBits(batch_->terminated[i] + 2U * batch_->truncated[i]);
    }
    ++slot.step;
    if (!done) return;
    ++slot.episode;
    slot.step = 0;
    slot.awaits_reset = true;
    if (same_step) AddFirst(slot, batch_->row(i));
  }

  Variant variant_;
  std::vector<Transcript> slots_;
  std::unique_ptr<Batch> batch_;
};

class Determinism : public testing::TestWithParam<Scene> {
 protected:
  std::map<std::uint64_t, std::uint64_t> Run(const Variant& variant) const {
    return Recorder(GetParam(), variant).Run();
  }
  // Every slot of the variant shows what the same slot shows in one large batch on one thread.
  void ExpectSame(const Variant& variant) const {
    for (const auto& [seed, hash] : Run(variant)) {
      ASSERT_EQ(hash, Expected().at(seed)) << "slot seed " << seed;
    }
  }
  const std::map<std::uint64_t, std::uint64_t>& Expected() const {
    static std::map<std::string, std::map<std::uint64_t, std::uint64_t>> known;
    auto& expected = known[GetParam().name];
    if (expected.empty()) expected = Run({kLargest});
    return expected;
  }
};
INSTANTIATE_TEST_SUITE_P(Scenes, Determinism,
                         testing::Values(Scene{"Reference", scenes::Reference(), "default"},
                                         Scene{"Navigation", scenes::Navigation(), "drl_nav"}),
                         [](const auto& at) { return std::string(at.param.name); });
void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

TEST_P(Determinism, SlotsDiffer) {
  if (std::string(GetParam().name) == "Reference") {
    // Nothing is drawn there: slots differ by their actions.
    EXPECT_NE(Expected().at(kSeed), Expected().at(kSeed + 1));
  }
  std::map<std::uint64_t, int> seen;
  for (const auto& [seed, hash] : Expected()) ++seen[hash];
  EXPECT_EQ(seen.size(), kLargest);
}

TEST_P(Determinism, TheSameBatchTwiceIsTheSame) { ExpectSame({65}); }

TEST_P(Determinism, HoldsForEveryNumberOfThreads) {
  for (const int threads : {2, 3, 8}) {
    SCOPED_TRACE(threads);
    ExpectSame({kLargest, threads});
  }
}

TEST_P(Determinism, HoldsForEveryBatchSize) {
  for (const std::size_t worlds : {1, 7, 64}) {
    SCOPED_TRACE(worlds);
    ExpectSame({worlds});
  }
}

TEST_P(Determinism, HoldsForEveryOrderOfSlots) {
  for (const int threads : {1, 3}) ExpectSame({130, threads, Autoreset::kNextStep, true});
}

TEST_P(Determinism, HoldsForEveryAutoresetMode) {
  for (const int threads : {1, 2}) {
    ExpectSame({70, threads, Autoreset::kSameStep});
    ExpectSame({70, threads, Autoreset::kDisabled, true});
  }
}

}  // namespace
}  // namespace planarium
