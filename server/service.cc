#include "server/service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "env/scenario_loader.h"
#include "server/describe.h"
#include "server/drawing.h"
#include "server/request_codec.h"
#include "server/scene.h"
#include "server/world_state.h"

namespace planarium {
namespace {

// Sides of a picture. Below 16 pixels nothing can be seen; 4096 x 4096 take 64 MiB to draw.
constexpr std::uint32_t kDefaultSide = 640;
constexpr std::uint32_t kMinSide = 16;
constexpr std::uint32_t kMaxSide = 4096;

int SideOf(const char* field, std::uint32_t pixels) {
  if (pixels == 0) return kDefaultSide;
  if (pixels < kMinSide || pixels > kMaxSide) {
    throw RequestError(StatusCode::kInvalidArgument,
                       std::string(field) + ": got " + std::to_string(pixels) + ", expected " +
                           std::to_string(kMinSide) + ".." + std::to_string(kMaxSide) +
                           " pixels or 0 for " + std::to_string(kDefaultSide));
  }
  return static_cast<int>(pixels);
}

DrawingOptions DrawingOptionsOf(const v1::RenderRequest& request) {
  DrawingOptions options;
  options.width = SideOf("width", request.width());
  options.height = SideOf("height", request.height());
  switch (request.format()) {
    case v1::RenderRequest::FORMAT_UNSPECIFIED:
    case v1::RenderRequest::PNG:
      options.format = ImageFormat::kPng;
      break;
    case v1::RenderRequest::RGB:
      options.format = ImageFormat::kRgb;
      break;
    default:
      throw RequestError(
          StatusCode::kInvalidArgument,
          "format: got " + std::to_string(request.format()) + ", expected PNG or RGB");
  }
  return options;
}

// The findings, and a warning of each asset: nothing that loads reads one yet.
void Report(const v1::ScenarioSource& source, const std::vector<Diagnostic>& findings,
            google::protobuf::RepeatedPtrField<v1::Diagnostic>* out) {
  constexpr int kMostAssets = 16;
  for (const Diagnostic& finding : findings) *out->Add() = DescribeDiagnostic(finding);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : source.assets()) names.push_back(Escape(name));
  std::ranges::sort(names);
  if (names.size() > kMostAssets) names.resize(kMostAssets);
  for (const std::string& name : names) {
    *out->Add() = DescribeDiagnostic({Severity::kWarning, Escape(source.name()), 0, 0,
                                      "assets[\"" + name + "\"]", "not used by this world", ""});
  }
}

int CountRobots(const WorldSpec& world) {
  return static_cast<int>(std::ranges::count(world.objects, Role::kRobot, &ObjectSpec::role));
}

}  // namespace

Status BatchWriter::Handle(v1::ClientFrame* frame, ReplyRef* reply) {
  return Guard("Attach", [&] {
    if (frame->has_step()) {
      *reply = session_->Step(std::move(*frame->mutable_step()), stream_);
    } else if (frame->has_reset()) {
      *reply = session_->Reset(std::move(*frame->mutable_reset()), stream_);
    } else {
      throw RequestError(StatusCode::kInvalidArgument,
                         "frame: got none or a second Hello, expected step, reset or bye");
    }
  });
}

PlanariumService::PlanariumService(ServiceOptions options)
    : options_(std::move(options)),
      scenarios_(options_.limits),
      factory_({options_.limits, options_.threads, options_.clock}, &scenarios_) {}

Status PlanariumService::GetServerInfo(const v1::ServerInfoRequest& request,
                                       v1::ServerInfo* reply) {
  return Guard("GetServerInfo", [&] {
    CheckProtocol(request.protocol_major(), request.protocol_minor());
    *reply = DescribeServer(options_.limits, options_.version, options_.threads);
  });
}

Status PlanariumService::ValidateScenario(const v1::ScenarioSource& request,
                                          v1::ScenarioReport* reply) {
  return Guard("ValidateScenario", [&] {
    CheckSource(request);
    const auto diagnostics = LintScenario(request.yaml(), request.name(), MakeLoadLimits());
    reply->set_valid(std::ranges::none_of(diagnostics, [](const Diagnostic& diagnostic) {
      return diagnostic.severity == Severity::kError;
    }));
    Report(request, diagnostics, reply->mutable_diagnostics());
  });
}

Status PlanariumService::RegisterScenario(const v1::ScenarioSource& request,
                                          v1::ScenarioHandle* reply) {
  return Guard("RegisterScenario", [&] {
    RequireNotDraining();
    CheckSource(request);
    std::shared_ptr<const Scenario> scenario;
    try {
      scenario = scenarios_.Add(LoadScenario(request.yaml(), request.name(), MakeLoadLimits()));
    } catch (const SpecError& error) {
      throw RequestError(StatusCode::kInvalidArgument, "scenario " + DescribeFindings(error));
    }
    reply->set_scenario_id(scenario->content_hash);
    reply->set_name(scenario->name);
    Report(request, scenario->diagnostics, reply->mutable_diagnostics());
    reply->set_num_robots(static_cast<std::uint32_t>(CountRobots(scenario->world)));
    reply->set_num_objects(static_cast<std::uint32_t>(scenario->world.num_objects()));
    reply->set_step_time(scenario->world.step_time);
  });
}

Status PlanariumService::CreateBatch(const v1::CreateBatchRequest& request, v1::BatchSpec* reply) {
  return Guard("CreateBatch", [&] {
    RequireNotDraining();
    std::shared_ptr<Session> session = factory_.Make(request, sessions_.NewId());
    *reply = session->spec();
    spdlog::debug("batch {}: {} worlds, {} bytes", session->id(), reply->num_envs(),
                  reply->total_bytes());
    sessions_.Add(std::move(session));
  });
}

Status PlanariumService::DescribeBatch(const v1::BatchRef& request, v1::BatchSpec* reply) {
  return Guard("DescribeBatch", [&] {
    const std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    session->Touch();
    *reply = session->spec();
  });
}

Status PlanariumService::ListBatches(const v1::ListBatchesRequest&, v1::BatchList* reply) {
  return Guard("ListBatches", [&] {
    for (const auto& session : sessions_.All()) {
      *reply->add_batches() = ShortBatchSpec(session->spec());
    }
  });
}

Status PlanariumService::DestroyBatch(const v1::BatchRef& request, v1::DestroyBatchReply*) {
  return Guard("DestroyBatch", [&] { sessions_.Remove(request.batch_id())->Close(); });
}

Status PlanariumService::Reset(v1::ResetRequest request, ReplyRef* reply) {
  return Guard("Reset", [&] {
    RequireNotDraining();
    const std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    *reply = session->Reset(std::move(request), kUnaryWriter);
  });
}

Status PlanariumService::Step(v1::StepRequest request, ReplyRef* reply) {
  return Guard("Step", [&] {
    RequireNotDraining();
    const std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    *reply = session->Step(std::move(request), kUnaryWriter);
  });
}

Status PlanariumService::Render(const v1::RenderRequest& request, v1::Frame* reply) {
  return Guard("Render", [&] {
    const std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    CheckSlot(request.slot(), session->spec().num_envs());
    const DrawingOptions options = DrawingOptionsOf(request);
    const LidarBeams lidar = request.hide_lidar() ? LidarBeams::kHide : LidarBeams::kShow;

    // The world is copied under the lock and drawn outside: steps need not wait for a picture.
    Scene scene;
    session->Inspect([&](const VectorEnv& env) { scene = MakeScene(env, request.slot(), lidar); });
    reply->set_width(static_cast<std::uint32_t>(options.width));
    reply->set_height(static_cast<std::uint32_t>(options.height));
    reply->set_data(DrawScene(scene, options));
  });
}

Status PlanariumService::GetWorldState(const v1::WorldStateRequest& request,
                                       v1::WorldState* reply) {
  return Guard("GetWorldState", [&] {
    const std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    CheckSlot(request.slot(), session->spec().num_envs());
    session->Inspect([&](const VectorEnv& env) { *reply = DescribeWorld(env, request.slot()); });
  });
}

Status PlanariumService::OpenWriter(const v1::Hello& request, std::unique_ptr<BatchWriter>* writer,
                                    v1::Welcome* reply) {
  return Guard("Attach", [&] {
    RequireNotDraining();
    CheckProtocol(request.protocol_major(), request.protocol_minor());
    std::shared_ptr<Session> session = sessions_.Find(request.batch_id());
    const WriterId stream = next_stream_++;
    reply->set_next_seq(session->Attach(stream, request.owner()));
    *reply->mutable_spec() = session->spec();
    *writer = std::make_unique<BatchWriter>(std::move(session), stream);
  });
}

std::size_t PlanariumService::ReapExpired() {
  const std::vector<std::string> reaped = sessions_.ReapExpired();
  for (const std::string& id : reaped) spdlog::info("batch {} freed: its lease ended", id);
  return reaped.size();
}

void PlanariumService::RequireNotDraining() const {
  if (!draining_) return;
  throw RequestError(StatusCode::kUnavailable, "server is draining; connect to another one");
}

void PlanariumService::CheckSource(const v1::ScenarioSource& source) const {
  if (source.name().empty()) {
    throw RequestError(StatusCode::kInvalidArgument,
                       "name: required, the file name that messages show");
  }
  RequireShort("name", source.name());
  if (source.yaml().empty()) {
    throw RequestError(StatusCode::kInvalidArgument,
                       "yaml: required, the text of \"" + Escape(source.name()) + "\"");
  }
  if (source.yaml().size() > options_.limits.max_yaml_bytes) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "yaml: \"" + Escape(source.name()) + "\" has " +
                           std::to_string(source.yaml().size()) + " bytes, limit " +
                           std::to_string(options_.limits.max_yaml_bytes) + " (--max-yaml-bytes)");
  }
}

LoadLimits PlanariumService::MakeLoadLimits() const {
  LoadLimits limits;
  limits.max_bytes = options_.limits.max_yaml_bytes;
  return limits;
}

}  // namespace planarium
