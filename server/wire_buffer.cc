#include "server/wire_buffer.h"

#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <array>
#include <memory>

namespace planarium {

grpc::ByteBuffer MakeBuffer(const ReplyRef& reply, std::size_t part, Framing framing) {
  const WirePart message = reply->Part(part, framing);

  // The slice owns one reference to the reply; head and tail are small and copied.
  auto owner = std::make_unique<ReplyRef>(reply);
  auto* const bulk = const_cast<std::byte*>(message.body.data());  // gRPC only reads it
  const grpc::Slice body(
      bulk, message.body.size(), [](void* held) { delete static_cast<ReplyRef*>(held); },
      owner.release());
  const std::array slices{grpc::Slice(message.head.data(), message.head_bytes), body,
                          grpc::Slice(message.tail.data(), message.tail.size())};
  return {slices.data(), message.tail.empty() ? 2u : 3u};
}

grpc::ByteBuffer MakeBuffer(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

bool ParseBuffer(const grpc::ByteBuffer& buffer, google::protobuf::Message* message) {
  grpc::ByteBuffer shared = buffer;  // counts references, copies no bytes
  grpc::ProtoBufferReader reader(&shared);
  if (!reader.status().ok() || !message->ParseFromZeroCopyStream(&reader)) return false;
  message->DiscardUnknownFields();  // a kept request would keep them, and nobody counts their bytes
  return true;
}

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code), status.text};
}

}  // namespace planarium
