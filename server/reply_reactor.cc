#include "server/reply_reactor.h"

#include <utility>

#include "server/wire_buffer.h"

namespace planarium {

ReplyReactor::ReplyReactor(Executor* executor, std::function<Status(ReplyRef*)> work) {
  executor->Post([this, work = std::move(work)] {
    const Status status = work(&reply_);
    if (status.ok()) {
      SendPart();
    } else {
      Finish(ToGrpc(status));
    }
  });
}

// The last part takes the status with it, which saves a packet.
void ReplyReactor::SendPart() {
  const std::size_t part = next_part_++;
  outgoing_ = MakeBuffer(reply_, part, Framing::kBare);
  if (next_part_ == reply_->parts()) {
    StartWriteAndFinish(&outgoing_, grpc::WriteOptions(), grpc::Status::OK);
  } else {
    StartWrite(&outgoing_);
  }
}

void ReplyReactor::OnWriteDone(bool ok) {
  if (ok) {
    SendPart();
  } else {
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "client is gone"));
  }
}

}  // namespace planarium
