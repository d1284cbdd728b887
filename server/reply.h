#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/vector_env.h"

namespace planarium {

/// Sizes of the rows of one batch.
struct RowShape {
  std::size_t num_envs = 0;
  std::size_t num_agents = 1;
  std::size_t observation_width = 0;
  std::size_t reward_terms = 0;
  std::size_t final_width = 0;  ///< columns of EpisodeEnds.final_observations, 0: not sent
};

RowShape ShapeOf(const EnvDescription& env);

/// How the replies of one batch are cut into messages; the same for every reply.
struct ReplyPlan {
  RowShape shape;
  std::size_t rows_per_part = 1;
  std::size_t parts = 1;

  std::size_t rows(std::size_t part) const;
  /// Memory of one reply. [bytes]
  std::size_t Bytes() const;
};

/// Plan whose messages stay within `chunk_bytes` (at least one row each). Rows are priced with
/// reward terms and the end of an episode, so that neither changes the cut.
ReplyPlan PlanReply(const RowShape& shape, std::size_t chunk_bytes);

/// Whether a reply carries the column of reward terms.
enum class RewardTerms : std::uint8_t { kOmit, kInclude };

/// What a part is sent as: a bare StepReply message, or a ServerFrame with the reply inside.
enum class Framing : std::uint8_t { kBare, kServerFrame };

/// One message in three pieces: only `body` is bulk, and it lies in the reply's own memory.
struct WirePart {
  std::array<std::byte, 20> head{};  ///< frame tag and length, sequence number
  std::size_t head_bytes = 0;
  std::span<const std::byte> body;  ///< part numbers and PackedWorldState
  std::string_view tail;            ///< ends of its slots; the last part also has faults, timing

  std::size_t size() const { return head_bytes + body.size() + tail.size(); }
};

/// The memory of one StepReply as it goes over the wire. Everything but the rows is written when
/// the layout is chosen: a step fills the columns in place and they are sent from here, without a
/// second copy.
///
/// Protobuf lets fields come in any order and adds up pieces of a message, so what varies in length
/// stands outside the bulk: the sequence number in the head, the sparse rest in the tail.
class Reply {
 public:
  explicit Reply(const ReplyPlan& plan);

  /// Readies the columns for the next rows; the sink is valid until the next call.
  RowSink Begin(RewardTerms terms);
  /// Completes the reply: its sequence number, and for each part a serialised StepReply with all
  /// but the rows. REQUIRES: tails.size() == parts().
  void Complete(std::uint64_t seq, std::vector<std::string> tails);

  std::size_t parts() const { return plan_.parts; }
  std::uint64_t seq() const { return seq_; }
  WirePart Part(std::size_t part, Framing framing) const;

 private:
  void Layout(std::size_t part);

  struct Free {
    void operator()(std::byte* memory) const;
  };

  ReplyPlan plan_;
  RewardTerms terms_ = RewardTerms::kOmit;
  bool laid_out_ = false;
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<std::span<const std::byte>> bodies_;  // (parts)
  std::vector<PartRows> rows_;                      // (parts)
  std::uint64_t seq_ = 0;
  std::vector<std::string> tails_;  // (parts)
};

/// The replies of one batch, used again when the transport has let go of them. Any thread may drop
/// a reply, also after its batch is gone.
class ReplyPool : public std::enable_shared_from_this<ReplyPool> {
 public:
  static std::shared_ptr<ReplyPool> Make(const ReplyPlan& plan);

  /// A free reply, nullptr when too many are still on their way to a client that does not read.
  std::shared_ptr<Reply> Acquire();

  /// Replies in use at a time in the normal case: one being written, one being sent, one kept in
  /// case the client asks again. A memory budget counts with these.
  static constexpr std::size_t kUsualReplies = 3;

 private:
  explicit ReplyPool(const ReplyPlan& plan);
  void Return(Reply* reply);

  const ReplyPlan plan_;
  const std::size_t max_replies_;
  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<Reply>> free_;
};

}  // namespace planarium
