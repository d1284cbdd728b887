#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "server/reply.h"
#include "server/session.h"
#include "server/status.h"

namespace planarium {

/// One part of a reply as gRPC sends it: the bulk stays where VectorEnv wrote it, and the reply
/// lives until the transport has let go of it.
grpc::ByteBuffer MakeBuffer(const ReplyRef& reply, std::size_t part, Framing framing);

/// Any message, serialised.
grpc::ByteBuffer MakeBuffer(const google::protobuf::MessageLite& message);

/// Reads `message` out of a buffer; false for bytes that are no such message.
bool ParseBuffer(const grpc::ByteBuffer& buffer, google::protobuf::Message* message);

grpc::Status ToGrpc(const Status& status);

}  // namespace planarium
