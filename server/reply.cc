#include "server/reply.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "server/wire_writer.h"

namespace planarium {
namespace {

// Field numbers of proto/planarium/v1/planarium.proto.
constexpr int kFrameReply = 2;  // ServerFrame.reply
constexpr int kSeq = 1;         // StepReply
constexpr int kPart = 2;
constexpr int kParts = 3;
constexpr int kFirstSlot = 4;
constexpr int kRows = 5;
constexpr int kState = 6;
constexpr int kObservations = 1;  // PackedWorldState
constexpr int kRewards = 2;
constexpr int kTerminated = 3;
constexpr int kTruncated = 4;
constexpr int kFirst = 5;
constexpr int kAlive = 6;
constexpr int kRewardTerms = 7;

// Cache line: parts start on one, and so do their observations.
constexpr std::size_t kLine = 64;

// Room before the observations of a part: four numbers, two tags with lengths; at most 36 bytes.
constexpr std::size_t kLead = kLine;

// What a message takes beside its rows: numbers and tags of the head, the body and the ends, timing
// and the texts of a few faults.
constexpr std::size_t kMessageOverhead = 4096;

// Small replies may queue up in the transport's 64 KiB write buffer, so their number is bounded by
// memory, not by a count.
constexpr std::size_t kSmallPoolBytes = 1u << 20;

std::size_t ToLine(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// One column of a part.
struct Column {
  int field;
  std::size_t bytes;
};

std::array<Column, 7> Columns(const RowShape& shape, std::size_t rows, RewardTerms terms) {
  const std::size_t agents = rows * shape.num_agents;
  const std::size_t term_bytes =
      terms == RewardTerms::kInclude ? agents * shape.reward_terms * sizeof(float) : 0;
  return {{{kObservations, agents * shape.observation_width * sizeof(float)},
           {kRewards, agents * sizeof(float)},
           {kTerminated, agents},
           {kTruncated, agents},
           {kFirst, rows},
           {kAlive, agents},
           {kRewardTerms, term_bytes}}};
}

// Bytes of the columns with their tags and lengths: the content of StepReply.state.
std::size_t StateBytes(const std::array<Column, 7>& columns) {
  std::size_t bytes = 0;
  for (const Column& column : columns) {
    if (column.bytes > 0) bytes += 1 + VarintBytes(column.bytes) + column.bytes;
  }
  return bytes;
}

// One row of EpisodeEnds.
std::size_t EndBytes(const RowShape& shape) {
  constexpr std::size_t kPerEpisode = 3 * sizeof(std::int32_t) + 3 * sizeof(std::uint8_t) +
                                      2 * sizeof(std::uint64_t) + sizeof(double);
  return kPerEpisode + shape.num_agents * (2 * sizeof(double) + shape.final_width * sizeof(float));
}

// Memory of one part: lead, then the columns of the larger layout.
std::size_t PartBytes(const ReplyPlan& plan) {
  const auto columns = Columns(plan.shape, plan.rows_per_part, RewardTerms::kInclude);
  return kLead + ToLine(StateBytes(columns));
}

std::byte* Allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kLine}));
  std::memset(memory, 0, bytes);  // nothing of another batch may ever be sent
  return memory;
}

}  // namespace

RowShape ShapeOf(const EnvDescription& env) {
  return {
      env.num_envs, env.num_agents, static_cast<std::size_t>(env.observation_width),
      env.reward_terms.size(),
      env.autoreset == Autoreset::kSameStep ? static_cast<std::size_t>(env.observation_width) : 0};
}

std::size_t ReplyPlan::rows(std::size_t part) const {
  return std::min(rows_per_part, shape.num_envs - part * rows_per_part);
}

std::size_t ReplyPlan::Bytes() const { return parts * PartBytes(*this); }

ReplyPlan PlanReply(const RowShape& shape, std::size_t chunk_bytes) {
  std::size_t row_bytes = EndBytes(shape);
  for (const Column& column : Columns(shape, 1, RewardTerms::kInclude)) row_bytes += column.bytes;
  const std::size_t room = chunk_bytes > kMessageOverhead ? chunk_bytes - kMessageOverhead : 0;

  ReplyPlan plan;
  plan.shape = shape;
  plan.rows_per_part = std::clamp<std::size_t>(room / row_bytes, 1, shape.num_envs);
  plan.parts = (shape.num_envs + plan.rows_per_part - 1) / plan.rows_per_part;
  return plan;
}

void Reply::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{kLine});
}

Reply::Reply(const ReplyPlan& plan)
    : plan_(plan), memory_(Allocate(plan.Bytes())), bodies_(plan.parts), rows_(plan.parts) {}

RowSink Reply::Begin(RewardTerms terms) {
  if (!laid_out_ || terms != terms_) {
    terms_ = terms;
    for (std::size_t part = 0; part < plan_.parts; ++part) Layout(part);
    laid_out_ = true;
  }
  return {rows_, plan_.rows_per_part};
}

void Reply::Layout(std::size_t part) {
  const std::size_t rows = plan_.rows(part);
  const std::size_t first_slot = part * plan_.rows_per_part;
  const auto columns = Columns(plan_.shape, rows, terms_);
  const std::size_t state_bytes = StateBytes(columns);

  // The prefix (six tags, five numbers, one length) ends where the observations begin, on a line.
  const std::size_t prefix = 6 + VarintBytes(part) + VarintBytes(plan_.parts) +
                             VarintBytes(first_slot) + VarintBytes(rows) +
                             VarintBytes(state_bytes) + VarintBytes(columns[0].bytes);
  std::byte* const start = memory_.get() + part * PartBytes(plan_) + kLead - prefix;
  WireWriter out(start);
  out.Number(kPart, part);
  out.Number(kParts, plan_.parts);
  out.Number(kFirstSlot, first_slot);
  out.Number(kRows, rows);
  out.Open(kState, state_bytes);

  // Columns in order, each at its fixed place; empty ones are left out.
  std::array<std::byte*, 7> at{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].bytes == 0) continue;
    out.Open(columns[i].field, columns[i].bytes);
    at[i] = out.at();
    out.Skip(columns[i].bytes);
  }
  const auto floats = [&at](std::size_t i) { return reinterpret_cast<float*>(at[i]); };
  const auto flags = [&at](std::size_t i) { return reinterpret_cast<std::uint8_t*>(at[i]); };
  rows_[part] = {floats(0), floats(1), flags(2), flags(3), flags(4), flags(5), floats(6)};
  bodies_[part] = {start, static_cast<std::size_t>(out.at() - start)};
}

void Reply::Complete(std::uint64_t seq, std::vector<std::string> tails) {
  assert(tails.size() == plan_.parts);
  seq_ = seq;
  tails_ = std::move(tails);
}

WirePart Reply::Part(std::size_t part, Framing framing) const {
  WirePart message;
  message.body = bodies_[part];
  message.tail = tails_[part];

  WireWriter out(message.head.data());
  if (framing == Framing::kServerFrame) {
    const std::size_t seq_bytes = 1 + VarintBytes(seq_);
    out.Open(kFrameReply, seq_bytes + message.body.size() + message.tail.size());
  }
  out.Number(kSeq, seq_);
  message.head_bytes = static_cast<std::size_t>(out.at() - message.head.data());
  return message;
}

ReplyPool::ReplyPool(const ReplyPlan& plan)
    : plan_(plan), max_replies_(kUsualReplies + 1 + kSmallPoolBytes / plan.Bytes()) {
  free_.reserve(max_replies_);
}

std::shared_ptr<ReplyPool> ReplyPool::Make(const ReplyPlan& plan) {
  return std::shared_ptr<ReplyPool>(new ReplyPool(plan));
}

std::shared_ptr<Reply> ReplyPool::Acquire() {
  std::unique_ptr<Reply> reply;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      reply = std::move(free_.back());
      free_.pop_back();
    } else if (made_ < max_replies_) {
      reply = std::make_unique<Reply>(plan_);
      ++made_;
    } else {
      return nullptr;
    }
  }
  return {reply.release(), [pool = shared_from_this()](Reply* used) { pool->Return(used); }};
}

void ReplyPool::Return(Reply* reply) {
  std::lock_guard lock(mutex_);
  free_.emplace_back(reply);
}

}  // namespace planarium
