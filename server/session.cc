#include "server/session.h"

#include <google/protobuf/util/message_differencer.h>

#include <limits>
#include <span>
#include <utility>

#include "server/request_codec.h"
#include "server/status.h"

namespace planarium {
namespace {

// Before the first step its duration is unknown: count with a long one.
constexpr std::int64_t kUnknownStepNs = std::numeric_limits<std::int64_t>::max() / 8;

// Share of the newest step in the moving average of step durations: 1/4 follows a change within a
// few steps and forgives a single slow one.
constexpr std::int64_t kAverageSteps = 4;

StatusCode CodeOf(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::kInvalidArgument:
      return StatusCode::kInvalidArgument;
    case Refusal::Kind::kFailedPrecondition:
      return StatusCode::kFailedPrecondition;
    case Refusal::Kind::kResourceExhausted:
      return StatusCode::kResourceExhausted;
  }
  return StatusCode::kInternal;
}

template <typename T>
std::string Pack(std::span<const T> column) {
  return {reinterpret_cast<const char*>(column.data()), column.size_bytes()};
}

// Entries [first, first + count) of a column of `total` entries.
template <typename T>
std::string PackEntries(std::span<const T> column, std::size_t first, std::size_t count,
                        std::size_t total) {
  const std::size_t width = column.size() / total;
  return Pack(column.subspan(first * width, count * width));
}

void FillEnds(const EpisodeEnds& ends, std::size_t first, std::size_t count, v1::EpisodeEnds* out) {
  const auto pack = [first, count, total = ends.slots.size()](auto column) {
    return PackEntries(column, first, count, total);
  };
  out->set_slots(pack(ends.slots));
  out->set_returns(pack(ends.returns));
  out->set_lengths(pack(ends.lengths));
  out->set_success(pack(ends.success));
  out->set_reasons(pack(ends.reasons));
  out->set_seeds(pack(ends.seeds));
  out->set_episodes(pack(ends.episodes));
  out->set_final_observations(pack(ends.final_observations));
  out->set_scenarios(pack(ends.scenarios));
  out->set_sim_seconds(pack(ends.sim_seconds));
  out->set_path_lengths(pack(ends.path_lengths));
  out->set_collided(pack(ends.collided));
}

void FillRest(const StepResults& results, std::chrono::nanoseconds simulated, v1::StepReply* tail) {
  for (const RowFault& fault : results.faults) {
    v1::RowFault* out = tail->add_faults();
    out->set_slot(static_cast<std::uint32_t>(fault.slot));
    out->set_text(CapText(fault.text));
  }
  tail->mutable_timing()->set_simulate_ns(static_cast<std::uint64_t>(simulated.count()));
}

// Everything of a StepReply that is not rows, serialised, for each part.
std::vector<std::string> MakeTails(const StepResults& results, const ReplyPlan& plan,
                                   std::chrono::nanoseconds simulated) {
  std::vector<std::string> tails(plan.parts);
  std::size_t first = 0;
  for (std::size_t part = 0; part < plan.parts; ++part) {
    v1::StepReply tail;
    const auto end = static_cast<std::int64_t>((part + 1) * plan.rows_per_part);
    std::size_t last = first;
    while (last < results.ends.slots.size() && results.ends.slots[last] < end) ++last;
    if (last > first) FillEnds(results.ends, first, last - first, tail.mutable_ends());
    first = last;
    if (part + 1 == plan.parts) FillRest(results, simulated, &tail);
    tails[part] = tail.SerializeAsString();
  }
  return tails;
}

}  // namespace

Clock SteadyClock() {
  return [] { return std::chrono::steady_clock::now().time_since_epoch(); };
}

Session::Session(SessionOptions options, std::unique_ptr<VectorEnv> env,
                 std::unique_ptr<MemoryBudget::Hold> memory)
    : options_(std::move(options)),
      lease_end_(0),
      step_ns_(kUnknownStepNs),
      env_(std::move(env)),
      memory_(std::move(memory)),
      replies_(ReplyPool::Make(options_.plan)) {
  Touch();
}

std::uint64_t Session::Attach(WriterId stream, const std::string& owner) {
  std::lock_guard lock(mutex_);
  RequireOpen();
  RequireWriter(stream);
  writer_ = stream;
  writer_owner_ = owner.empty() ? options_.spec.owner() : owner;
  writer_active_ = options_.clock();
  Touch();
  return last_seq_ + 1;
}

void Session::Detach(WriterId stream) {
  std::lock_guard lock(mutex_);
  if (writer_ != stream) return;
  writer_ = kUnaryWriter;
  Touch();
}

ReplyRef Session::Step(v1::StepRequest request, WriterId writer) {
  std::lock_guard lock(mutex_);
  RequireOpen();
  RequireWriter(writer);
  Touch();
  request.clear_batch_id();
  if (ReplyRef repeated = FindRepeated(request, last_request_.step(), last_request_.has_step())) {
    return repeated;
  }
  const StepInput input = DecodeStep(request, env_->description());
  const std::shared_ptr<Reply> reply = AcquireReply();
  const RowSink sink =
      reply->Begin(request.want_reward_terms() ? RewardTerms::kInclude : RewardTerms::kOmit);

  const auto start = std::chrono::steady_clock::now();
  if (const std::optional<Refusal> refusal = env_->Step(input, sink)) {
    throw RequestError(CodeOf(refusal->kind), refusal->text + "; batch " + id());
  }
  const std::chrono::nanoseconds simulated = std::chrono::steady_clock::now() - start;

  const std::int64_t average = step_ns_.load();
  step_ns_ = average == kUnknownStepNs ? simulated.count()
                                       : average + (simulated.count() - average) / kAverageSteps;
  Commit(reply, request.seq(), simulated);
  last_request_.mutable_step()->Swap(&request);
  return reply;
}

ReplyRef Session::Reset(v1::ResetRequest request, WriterId writer) {
  std::lock_guard lock(mutex_);
  RequireOpen();
  RequireWriter(writer);
  Touch();
  request.clear_batch_id();
  if (ReplyRef repeated = FindRepeated(request, last_request_.reset(), last_request_.has_reset())) {
    return repeated;
  }
  const ResetInput input = DecodeReset(request, env_->description());
  const std::shared_ptr<Reply> reply = AcquireReply();
  const RowSink sink = reply->Begin(RewardTerms::kOmit);

  const auto start = std::chrono::steady_clock::now();
  if (const std::optional<Refusal> refusal = env_->Reset(input, sink)) {
    throw RequestError(CodeOf(refusal->kind), refusal->text + "; batch " + id());
  }
  was_reset_ = true;
  Commit(reply, request.seq(), std::chrono::steady_clock::now() - start);
  last_request_.mutable_reset()->Swap(&request);
  return reply;
}

void Session::Inspect(const std::function<void(const VectorEnv&)>& look) {
  std::lock_guard lock(mutex_);
  RequireOpen();
  Touch();
  if (!was_reset_) {
    throw RequestError(StatusCode::kFailedPrecondition,
                       "batch " + id() + " has no episode yet; call Reset first");
  }
  look(*env_);
}

void Session::Touch() { lease_end_ = (options_.clock() + options_.lease).count(); }

bool Session::CloseIfExpired() {
  if (options_.clock().count() < lease_end_) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || writer_ != kUnaryWriter) return false;
  if (options_.clock().count() < lease_end_) return false;  // renewed since the first look
  CloseLocked();
  return true;
}

void Session::Close() {
  std::lock_guard lock(mutex_);
  CloseLocked();
}

void Session::CloseLocked() {
  last_reply_.reset();
  replies_.reset();
  env_.reset();
  memory_.reset();
}

void Session::RequireOpen() const {
  if (env_ != nullptr) return;
  throw RequestError(StatusCode::kNotFound,
                     "batch: \"" + id() + "\" was destroyed or its lease ended; create a new one");
}

// A unary caller may write when no stream is attached; it has no name to remember.
void Session::RequireWriter(WriterId writer) {
  if (writer_ != kUnaryWriter && writer_ != writer) {
    throw RequestError(StatusCode::kFailedPrecondition,
                       "writer: batch " + id() + " takes one writer; holder is " + HolderText());
  }
  if (writer_ == writer) writer_active_ = options_.clock();
}

std::string Session::HolderText() const {
  if (writer_ == kUnaryWriter) return "nobody";
  const auto idle =
      std::chrono::duration_cast<std::chrono::seconds>(options_.clock() - writer_active_);
  return "stream s-" + std::to_string(writer_) +
         (writer_owner_.empty() ? "" : " of \"" + Escape(writer_owner_) + "\"") + ", idle " +
         std::to_string(idle.count()) + " s";
}

// The reply to a repeated request, null for the next request in order.
template <typename Request>
ReplyRef Session::FindRepeated(const Request& request, const Request& last, bool same_kind) const {
  using google::protobuf::util::MessageDifferencer;
  const std::uint64_t seq = request.seq();
  if (seq == 0 || seq == last_seq_ + 1) return nullptr;
  const bool repeated = seq == last_seq_;
  if (repeated && last_reply_ != nullptr && same_kind &&
      MessageDifferencer::Equals(request, last)) {
    return last_reply_;
  }
  std::string text = "seq: got " + std::to_string(seq) + ", expected " +
                     std::to_string(last_seq_ + 1) + " (" +
                     (last_seq_ == 0 ? "nothing accepted yet"
                                     : std::to_string(last_seq_) + " was the last accepted") +
                     ")";
  if (repeated) text += "; the repeated number came with another request";
  throw RequestError(StatusCode::kFailedPrecondition,
                     text + "; one writer per batch, holder is " + HolderText());
}

std::shared_ptr<Reply> Session::AcquireReply() {
  std::shared_ptr<Reply> reply = replies_->Acquire();
  if (reply == nullptr) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "batch " + id() + ": too many replies wait to be read by the client");
  }
  return reply;
}

// A request without a number breaks the chain: nothing can be repeated after it.
void Session::Commit(std::shared_ptr<Reply> reply, std::uint64_t seq,
                     std::chrono::nanoseconds simulated) {
  reply->Complete(seq, MakeTails(env_->results(), options_.plan, simulated));
  Touch();
  if (seq == 0) {
    last_reply_.reset();
    return;
  }
  last_seq_ = seq;
  last_reply_ = std::move(reply);
}

}  // namespace planarium
