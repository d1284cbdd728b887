#include "server/rpc_service.h"

#include <utility>

#include "server/reply_reactor.h"
#include "server/wire_buffer.h"

namespace planarium {
namespace {

Status Unparsable(const char* message) {
  return {StatusCode::kInvalidArgument,
          std::string("request: these bytes are no ") + message + " message"};
}

}  // namespace

// Request and reply live until the reactor finishes, also when the client has gone.
template <typename Request, typename Reply>
grpc::ServerUnaryReactor* RpcService::Run(grpc::CallbackServerContext* context,
                                          Method<Request, Reply> method, const Request* request,
                                          Reply* reply) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  executor_->Post([service = service_, context, method, request, reply, reactor] {
    if (context->IsCancelled()) {
      reactor->Finish(grpc::Status(grpc::StatusCode::CANCELLED, "client is gone"));
    } else {
      reactor->Finish(ToGrpc((service->*method)(*request, reply)));
    }
  });
  return reactor;
}

grpc::ServerUnaryReactor* RpcService::GetServerInfo(grpc::CallbackServerContext* context,
                                                    const v1::ServerInfoRequest* request,
                                                    v1::ServerInfo* reply) {
  return Run(context, &PlanariumService::GetServerInfo, request, reply);
}

grpc::ServerUnaryReactor* RpcService::ValidateScenario(grpc::CallbackServerContext* context,
                                                       const v1::ScenarioSource* request,
                                                       v1::ScenarioReport* reply) {
  return Run(context, &PlanariumService::ValidateScenario, request, reply);
}

grpc::ServerUnaryReactor* RpcService::RegisterScenario(grpc::CallbackServerContext* context,
                                                       const v1::ScenarioSource* request,
                                                       v1::ScenarioHandle* reply) {
  return Run(context, &PlanariumService::RegisterScenario, request, reply);
}

grpc::ServerUnaryReactor* RpcService::CreateBatch(grpc::CallbackServerContext* context,
                                                  const v1::CreateBatchRequest* request,
                                                  v1::BatchSpec* reply) {
  return Run(context, &PlanariumService::CreateBatch, request, reply);
}

grpc::ServerUnaryReactor* RpcService::DescribeBatch(grpc::CallbackServerContext* context,
                                                    const v1::BatchRef* request,
                                                    v1::BatchSpec* reply) {
  return Run(context, &PlanariumService::DescribeBatch, request, reply);
}

grpc::ServerUnaryReactor* RpcService::ListBatches(grpc::CallbackServerContext* context,
                                                  const v1::ListBatchesRequest* request,
                                                  v1::BatchList* reply) {
  return Run(context, &PlanariumService::ListBatches, request, reply);
}

grpc::ServerUnaryReactor* RpcService::DestroyBatch(grpc::CallbackServerContext* context,
                                                   const v1::BatchRef* request,
                                                   v1::DestroyBatchReply* reply) {
  return Run(context, &PlanariumService::DestroyBatch, request, reply);
}

grpc::ServerUnaryReactor* RpcService::Render(grpc::CallbackServerContext* context,
                                             const v1::RenderRequest* request, v1::Frame* reply) {
  return Run(context, &PlanariumService::Render, request, reply);
}

grpc::ServerUnaryReactor* RpcService::GetWorldState(grpc::CallbackServerContext* context,
                                                    const v1::WorldStateRequest* request,
                                                    v1::WorldState* reply) {
  return Run(context, &PlanariumService::GetWorldState, request, reply);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* RpcService::Reset(grpc::CallbackServerContext*,
                                                              const grpc::ByteBuffer* request) {
  return new ReplyReactor(executor_, [this, request](ReplyRef* reply) {
    v1::ResetRequest message;
    if (!ParseBuffer(*request, &message)) return Unparsable("ResetRequest");
    return service_->Reset(std::move(message), reply);
  });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* RpcService::Step(grpc::CallbackServerContext*,
                                                             const grpc::ByteBuffer* request) {
  return new ReplyReactor(executor_, [this, request](ReplyRef* reply) {
    v1::StepRequest message;
    if (!ParseBuffer(*request, &message)) return Unparsable("StepRequest");
    return service_->Step(std::move(message), reply);
  });
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* RpcService::Attach(
    grpc::CallbackServerContext*) {
  return AttachReactor::Open({service_, executor_, &streams_});
}

}  // namespace planarium
