#pragma once

#include "planarium/v1/planarium.grpc.pb.h"
#include "server/attach_reactor.h"
#include "server/executor.h"
#include "server/service.h"

namespace planarium {

// Bulk calls are raw: their replies are assembled by hand (reply.h). The rest is typed.
using BulkCalls =
    v1::Planarium::WithRawCallbackMethod_Attach<v1::Planarium::WithRawCallbackMethod_Step<
        v1::Planarium::WithRawCallbackMethod_Reset<v1::Planarium::Service>>>;
using ScenarioCalls = v1::Planarium::WithCallbackMethod_GetServerInfo<
    v1::Planarium::WithCallbackMethod_ValidateScenario<
        v1::Planarium::WithCallbackMethod_RegisterScenario<BulkCalls>>>;
using BatchCalls = v1::Planarium::WithCallbackMethod_CreateBatch<
    v1::Planarium::WithCallbackMethod_DescribeBatch<v1::Planarium::WithCallbackMethod_ListBatches<
        v1::Planarium::WithCallbackMethod_DestroyBatch<ScenarioCalls>>>>;
using AllCalls = v1::Planarium::WithCallbackMethod_Render<
    v1::Planarium::WithCallbackMethod_GetWorldState<BatchCalls>>;

/// PlanariumService on gRPC: each call is handed to the executor and answered from there.
class RpcService final : public AllCalls {
 public:
  /// Both outlive the calls.
  RpcService(PlanariumService* service, Executor* executor)
      : service_(service), executor_(executor) {}

  void DrainStreams() { streams_.DrainAll(); }

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const v1::ServerInfoRequest* request,
                                          v1::ServerInfo* reply) override;
  grpc::ServerUnaryReactor* ValidateScenario(grpc::CallbackServerContext* context,
                                             const v1::ScenarioSource* request,
                                             v1::ScenarioReport* reply) override;
  grpc::ServerUnaryReactor* RegisterScenario(grpc::CallbackServerContext* context,
                                             const v1::ScenarioSource* request,
                                             v1::ScenarioHandle* reply) override;
  grpc::ServerUnaryReactor* CreateBatch(grpc::CallbackServerContext* context,
                                        const v1::CreateBatchRequest* request,
                                        v1::BatchSpec* reply) override;
  grpc::ServerUnaryReactor* DescribeBatch(grpc::CallbackServerContext* context,
                                          const v1::BatchRef* request,
                                          v1::BatchSpec* reply) override;
  grpc::ServerUnaryReactor* ListBatches(grpc::CallbackServerContext* context,
                                        const v1::ListBatchesRequest* request,
                                        v1::BatchList* reply) override;
  grpc::ServerUnaryReactor* DestroyBatch(grpc::CallbackServerContext* context,
                                         const v1::BatchRef* request,
                                         v1::DestroyBatchReply* reply) override;
  grpc::ServerUnaryReactor* Render(grpc::CallbackServerContext* context,
                                   const v1::RenderRequest* request, v1::Frame* reply) override;
  grpc::ServerUnaryReactor* GetWorldState(grpc::CallbackServerContext* context,
                                          const v1::WorldStateRequest* request,
                                          v1::WorldState* reply) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Reset(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Step(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Attach(
      grpc::CallbackServerContext* context) override;

 private:
  template <typename Request, typename Reply>
  using Method = Status (PlanariumService::*)(const Request&, Reply*);

  template <typename Request, typename Reply>
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, Method<Request, Reply> method,
                                const Request* request, Reply* reply);

  PlanariumService* const service_;
  Executor* const executor_;
  OpenStreams streams_;
};

}  // namespace planarium
