#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace planarium {

/// A few threads for work too long for gRPC's own ones, which must stay free to move bytes. Tasks
/// start in order of arrival.
class Executor {
 public:
  explicit Executor(int threads);
  /// Finishes the queued tasks first.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  void Post(std::function<void()> task);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace planarium
