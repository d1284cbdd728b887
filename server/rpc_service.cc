#include "server/rpc_service.h"

#include <climits>
#include <string>
#include <utility>

#include "server/reply_reactor.h"
#include "server/wire_buffer.h"

namespace planarium {
namespace {

Status Unparsable(const google::protobuf::Message& message) {
  return {StatusCode::kInvalidArgument,
          "request: these bytes are no " + message.GetDescriptor()->name() + " message"};
}

// Protobuf cannot write a message of 2 GiB.
bool Fits(const google::protobuf::Message& message) { return message.ByteSizeLong() <= INT_MAX; }

Status TooLarge(const google::protobuf::Message& message) {
  return {StatusCode::kResourceExhausted,
          "reply: " + message.GetDescriptor()->name() + " would have " +
              std::to_string(message.ByteSizeLong()) + " bytes, at most 2147483647 fit"};
}

}  // namespace

// Request and reply live until the reactor finishes, also when the client has gone.
template <typename Request, typename Reply>
RpcService::Unary* RpcService::Run(Executor* executor, Context* context,
                                   Method<Request, Reply> method, const Bytes* request,
                                   Bytes* reply) {
  Unary* const reactor = context->DefaultReactor();
  executor->Post([service = service_, context, method, request, reply, reactor] {
    Request question;
    Reply answer;
    Status status{StatusCode::kCancelled, "client is gone"};
    if (!context->IsCancelled()) {
      status = ParseBuffer(*request, &question) ? (service->*method)(question, &answer)
                                                : Unparsable(question);
    }
    if (status.ok() && !Fits(answer)) status = TooLarge(answer);
    if (status.ok()) *reply = MakeBuffer(answer);
    reactor->Finish(ToGrpc(status));
  });
  return reactor;
}

RpcService::Unary* RpcService::GetServerInfo(Context* context, const Bytes* request, Bytes* reply) {
  return Run(lookups_, context, &PlanariumService::GetServerInfo, request, reply);
}

RpcService::Unary* RpcService::ValidateScenario(Context* context, const Bytes* request,
                                                Bytes* reply) {
  return Run(executor_, context, &PlanariumService::ValidateScenario, request, reply);
}

RpcService::Unary* RpcService::RegisterScenario(Context* context, const Bytes* request,
                                                Bytes* reply) {
  return Run(executor_, context, &PlanariumService::RegisterScenario, request, reply);
}

RpcService::Unary* RpcService::CreateBatch(Context* context, const Bytes* request, Bytes* reply) {
  return Run(executor_, context, &PlanariumService::CreateBatch, request, reply);
}

RpcService::Unary* RpcService::DescribeBatch(Context* context, const Bytes* request, Bytes* reply) {
  return Run(lookups_, context, &PlanariumService::DescribeBatch, request, reply);
}

RpcService::Unary* RpcService::ListBatches(Context* context, const Bytes* request, Bytes* reply) {
  return Run(lookups_, context, &PlanariumService::ListBatches, request, reply);
}

RpcService::Unary* RpcService::DestroyBatch(Context* context, const Bytes* request, Bytes* reply) {
  return Run(executor_, context, &PlanariumService::DestroyBatch, request, reply);
}

RpcService::Unary* RpcService::Render(Context* context, const Bytes* request, Bytes* reply) {
  return Run(executor_, context, &PlanariumService::Render, request, reply);
}

RpcService::Unary* RpcService::GetWorldState(Context* context, const Bytes* request, Bytes* reply) {
  return Run(executor_, context, &PlanariumService::GetWorldState, request, reply);
}

RpcService::Parts* RpcService::Reset(Context*, const Bytes* request) {
  return new ReplyReactor(executor_, [this, request](ReplyRef* reply) {
    v1::ResetRequest message;
    if (!ParseBuffer(*request, &message)) return Unparsable(message);
    return service_->Reset(std::move(message), reply);
  });
}

RpcService::Parts* RpcService::Step(Context*, const Bytes* request) {
  return new ReplyReactor(executor_, [this, request](ReplyRef* reply) {
    v1::StepRequest message;
    if (!ParseBuffer(*request, &message)) return Unparsable(message);
    return service_->Step(std::move(message), reply);
  });
}

RpcService::Stream* RpcService::Attach(Context*) {
  return AttachReactor::Open({service_, executor_, &streams_});
}

}  // namespace planarium
