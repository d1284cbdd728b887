#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "planarium/v1/planarium.pb.h"
#include "server/executor.h"
#include "server/service.h"

namespace planarium {

class AttachReactor;

/// The open Attach streams of a server, so that a drain can end them.
class OpenStreams {
 public:
  void Add(const std::shared_ptr<AttachReactor>& stream);
  /// Ends every stream with UNAVAILABLE after the frame it works on.
  void DrainAll();

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<AttachReactor>> streams_;
};

/// What every stream of a server uses; outlives them.
struct StreamSetup {
  PlanariumService* service = nullptr;
  Executor* executor = nullptr;
  OpenStreams* streams = nullptr;
};

/// One Attach stream. Frames are answered in order; while a reply is being sent, the next frame is
/// already read and worked on, so a client that keeps two frames in flight never waits for the
/// socket. Lives until gRPC is done with it.
class AttachReactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                            public std::enable_shared_from_this<AttachReactor> {
 public:
  /// Opens a stream that owns itself.
  static AttachReactor* Open(const StreamSetup& setup);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  /// Reads no more frames and ends the stream when all work is answered. The first call counts.
  void End(Status status);

 private:
  // An answer on its way out: one control message, or the parts of a reply.
  struct Answer {
    grpc::ByteBuffer control;
    ReplyRef reply;
    std::size_t next_part = 0;

    bool done() const { return next_part == (reply == nullptr ? 1 : reply->parts()); }
  };

  explicit AttachReactor(const StreamSetup& setup) : setup_(setup) {}

  void HandleFrame();
  void Greet();
  Answer MakeError(const Status& status) const;
  void Deliver(Answer answer);
  void SendPart();
  void FinishIfIdle();

  const StreamSetup setup_;
  std::shared_ptr<AttachReactor> self_;  // until OnDone

  // Used by one callback at a time: between a read and its answer.
  grpc::ByteBuffer incoming_;
  v1::ClientFrame frame_;
  bool frame_valid_ = false;
  std::uint64_t frame_seq_ = 0;
  std::unique_ptr<BatchWriter> writer_;

  std::mutex mutex_;           // guards what follows; never held across a call into gRPC
  grpc::ByteBuffer outgoing_;  // the part being sent; gRPC reads it until OnWriteDone
  bool working_ = false;
  std::optional<Answer> sending_;
  std::optional<Answer> waiting_;  // finished while another was being sent
  std::optional<Status> ending_;
  bool finished_ = false;
};

}  // namespace planarium
