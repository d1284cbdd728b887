#include "clients/cpp/client.h"

#include <grpcpp/create_channel.h>

#include <chrono>
#include <utility>

namespace planarium {
namespace {

// Protocol spoken by this client.
constexpr std::uint32_t kProtocolMajor = 1;

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // the server keeps to its chunk size
  // Large windows from the start, as the server has them; a proxy for a local address is an error.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 20);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 16'777'215);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

void Require(const grpc::Status& status, const char* call) {
  if (status.ok()) return;
  throw ClientError(status.error_code(), std::string(call) + ": " + status.error_message());
}

std::span<const float> Floats(const std::string& column) {
  return {reinterpret_cast<const float*>(column.data()), column.size() / sizeof(float)};
}

std::span<const std::uint8_t> Flags(const std::string& column) {
  return {reinterpret_cast<const std::uint8_t*>(column.data()), column.size()};
}

}  // namespace

std::span<const float> StepView::observations(std::size_t part) const {
  return Floats(reply(part).state().observations());
}
std::span<const float> StepView::rewards(std::size_t part) const {
  return Floats(reply(part).state().rewards());
}
std::span<const std::uint8_t> StepView::terminated(std::size_t part) const {
  return Flags(reply(part).state().terminated());
}
std::span<const std::uint8_t> StepView::truncated(std::size_t part) const {
  return Flags(reply(part).state().truncated());
}
std::span<const std::uint8_t> StepView::first(std::size_t part) const {
  return Flags(reply(part).state().first());
}
std::span<const std::uint8_t> StepView::alive(std::size_t part) const {
  return Flags(reply(part).state().alive());
}
std::span<const float> StepView::reward_terms(std::size_t part) const {
  return Floats(reply(part).state().reward_terms());
}

Batch::Batch(v1::Planarium::Stub* stub, v1::BatchSpec spec, const std::string& owner)
    : stub_(stub), spec_(std::move(spec)), stream_(stub_->Attach(&context_)) {
  frame_.mutable_hello()->set_batch_id(spec_.batch_id());
  frame_.mutable_hello()->set_protocol_major(kProtocolMajor);
  frame_.mutable_hello()->set_owner(owner);
  stream_->Write(frame_);
  v1::ServerFrame welcome;
  Read(&welcome);
  next_seq_ = welcome.welcome().next_seq();
}

Batch::~Batch() {
  if (stream_ != nullptr) {
    stream_->WritesDone();
    stream_->Finish();
  }
  grpc::ClientContext context;
  v1::BatchRef request;
  request.set_batch_id(spec_.batch_id());
  v1::DestroyBatchReply reply;
  stub_->DestroyBatch(&context, request, &reply);  // already gone is as good
}

const StepView& Batch::Reset(std::optional<std::uint64_t> seed,
                             std::span<const std::uint8_t> mask) {
  v1::ResetRequest* request = frame_.mutable_reset();
  request->Clear();
  request->set_seq(next_seq_);
  request->set_mask(mask.data(), mask.size());
  if (seed) request->set_seed(*seed);
  return Exchange();
}

const StepView& Batch::Step(std::span<const float> actions) {
  v1::StepRequest* request = frame_.mutable_step();
  request->clear_policy();
  request->set_seq(next_seq_);
  request->set_actions(actions.data(), actions.size_bytes());
  return Exchange();
}

const StepView& Batch::StepWith(const std::string& policy) {
  v1::StepRequest* request = frame_.mutable_step();
  request->clear_actions();
  request->set_seq(next_seq_);
  request->set_policy(policy);
  return Exchange();
}

// Sends the frame and reads all parts of its answer. A refused frame takes no sequence number.
const StepView& Batch::Exchange() {
  if (stream_ == nullptr) {
    throw ClientError(grpc::StatusCode::UNAVAILABLE, "Attach: the server has ended the stream");
  }
  stream_->Write(frame_);
  view_.parts_ = 0;
  std::size_t parts = 1;
  while (view_.parts_ < parts) {
    if (view_.frames_.size() == view_.parts_) view_.frames_.emplace_back();
    v1::ServerFrame& frame = view_.frames_[view_.parts_];
    Read(&frame);
    ++view_.parts_;
    parts = frame.reply().parts();
  }
  ++next_seq_;
  return view_;
}

void Batch::Read(v1::ServerFrame* frame) {
  if (!stream_->Read(frame)) ThrowEnd();
  if (frame->has_error()) throw ClientError(frame->error().code(), frame->error().message());
}

// A stream may be finished once.
void Batch::ThrowEnd() {
  const grpc::Status status = stream_->Finish();
  stream_.reset();
  Require(status, "Attach");
  throw ClientError(grpc::StatusCode::UNAVAILABLE, "Attach: the server ended the stream");
}

Client::Client(const std::string& address, double timeout_seconds)
    : stub_(v1::Planarium::NewStub(Connect(address))) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(static_cast<int>(timeout_seconds * 1e3)));
  v1::ServerInfoRequest request;
  request.set_protocol_major(kProtocolMajor);
  Require(stub_->GetServerInfo(&context, request, &info_), "GetServerInfo");
}

std::string Client::RegisterScenario(const std::string& name, const std::string& yaml) {
  grpc::ClientContext context;
  v1::ScenarioSource request;
  request.set_name(name);
  request.set_yaml(yaml);
  v1::ScenarioHandle handle;
  Require(stub_->RegisterScenario(&context, request, &handle), "RegisterScenario");
  return handle.scenario_id();
}

std::unique_ptr<Batch> Client::CreateBatch(const v1::CreateBatchRequest& request) {
  grpc::ClientContext context;
  v1::BatchSpec spec;
  Require(stub_->CreateBatch(&context, request, &spec), "CreateBatch");
  return std::unique_ptr<Batch>(new Batch(stub_.get(), std::move(spec), request.owner()));
}

}  // namespace planarium
