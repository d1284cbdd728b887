#pragma once

#include "planarium/v1/planarium.grpc.pb.h"
#include "server/attach_reactor.h"
#include "server/executor.h"
#include "server/service.h"

namespace planarium {

// Every call is raw: bulk replies are assembled by hand (reply.h), and bytes that are no message
// are answered by us (the callback API would answer UNIMPLEMENTED).
using ScenarioCalls = v1::Planarium::WithRawCallbackMethod_GetServerInfo<
    v1::Planarium::WithRawCallbackMethod_ValidateScenario<
        v1::Planarium::WithRawCallbackMethod_RegisterScenario<v1::Planarium::Service>>>;
using BatchCalls = v1::Planarium::WithRawCallbackMethod_CreateBatch<
    v1::Planarium::WithRawCallbackMethod_DescribeBatch<
        v1::Planarium::WithRawCallbackMethod_ListBatches<
            v1::Planarium::WithRawCallbackMethod_DestroyBatch<ScenarioCalls>>>>;
using StepCalls =
    v1::Planarium::WithRawCallbackMethod_Attach<v1::Planarium::WithRawCallbackMethod_Step<
        v1::Planarium::WithRawCallbackMethod_Reset<BatchCalls>>>;
using AllCalls = v1::Planarium::WithRawCallbackMethod_Render<
    v1::Planarium::WithRawCallbackMethod_GetWorldState<StepCalls>>;

/// PlanariumService on gRPC: each call is handed to the executor and answered from there.
class RpcService final : public AllCalls {
 public:
  /// Both outlive the calls.
  /// `lookups` answers what never waits for a simulation, however busy `executor` is.
  RpcService(PlanariumService* service, Executor* executor, Executor* lookups)
      : service_(service), executor_(executor), lookups_(lookups) {}

  void DrainStreams() { streams_.DrainAll(); }

  using Context = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;
  using Unary = grpc::ServerUnaryReactor;
  using Parts = grpc::ServerWriteReactor<grpc::ByteBuffer>;
  using Stream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  Unary* GetServerInfo(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* ValidateScenario(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* RegisterScenario(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* CreateBatch(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* DescribeBatch(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* ListBatches(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* DestroyBatch(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* Render(Context* context, const Bytes* request, Bytes* reply) override;
  Unary* GetWorldState(Context* context, const Bytes* request, Bytes* reply) override;
  Parts* Reset(Context* context, const Bytes* request) override;
  Parts* Step(Context* context, const Bytes* request) override;
  Stream* Attach(Context* context) override;

 private:
  template <typename Request, typename Reply>
  using Method = Status (PlanariumService::*)(const Request&, Reply*);

  template <typename Request, typename Reply>
  Unary* Run(Executor* executor, Context* context, Method<Request, Reply> method,
             const Bytes* request, Bytes* reply);

  PlanariumService* const service_;
  Executor* const executor_;
  Executor* const lookups_;
  OpenStreams streams_;
};

}  // namespace planarium
