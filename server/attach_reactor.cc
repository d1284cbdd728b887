#include "server/attach_reactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/wire_buffer.h"

namespace planarium {
namespace {

// Steps shorter than this run on gRPC's own thread: handing them to another one costs tens of
// microseconds. Longer ones would keep the streams of other batches waiting.
constexpr std::chrono::microseconds kInlineStep{300};

}  // namespace

void OpenStreams::Add(const std::shared_ptr<AttachReactor>& stream) {
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& known) { return known.expired(); });
  streams_.push_back(stream);
}

void OpenStreams::DrainAll() {
  std::vector<std::weak_ptr<AttachReactor>> streams;
  {
    std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (const auto& known : streams) {
    if (const auto stream = known.lock()) {
      stream->End({StatusCode::kUnavailable, "server is draining; connect to another one"});
    }
  }
}

AttachReactor* AttachReactor::Open(const StreamSetup& setup) {
  std::shared_ptr<AttachReactor> stream(new AttachReactor(setup));
  stream->self_ = stream;
  setup.streams->Add(stream);
  stream->StartRead(&stream->incoming_);
  return stream.get();
}

void AttachReactor::OnReadDone(bool ok) {
  if (!ok) {
    End({});  // the client has said all it wanted, or is gone
    return;
  }
  {
    std::lock_guard lock(mutex_);
    working_ = !ending_.has_value();
    if (!working_) return;
  }
  frame_valid_ = ParseBuffer(incoming_, &frame_);
  incoming_.Clear();
  const bool quick =
      frame_valid_ && frame_.has_step() && writer_ != nullptr && writer_->step_time() < kInlineStep;
  if (quick) {
    HandleFrame();
  } else {
    setup_.executor->Post([self = shared_from_this()] { self->HandleFrame(); });
  }
}

void AttachReactor::HandleFrame() {
  frame_seq_ = frame_.has_step() ? frame_.step().seq() : frame_.reset().seq();
  if (!frame_valid_) {
    Deliver(MakeError({StatusCode::kInvalidArgument, "frame: these bytes are no ClientFrame"}));
  } else if (writer_ == nullptr) {
    Greet();
  } else if (frame_.has_bye()) {
    {
      std::lock_guard lock(mutex_);
      working_ = false;
    }
    End({});
  } else {
    Answer answer;
    const Status status = writer_->Handle(&frame_, &answer.reply);
    Deliver(status.ok() ? std::move(answer) : MakeError(status));
  }
}

// The first frame. A stream without a batch is of no use, so a refused one is told why and ended.
void AttachReactor::Greet() {
  v1::ServerFrame frame;
  Status status{StatusCode::kFailedPrecondition, "frame: the first one must be Hello"};
  if (frame_.has_hello()) {
    status = setup_.service->OpenWriter(frame_.hello(), &writer_, frame.mutable_welcome());
  }
  if (!status.ok()) {
    Answer refusal = MakeError(status);
    End(status);
    Deliver(std::move(refusal));
    return;
  }
  Answer welcome;
  welcome.control = MakeBuffer(frame);
  Deliver(std::move(welcome));
}

AttachReactor::Answer AttachReactor::MakeError(const Status& status) const {
  v1::ServerFrame frame;
  v1::Error* error = frame.mutable_error();
  error->set_code(static_cast<std::int32_t>(status.code));
  error->set_message(status.text);
  error->set_seq(frame_seq_);
  Answer answer;
  answer.control = MakeBuffer(frame);
  return answer;
}

// Sends an answer now or after the one that is being sent. Only when an answer starts on its way is
// the next frame read: one answer is sent and at most one waits.
void AttachReactor::Deliver(Answer answer) {
  bool read = false;
  {
    std::lock_guard lock(mutex_);
    working_ = false;
    if (sending_.has_value()) {
      waiting_ = std::move(answer);
      return;
    }
    sending_ = std::move(answer);
    read = !ending_.has_value();
  }
  // The write comes last: while it is due, the stream cannot end and this object lives.
  if (read) StartRead(&incoming_);
  SendPart();
}

void AttachReactor::SendPart() {
  {
    std::lock_guard lock(mutex_);
    const std::size_t part = sending_->next_part++;
    outgoing_ = sending_->reply == nullptr
                    ? sending_->control
                    : MakeBuffer(sending_->reply, part, Framing::kServerFrame);
  }
  StartWrite(&outgoing_);
}

void AttachReactor::OnWriteDone(bool ok) {
  bool more = false;
  bool read = false;
  {
    std::lock_guard lock(mutex_);
    // Before sending_ changes: from then on another thread may put its own answer here.
    outgoing_.Clear();
    if (!ok) {
      waiting_.reset();
      if (!ending_.has_value()) ending_ = Status{StatusCode::kCancelled, "client is gone"};
      sending_.reset();
    } else if (!sending_->done()) {
      more = true;
    } else {
      sending_ = std::exchange(waiting_, std::nullopt);
      more = sending_.has_value();
      read = more && !ending_.has_value();
    }
  }
  if (read) StartRead(&incoming_);
  if (more) {
    SendPart();
  } else {
    FinishIfIdle();
  }
}

void AttachReactor::OnCancel() { End({StatusCode::kCancelled, "client is gone"}); }

// Leaving the batch may wait for a look at it, so that is done elsewhere.
void AttachReactor::OnDone() {
  if (writer_ != nullptr) {
    setup_.executor->Post([writer = std::shared_ptr<BatchWriter>(std::move(writer_))] {});
  }
  self_.reset();
}

void AttachReactor::End(Status status) {
  {
    std::lock_guard lock(mutex_);
    if (!ending_.has_value()) ending_ = std::move(status);
  }
  FinishIfIdle();
}

void AttachReactor::FinishIfIdle() {
  grpc::Status status;
  {
    std::lock_guard lock(mutex_);
    const bool busy = working_ || sending_.has_value() || waiting_.has_value();
    if (!ending_.has_value() || busy || finished_) return;
    finished_ = true;
    status = ToGrpc(*ending_);
  }
  Finish(status);
}

}  // namespace planarium
