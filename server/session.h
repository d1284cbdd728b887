#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "env/vector_env.h"
#include "planarium/v1/planarium.pb.h"
#include "server/memory_budget.h"
#include "server/reply.h"

namespace planarium {

/// Time since some fixed moment; never jumps. Tests bring their own.
using Clock = std::function<std::chrono::nanoseconds()>;
Clock SteadyClock();

/// Who writes to a batch: the number of an Attach stream, or a unary call.
using WriterId = std::uint64_t;
inline constexpr WriterId kUnaryWriter = 0;

/// A finished reply, shared by the batch (which keeps the last one) and the transport.
using ReplyRef = std::shared_ptr<const Reply>;

struct SessionOptions {
  std::chrono::nanoseconds lease{};
  ReplyPlan plan;
  Clock clock;
  v1::BatchSpec spec;  ///< what DescribeBatch answers
};

/// One client-owned batch: its worlds, its place in the sequence of requests, its writer and its
/// lease. All methods may be called from any thread; one mutex serialises them, so a call waits for
/// a running step. Methods throw RequestError and then have changed nothing.
class Session {
 public:
  Session(SessionOptions options, std::unique_ptr<VectorEnv> env,
          std::unique_ptr<MemoryBudget::Hold> memory);

  const v1::BatchSpec& spec() const { return options_.spec; }
  const std::string& id() const { return options_.spec.batch_id(); }

  /// Makes a stream the only writer and returns its next sequence number. While a stream is
  /// attached the lease does not run out: the transport's keepalive notices a dead client.
  std::uint64_t Attach(WriterId stream, const std::string& owner);
  void Detach(WriterId stream);

  ReplyRef Step(v1::StepRequest request, WriterId writer);
  ReplyRef Reset(v1::ResetRequest request, WriterId writer);

  /// Looks at the worlds between steps. REQUIRES (else FAILED_PRECONDITION): Reset was called.
  void Inspect(const std::function<void(const VectorEnv&)>& look);

  /// Begins the lease anew.
  void Touch();
  /// Frees the worlds when the lease is over and nothing runs; true when it did.
  bool CloseIfExpired();
  /// Frees the worlds at once, after a running step. Later calls get NOT_FOUND.
  void Close();

  /// Recent duration of a step, to decide where to run the next one.
  std::chrono::nanoseconds step_time() const { return std::chrono::nanoseconds(step_ns_.load()); }

 private:
  // The functions below need mutex_.
  void RequireOpen() const;
  void RequireWriter(WriterId writer);
  std::string HolderText() const;
  template <typename Request>
  ReplyRef FindRepeated(const Request& request, const Request& last, bool same_kind) const;
  std::shared_ptr<Reply> AcquireReply();
  void Commit(std::shared_ptr<Reply> reply, std::uint64_t seq, std::chrono::nanoseconds simulated);
  void CloseLocked();

  const SessionOptions options_;
  std::atomic<std::int64_t> lease_end_;  // [ns] on the clock
  std::atomic<std::int64_t> step_ns_;    // moving average

  std::mutex mutex_;
  std::unique_ptr<VectorEnv> env_;  // null once closed
  std::unique_ptr<MemoryBudget::Hold> memory_;
  std::shared_ptr<ReplyPool> replies_;
  bool was_reset_ = false;

  WriterId writer_ = kUnaryWriter;  // attached stream
  std::string writer_owner_;
  std::chrono::nanoseconds writer_active_{};  // when it last sent something

  std::uint64_t last_seq_ = 0;
  v1::ClientFrame last_request_;  // of last_reply_
  ReplyRef last_reply_;           // null when there is nothing to repeat
};

}  // namespace planarium
