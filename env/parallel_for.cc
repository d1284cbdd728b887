#include "env/parallel_for.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace planarium {
namespace {

// A block of worlds is about 20 us of work: far above the cost of a task, small enough to balance.
constexpr std::size_t kBlockItems = 64;
// Below this the wake-up of a second worker (30 to 40 us) costs more than it brings.
constexpr std::size_t kInlineItems = 64;

}  // namespace

#if defined(__SANITIZE_THREAD__)

struct ParallelFor::Arena {};

ParallelFor::ParallelFor(int threads) : threads_(threads) {}
ParallelFor::~ParallelFor() = default;

void ParallelFor::RunBlocks(std::size_t n, BlockFunction function, const void* body) {
  const auto workers = static_cast<std::size_t>(threads_);
  std::vector<std::jthread> pool;
  for (std::size_t w = 0; w < workers; ++w) {
    pool.emplace_back([=] {
      const std::size_t begin = n * w / workers;
      const std::size_t end = n * (w + 1) / workers;
      if (begin < end) function(body, begin, end, static_cast<int>(w));
    });
  }
}

#else

struct ParallelFor::Arena {
  explicit Arena(int threads) : arena(threads) { arena.initialize(); }
  oneapi::tbb::task_arena arena;
};

ParallelFor::ParallelFor(int threads)
    : threads_(threads), arena_(threads > 1 ? std::make_unique<Arena>(threads) : nullptr) {}
ParallelFor::~ParallelFor() = default;

void ParallelFor::RunBlocks(std::size_t n, BlockFunction function, const void* body) {
  if (arena_ == nullptr || n <= kInlineItems) {
    if (n > 0) function(body, 0, n, 0);
    return;
  }
  namespace tbb = oneapi::tbb;
  arena_->arena.execute([&] {
    // The static partitioner gives the same worker the same worlds in every step: they stay in its
    // cache.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, kBlockItems),
        [&](const tbb::blocked_range<std::size_t>& block) {
          function(body, block.begin(), block.end(), tbb::this_task_arena::current_thread_index());
        },
        tbb::static_partitioner());
  });
}

#endif

namespace {

// cgroup v2 `cpu.max` ("quota period" or "max period"), then v1's two files; 0: no quota.
double CgroupCpus() {
  std::string quota;
  double period = 0.0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    return quota == "max" || period <= 0.0 ? 0.0 : std::stod(quota) / period;
  }
  double quota_us = -1.0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota_us;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return quota_us > 0.0 && period > 0.0 ? quota_us / period : 0.0;
}

}  // namespace

int AvailableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  if (const double quota = CgroupCpus(); quota > 0.0) {
    cores = std::min(cores, static_cast<int>(quota));
  }
  return std::max(cores, 1);
}

}  // namespace planarium
