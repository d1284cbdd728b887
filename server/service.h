#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "env/scenario_loader.h"
#include "planarium/v1/planarium.pb.h"
#include "server/batch_factory.h"
#include "server/limits.h"
#include "server/scenario_store.h"
#include "server/session_registry.h"
#include "server/status.h"

namespace planarium {

struct ServiceOptions {
  ServerLimits limits;
  int threads = 1;  ///< of a batch that does not ask for a number
  std::string version = "0.0.0";
  Clock clock = SteadyClock();
};

/// The writing end of one Attach stream. Its destruction lets the next writer in and starts the
/// batch's lease; it may wait for a running look at the batch.
class BatchWriter {
 public:
  BatchWriter(std::shared_ptr<Session> session, WriterId stream)
      : session_(std::move(session)), stream_(stream) {}
  ~BatchWriter() { session_->Detach(stream_); }
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  /// Carries out a Step or Reset frame; takes the frame's content.
  Status Handle(v1::ClientFrame* frame, ReplyRef* reply);
  std::chrono::nanoseconds step_time() const { return session_->step_time(); }

 private:
  const std::shared_ptr<Session> session_;
  const WriterId stream_;
};

/// The Planarium service without gRPC: every method may be called from any thread, blocks until it
/// is done, and returns a Status instead of throwing. A refused request changes nothing.
class PlanariumService {
 public:
  explicit PlanariumService(ServiceOptions options);

  Status GetServerInfo(const v1::ServerInfoRequest& request, v1::ServerInfo* reply);
  Status ValidateScenario(const v1::ScenarioSource& request, v1::ScenarioReport* reply);
  Status RegisterScenario(const v1::ScenarioSource& request, v1::ScenarioHandle* reply);
  Status CreateBatch(const v1::CreateBatchRequest& request, v1::BatchSpec* reply);
  Status DescribeBatch(const v1::BatchRef& request, v1::BatchSpec* reply);
  Status ListBatches(const v1::ListBatchesRequest& request, v1::BatchList* reply);
  Status DestroyBatch(const v1::BatchRef& request, v1::DestroyBatchReply* reply);
  Status Reset(v1::ResetRequest request, ReplyRef* reply);
  Status Step(v1::StepRequest request, ReplyRef* reply);
  Status Render(const v1::RenderRequest& request, v1::Frame* reply);
  Status GetWorldState(const v1::WorldStateRequest& request, v1::WorldState* reply);

  /// First frame of an Attach stream: makes the stream the batch's writer.
  Status OpenWriter(const v1::Hello& request, std::unique_ptr<BatchWriter>* writer,
                    v1::Welcome* reply);

  /// Frees the batches whose lease is over. Call it now and then.
  std::size_t ReapExpired();
  /// From now on new work is UNAVAILABLE; what runs is finished.
  void Drain() { draining_ = true; }
  bool draining() const { return draining_; }
  const MemoryBudget& budget() const { return factory_.budget(); }

 private:
  void RequireNotDraining() const;
  void CheckSource(const v1::ScenarioSource& source) const;
  LoadLimits MakeLoadLimits() const;

  const ServiceOptions options_;
  ScenarioStore scenarios_;
  BatchFactory factory_;
  SessionRegistry sessions_;
  std::atomic<bool> draining_{false};
  std::atomic<WriterId> next_stream_{1};
};

}  // namespace planarium
