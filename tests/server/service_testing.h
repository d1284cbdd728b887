#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/service.h"

/// What the tests of the server share: a small world, a clock that tests turn, and a service whose
/// handlers are called directly, without gRPC.
namespace planarium {

inline constexpr std::string_view kWorldYaml = R"(world: {height: 10, width: 10, step_time: 0.1}
robot:
  - kinematics: {name: diff}
    shape: {name: circle, radius: 0.2}
    state: [2, 5, 0]
    goal: [8, 5, 0]
    vel_min: [-1, -1]
    vel_max: [1, 1]
    sensors:
      - {type: lidar2d, number: 16, range_max: 5, angle_range: 6.0}
obstacle:
  - {shape: {name: circle, radius: 0.5}, state: [5, 7, 0]}
  - {shape: {name: rectangle, length: 1, width: 2}, state: [5, 2, 0]}
)";

/// Time that passes only when a test says so.
class FakeClock {
 public:
  Clock clock() {
    return [now = now_] { return *now; };
  }
  void Advance(std::chrono::nanoseconds time) { *now_ += time; }

 private:
  std::shared_ptr<std::chrono::nanoseconds> now_ = std::make_shared<std::chrono::nanoseconds>(0);
};

/// A reply's messages put together, as a client reads them.
inline std::vector<v1::StepReply> ParseReply(const ReplyRef& reply) {
  std::vector<v1::StepReply> parts(reply->parts());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const WirePart part = reply->Part(i, Framing::kBare);
    std::string wire(reinterpret_cast<const char*>(part.head.data()), part.head_bytes);
    wire.append(reinterpret_cast<const char*>(part.body.data()), part.body.size());
    wire.append(part.tail);
    EXPECT_TRUE(parts[i].ParseFromString(wire));
  }
  return parts;
}

template <typename T>
std::vector<T> Unpack(const std::string& column) {
  std::vector<T> values(column.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), column.data(), column.size());
  return values;
}

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { Start({}); }

  void Start(const ServerLimits& limits) {
    ServiceOptions options;
    options.limits = limits;
    options.version = "1.2.3";
    options.clock = clock_.clock();
    service_ = std::make_unique<PlanariumService>(options);
  }

  std::string Register(std::string_view yaml = kWorldYaml) {
    v1::ScenarioSource source;
    source.set_name("small.yaml");
    source.set_yaml(std::string(yaml));
    v1::ScenarioHandle handle;
    const Status status = service_->RegisterScenario(source, &handle);
    EXPECT_TRUE(status.ok()) << status.text;
    return handle.scenario_id();
  }

  v1::CreateBatchRequest MakeRequest(std::uint32_t num_envs) {
    v1::CreateBatchRequest request;
    request.add_scenarios()->set_scenario_id(Register());
    request.set_num_envs(num_envs);
    request.set_seed(7);
    request.set_owner("alice");
    return request;
  }

  /// Makes a batch of `num_envs` worlds and keeps its id and spec.
  void Create(std::uint32_t num_envs) { CreateFrom(MakeRequest(num_envs)); }
  void CreateFrom(const v1::CreateBatchRequest& request) {
    spec_.Clear();
    const Status status = service_->CreateBatch(request, &spec_);
    ASSERT_TRUE(status.ok()) << status.text;
    id_ = spec_.batch_id();
  }

  std::size_t action_values() const {
    return std::size_t{spec_.num_envs()} * spec_.num_agents() * spec_.action().shape(0);
  }
  v1::StepRequest MakeStep(std::uint64_t seq, float action = 0.25f) const {
    const std::vector<float> actions(action_values(), action);
    v1::StepRequest request;
    request.set_batch_id(id_);
    request.set_seq(seq);
    request.set_actions(actions.data(), actions.size() * sizeof(float));
    return request;
  }
  v1::ResetRequest MakeReset(std::uint64_t seq) const {
    v1::ResetRequest request;
    request.set_batch_id(id_);
    request.set_seq(seq);
    return request;
  }

  /// The first Reset, which must succeed.
  void MustReset(std::uint64_t seq = 0) {
    ReplyRef reply;
    const Status status = service_->Reset(MakeReset(seq), &reply);
    ASSERT_TRUE(status.ok()) << status.text;
  }
  Status Step(const v1::StepRequest& request) {
    ReplyRef reply;
    return service_->Step(request, &reply);
  }
  Status Reset(const v1::ResetRequest& request) {
    ReplyRef reply;
    return service_->Reset(request, &reply);
  }

  FakeClock clock_;
  std::unique_ptr<PlanariumService> service_;
  std::string id_;
  v1::BatchSpec spec_;
};

MATCHER_P2(IsStatus, code, text, "") {
  *result_listener << "code " << static_cast<int>(arg.code) << ": " << arg.text;
  return arg.code == code && testing::Value(arg.text, testing::HasSubstr(text));
}
MATCHER(IsOk, "") {
  *result_listener << arg.text;
  return arg.ok();
}

}  // namespace planarium
