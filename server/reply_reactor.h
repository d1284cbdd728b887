#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>
#include <functional>

#include "server/executor.h"
#include "server/session.h"
#include "server/status.h"

namespace planarium {

/// A server-streaming call that answers with the parts of one reply. Deletes itself when gRPC is
/// done with it.
class ReplyReactor final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  /// Runs `work` on the executor and sends what it made.
  ReplyReactor(Executor* executor, std::function<Status(ReplyRef*)> work);

  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  void SendPart();

  ReplyRef reply_;
  std::size_t next_part_ = 0;
  grpc::ByteBuffer outgoing_;
};

}  // namespace planarium
