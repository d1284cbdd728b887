#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "planarium/v1/planarium.grpc.pb.h"

/// A small C++ client of a Planarium server: register a scenario, create a batch, step it over its
/// data stream. One thread at a time per object; objects are independent.
namespace planarium {

/// A call that the server refused, or a connection that broke.
class ClientError : public std::runtime_error {
 public:
  ClientError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// google.rpc.Code
  int code() const { return code_; }

 private:
  int code_;
};

/// One answer of a batch. Columns are views into the received messages, part after part; they live
/// until the next call of the batch. All columns are row-major, A = agents, W = observation width.
class StepView {
 public:
  std::size_t parts() const { return parts_; }
  std::size_t first_slot(std::size_t part) const { return reply(part).first_slot(); }
  std::size_t rows(std::size_t part) const { return reply(part).rows(); }

  std::span<const float> observations(std::size_t part) const;       ///< (rows, A, W)
  std::span<const float> rewards(std::size_t part) const;            ///< (rows, A)
  std::span<const std::uint8_t> terminated(std::size_t part) const;  ///< (rows, A)
  std::span<const std::uint8_t> truncated(std::size_t part) const;   ///< (rows, A)
  std::span<const std::uint8_t> first(std::size_t part) const;       ///< (rows)
  std::span<const std::uint8_t> alive(std::size_t part) const;       ///< (rows, A)
  std::span<const float> reward_terms(std::size_t part) const;       ///< (rows, A, T) or empty

  /// Episodes that ended in this call in the slots of a part.
  const v1::EpisodeEnds& ends(std::size_t part) const { return reply(part).ends(); }
  const v1::StepReply& reply(std::size_t part) const { return frames_[part].reply(); }

 private:
  friend class Batch;

  std::vector<v1::ServerFrame> frames_;  // kept from call to call, so that buffers are used again
  std::size_t parts_ = 0;
};

/// A batch of worlds and the stream that writes to it. Destroys the batch at the end.
class Batch {
 public:
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  const v1::BatchSpec& spec() const { return spec_; }

  /// New episodes in all slots, or with a mask (N) in the slots marked 1; a seed restarts slot i
  /// with seed + i.
  const StepView& Reset(std::optional<std::uint64_t> seed = {},
                        std::span<const std::uint8_t> mask = {});
  /// One step of every slot with actions (N, A, action width) in [-1, 1].
  const StepView& Step(std::span<const float> actions);
  /// One step steered by a built-in behavior of the server, e.g. "dash".
  const StepView& StepWith(const std::string& policy);

 private:
  friend class Client;
  using Stream = grpc::ClientReaderWriter<v1::ClientFrame, v1::ServerFrame>;

  Batch(v1::Planarium::Stub* stub, v1::BatchSpec spec, const std::string& owner);
  const StepView& Exchange();
  void Read(v1::ServerFrame* frame);
  [[noreturn]] void ThrowEnd();

  v1::Planarium::Stub* const stub_;
  v1::BatchSpec spec_;
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;  // null once the server has ended it
  std::uint64_t next_seq_ = 1;
  v1::ClientFrame frame_;
  StepView view_;
};

/// A connection to a server. Outlives its batches.
class Client {
 public:
  /// `address` as the server reports it: "unix:/run/planarium.sock", "127.0.0.1:50051". Throws
  /// ClientError when the server does not answer within `timeout_seconds` or speaks another
  /// protocol.
  explicit Client(const std::string& address, double timeout_seconds = 10.0);

  const v1::ServerInfo& server() const { return info_; }
  v1::Planarium::Stub& stub() { return *stub_; }

  /// Id of a scenario given as text; `name` is shown in messages.
  std::string RegisterScenario(const std::string& name, const std::string& yaml);
  std::unique_ptr<Batch> CreateBatch(const v1::CreateBatchRequest& request);

 private:
  std::unique_ptr<v1::Planarium::Stub> stub_;
  v1::ServerInfo info_;
};

}  // namespace planarium
