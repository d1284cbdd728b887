#pragma once

#include <cstddef>
#include <memory>

namespace planarium {

/// The only place with threads below server/: runs a function over blocks of [0, n) on a fixed
/// number of workers. oneTBB inside; under ThreadSanitizer std::jthread, since Debian's libtbb is
/// not instrumented. Results must not depend on which worker runs which block. Run never allocates
/// on the caller's behalf (a template thunk, not std::function).
class ParallelFor {
 public:
  /// REQUIRES: threads >= 1.
  explicit ParallelFor(int threads);
  ~ParallelFor();
  ParallelFor(const ParallelFor&) = delete;
  ParallelFor& operator=(const ParallelFor&) = delete;

  int threads() const { return threads_; }

  /// Calls body(begin, end, worker) for blocks that cover [0, n) once; 0 <= worker < threads();
  /// returns when all are done. Small n runs inline: waking a worker costs more than `kInlineItems`
  /// worlds.
  template <typename Body>
  void Run(std::size_t n, const Body& body) {
    RunBlocks(n, &Thunk<Body>, &body);
  }

 private:
  using BlockFunction = void (*)(const void* body, std::size_t begin, std::size_t end, int worker);

  template <typename Body>
  static void Thunk(const void* body, std::size_t begin, std::size_t end, int worker) {
    (*static_cast<const Body*>(body))(begin, end, worker);
  }

  void RunBlocks(std::size_t n, BlockFunction function, const void* body);

  int threads_;
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

/// Cores that this process may use: affinity mask and cgroup CPU quota, rounded down, at least 1.
int AvailableThreads();

}  // namespace planarium
