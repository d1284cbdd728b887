// The handlers without gRPC: what they answer, and every way in which they refuse.

#include "server/service.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/server/service_testing.h"

namespace planarium {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST_F(ServiceTest, ServerInfoTellsVersionLimitsAndCatalogue) {
  v1::ServerInfo info;
  ASSERT_THAT(service_->GetServerInfo({}, &info), IsOk());
  EXPECT_EQ(info.version(), "1.2.3");
  EXPECT_EQ(info.protocol_major(), 1u);
  EXPECT_EQ(info.limits().max_receive_bytes(), 16u << 20);
  EXPECT_EQ(info.limits().max_yaml_bytes(), 1u << 20);
  EXPECT_EQ(info.limits().max_worlds_per_batch(), 131'072u);
  EXPECT_EQ(info.limits().max_batches(), 64u);
  EXPECT_EQ(info.limits().max_world_bytes(), std::uint64_t{8} << 30);
  EXPECT_EQ(info.limits().max_status_bytes(), 1024u);
  EXPECT_EQ(info.limits().chunk_bytes(), 786'432u);
  std::set<std::string> kinds;
  for (const v1::CatalogueEntry& entry : info.catalogue()) {
    kinds.insert(entry.kind());
    EXPECT_FALSE(entry.doc().empty()) << entry.name();
  }
  EXPECT_TRUE(kinds.contains("observation") && kinds.contains("sensor") &&
              kinds.contains("behavior"));
}

TEST_F(ServiceTest, AnotherMajorProtocolIsRefused) {
  v1::ServerInfoRequest request;
  request.set_protocol_major(2);
  v1::ServerInfo info;
  EXPECT_THAT(service_->GetServerInfo(request, &info),
              IsStatus(StatusCode::kFailedPrecondition, "client speaks 2.0, server 1.0"));
  request.set_protocol_major(1);
  request.set_protocol_minor(99);
  EXPECT_THAT(service_->GetServerInfo(request, &info), IsOk());
}

TEST_F(ServiceTest, BatchSpecDescribesSpacesAndChunks) {
  Create(5000);
  EXPECT_EQ(spec_.num_envs(), 5000u);
  EXPECT_EQ(spec_.num_agents(), 1u);
  EXPECT_EQ(spec_.seed(), 7u);
  EXPECT_EQ(spec_.owner(), "alice");
  EXPECT_EQ(spec_.autoreset(), v1::AUTORESET_NEXT_STEP);
  ASSERT_EQ(spec_.observation().shape_size(), 1);
  const std::uint32_t width = spec_.observation().shape(0);
  EXPECT_EQ(spec_.observation().low().size(), width * sizeof(float));
  std::uint32_t columns = 0;
  for (const v1::ColumnBlock& block : spec_.observation().columns()) {
    EXPECT_EQ(block.start(), columns);
    EXPECT_EQ(static_cast<std::uint32_t>(block.labels_size()), block.width());
    columns += block.width();
  }
  EXPECT_EQ(columns, width);
  EXPECT_EQ(spec_.action().shape(0), 2u);
  EXPECT_EQ(Unpack<float>(spec_.action().high()), (std::vector<float>{1.0f, 1.0f}));
  ASSERT_EQ(spec_.lidars_size(), 1);
  EXPECT_EQ(Unpack<double>(spec_.lidars(0).angles()).size(), 16u);
  EXPECT_GE(spec_.chunk().rows_per_part() * spec_.chunk().parts(), 5000u);
  EXPECT_FALSE(spec_.task_yaml().empty());

  v1::BatchSpec again;
  v1::BatchRef ref;
  ref.set_batch_id(id_);
  ASSERT_THAT(service_->DescribeBatch(ref, &again), IsOk());
  EXPECT_EQ(again.SerializeAsString(), spec_.SerializeAsString());
  v1::BatchList list;
  ASSERT_THAT(service_->ListBatches({}, &list), IsOk());
  ASSERT_EQ(list.batches_size(), 1);
  EXPECT_EQ(list.batches(0).batch_id(), id_);
  EXPECT_TRUE(list.batches(0).task_yaml().empty());
}

TEST_F(ServiceTest, RepliesCarryEveryRowAndTheEndsOfTheirSlots) {
  v1::CreateBatchRequest request = MakeRequest(5000);
  request.set_max_episode_steps(2);
  CreateFrom(request);
  ReplyRef reply;
  ASSERT_THAT(service_->Reset(MakeReset(1), &reply), IsOk());
  std::vector<v1::StepReply> parts = ParseReply(reply);
  EXPECT_EQ(parts.size(), spec_.chunk().parts());
  EXPECT_FALSE(parts.back().has_ends());
  for (const v1::StepReply& part : parts) {
    EXPECT_EQ(part.state().first(), std::string(part.rows(), '\1'));
  }
  ASSERT_THAT(service_->Step(MakeStep(2, 0.0f), &reply), IsOk());
  v1::StepRequest second = MakeStep(3, 0.0f);
  second.set_want_reward_terms(true);
  ASSERT_THAT(service_->Step(second, &reply), IsOk());
  parts = ParseReply(reply);
  std::size_t truncated = 0;
  for (const v1::StepReply& part : parts) {
    for (const char flag : part.state().truncated()) truncated += flag != 0 ? 1 : 0;
    EXPECT_EQ(part.state().reward_terms().size(),
              part.rows() * static_cast<std::size_t>(spec_.reward_terms_size()) * sizeof(float));
    const v1::EpisodeEnds& ends = part.ends();
    const auto slots = Unpack<std::int32_t>(ends.slots());
    ASSERT_EQ(slots.size(), part.rows());
    EXPECT_EQ(static_cast<std::uint32_t>(slots.front()), part.first_slot());
    EXPECT_EQ(Unpack<std::int32_t>(ends.lengths()), std::vector<std::int32_t>(part.rows(), 2));
    EXPECT_EQ(std::uint8_t(ends.reasons()[0]), v1::END_REASON_TIME_LIMIT);
    EXPECT_TRUE(ends.final_observations().empty());
  }
  EXPECT_EQ(truncated, 5000u);
}

TEST_F(ServiceTest, MessagesStayWithinTheChunkWhenEveryEpisodeEnds) {
  for (const v1::AutoresetMode mode : {v1::AUTORESET_NEXT_STEP, v1::AUTORESET_SAME_STEP}) {
    v1::CreateBatchRequest request = MakeRequest(5000);
    request.set_autoreset(mode);
    request.set_max_episode_steps(1);
    CreateFrom(request);
    ReplyRef reply;
    ASSERT_THAT(service_->Reset(MakeReset(1), &reply), IsOk());
    v1::StepRequest step = MakeStep(2, 0.0f);
    step.set_want_reward_terms(true);
    ASSERT_THAT(service_->Step(step, &reply), IsOk());
    std::size_t ended = 0;
    for (const v1::StepReply& part : ParseReply(reply)) {
      EXPECT_LE(part.ByteSizeLong(), 786'432u);
      ended += part.ends().slots().size() / sizeof(std::int32_t);
    }
    EXPECT_EQ(ended, 5000u);
  }
}

TEST_F(ServiceTest, SeedsAreReportedAndRepeatable) {
  v1::CreateBatchRequest request = MakeRequest(1);
  request.clear_seed();
  CreateFrom(request);
  const std::uint64_t first = spec_.seed();
  CreateFrom(request);
  EXPECT_NE(spec_.seed(), first);
}

TEST_F(ServiceTest, SharesAreDealtOutOrCounted) {
  const std::string second = Register(std::string(kWorldYaml) + "\n# second\n");
  v1::CreateBatchRequest request = MakeRequest(5);
  request.add_scenarios()->set_scenario_id(second);
  CreateFrom(request);
  EXPECT_EQ(spec_.scenario_ids_size(), 2);

  request.mutable_scenarios(0)->set_count(1);
  EXPECT_THAT(service_->CreateBatch(request, &spec_),
              IsStatus(StatusCode::kInvalidArgument, "counts sum to 1 with 1 left out"));
  request.mutable_scenarios(1)->set_count(5);
  EXPECT_THAT(service_->CreateBatch(request, &spec_),
              IsStatus(StatusCode::kInvalidArgument, "counts sum to 6"));
  request.mutable_scenarios(1)->set_count(4);
  CreateFrom(request);
}

// Every refusal of CreateBatch: what is changed in a good request, and what the answer says.
struct BadCreate {
  const char* name;
  std::function<void(v1::CreateBatchRequest*)> spoil;
  StatusCode code;
  const char* text;
};

class CreateRefusal : public ServiceTest, public testing::WithParamInterface<BadCreate> {};

TEST_P(CreateRefusal, NamesTheField) {
  v1::CreateBatchRequest request = MakeRequest(4);
  GetParam().spoil(&request);
  v1::BatchSpec spec;
  EXPECT_THAT(service_->CreateBatch(request, &spec), IsStatus(GetParam().code, GetParam().text));
  EXPECT_EQ(service_->budget().used(), 0u);
}

using Request = v1::CreateBatchRequest;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
INSTANTIATE_TEST_SUITE_P(
    Fields, CreateRefusal,
    testing::Values(
        BadCreate{"NoScenario", [](Request* r) { r->clear_scenarios(); }, kInvalid, "scenarios"},
        BadCreate{"UnknownScenario",
                  [](Request* r) { r->mutable_scenarios(0)->set_scenario_id("nope\n"); },
                  StatusCode::kNotFound, "\"nope\\x0a\" is not registered"},
        BadCreate{"LongTaskName",
                  [](Request* r) {
                    r->set_task_name(std::string(257, 'n'));
                    r->set_task_yaml("task: {}");
                  },
                  kInvalid, "task_name: got 257 bytes, expected at most 256"},
        BadCreate{"NoWorlds", [](Request* r) { r->set_num_envs(0); }, kInvalid,
                  "num_envs: got 0, expected 1..131072"},
        BadCreate{"TooManyWorlds", [](Request* r) { r->set_num_envs(1'000'000); },
                  StatusCode::kResourceExhausted, "num_envs: got 1000000, limit 131072"},
        BadCreate{"SlotSeeds", [](Request* r) { r->add_slot_seeds(1); }, kInvalid,
                  "slot_seeds: got 1, expected 4"},
        BadCreate{"Autoreset",
                  [](Request* r) { r->set_autoreset(static_cast<v1::AutoresetMode>(9)); }, kInvalid,
                  "autoreset: got 9"},
        BadCreate{"Threads", [](Request* r) { r->set_threads(1000); }, kInvalid, "threads"},
        BadCreate{"Strict", [](Request* r) { r->set_compat(v1::COMPAT_STRICT); },
                  StatusCode::kUnimplemented, "STRICT"},
        BadCreate{"Compat", [](Request* r) { r->set_compat(static_cast<v1::Compat>(7)); }, kInvalid,
                  "compat: got 7"},
        BadCreate{"LongLease", [](Request* r) { r->set_lease_seconds(3601); }, kInvalid,
                  "lease_seconds"},
        BadCreate{"NegativeLease", [](Request* r) { r->set_lease_seconds(-1); }, kInvalid,
                  "lease_seconds"},
        BadCreate{"NanLease", [](Request* r) { r->set_lease_seconds(std::nan("")); }, kInvalid,
                  "lease_seconds"},
        BadCreate{"EpisodeSteps", [](Request* r) { r->set_max_episode_steps(1u << 31); }, kInvalid,
                  "max_episode_steps"},
        BadCreate{"Owner", [](Request* r) { r->set_owner(std::string(300, 'o')); }, kInvalid,
                  "owner"},
        BadCreate{"Task", [](Request* r) { r->set_task_yaml("task: {observatoins: []}"); },
                  kInvalid, "task task.yaml:1:"},
        BadCreate{"HugeTask", [](Request* r) { r->set_task_yaml(std::string(2u << 20, ' ')); },
                  StatusCode::kResourceExhausted, "task_yaml: got 2097152 bytes"}),
    [](const auto& test) { return test.param.name; });

// Every refusal of a Step of a batch of 3 worlds with actions (3, 1, 2).
struct BadStep {
  const char* name;
  std::function<void(v1::StepRequest*)> spoil;
  StatusCode code;
  const char* text;
};

class StepRefusal : public ServiceTest, public testing::WithParamInterface<BadStep> {};

TEST_P(StepRefusal, NamesFieldSlotAndElementAndChangesNothing) {
  Create(3);
  MustReset(1);
  v1::StepRequest request = MakeStep(2);
  GetParam().spoil(&request);
  EXPECT_THAT(Step(request), IsStatus(GetParam().code, GetParam().text));

  // Nothing was stepped, and the good request goes through under the same number.
  v1::WorldStateRequest look;
  look.set_batch_id(id_);
  v1::WorldState world;
  ASSERT_THAT(service_->GetWorldState(look, &world), IsOk());
  EXPECT_EQ(world.step(), 0u);
  EXPECT_THAT(Step(MakeStep(2)), IsOk());
}

void PutAction(v1::StepRequest* request, std::size_t index, float value) {
  std::memcpy(request->mutable_actions()->data() + index * sizeof(float), &value, sizeof(value));
}

using StepMessage = v1::StepRequest;
INSTANTIATE_TEST_SUITE_P(
    Fields, StepRefusal,
    testing::Values(
        BadStep{"UnknownBatch", [](StepMessage* r) { r->set_batch_id("b-99"); },
                StatusCode::kNotFound, "batch_id: \"b-99\" is unknown"},
        BadStep{"Nan", [](StepMessage* r) { PutAction(r, 5, kNan); }, kInvalid,
                "action: slot 2 robot_0[1] = nan (expected finite in [-1, 1]); 1 bad of 6"},
        BadStep{"Infinite", [](StepMessage* r) { PutAction(r, 2, -INFINITY); }, kInvalid,
                "slot 1 robot_0[0] = -inf"},
        BadStep{"NoActions", [](StepMessage* r) { r->clear_actions(); }, kInvalid,
                "action: got 0 bytes, expected 24 = f32 (3, 1, 2)"},
        BadStep{"ShortActions", [](StepMessage* r) { r->mutable_actions()->pop_back(); }, kInvalid,
                "action: got 23 bytes, expected 24"},
        BadStep{"DoubleActions", [](StepMessage* r) { r->mutable_actions()->append(24, '\0'); },
                kInvalid, "size of f64: cast with .astype(np.float32)"},
        BadStep{"Dtype",
                [](StepMessage* r) {
                  r->set_actions_dtype(v1::DTYPE_F64);
                  for (const std::uint32_t size : {3u, 1u, 2u}) r->add_actions_shape(size);
                },
                kInvalid,
                "action: got f64 (3, 1, 2), expected f32 (3, 1, 2); cast with "
                ".astype(np.float32)"},
        BadStep{"Shape",
                [](StepMessage* r) {
                  r->set_actions_dtype(v1::DTYPE_F32);
                  for (const std::uint32_t size : {2u, 1u, 3u}) r->add_actions_shape(size);
                },
                kInvalid, "action: got f32 (2, 1, 3), expected f32 (3, 1, 2)"},
        BadStep{"HugeShape",
                [](StepMessage* r) {
                  for (int i = 0; i < 1000; ++i) r->add_actions_shape(~0u);
                },
                kInvalid, "actions_shape: got 1000 dimensions"},
        BadStep{"PolicyWithActions", [](StepMessage* r) { r->set_policy("dash"); }, kInvalid,
                "actions: got 24 bytes, expected none when policy \"dash\""},
        BadStep{"UnknownPolicy",
                [](StepMessage* r) {
                  r->clear_actions();
                  r->set_policy("dahs");
                },
                kInvalid, "policy"}),
    [](const auto& test) { return test.param.name; });

TEST_F(ServiceTest, SteppingBeforeResetIsAFailedPrecondition) {
  Create(2);
  EXPECT_THAT(Step(MakeStep(1)), IsStatus(StatusCode::kFailedPrecondition, "Reset"));
  v1::RenderRequest render;
  render.set_batch_id(id_);
  v1::Frame frame;
  EXPECT_THAT(service_->Render(render, &frame),
              IsStatus(StatusCode::kFailedPrecondition, "call Reset first"));
}

TEST_F(ServiceTest, TheBuiltInPolicyDrives) {
  Create(2);
  MustReset(1);
  v1::StepRequest request;
  request.set_batch_id(id_);
  request.set_policy("dash");
  EXPECT_THAT(Step(request), IsOk());
}

TEST_F(ServiceTest, DoneRowsAreRefusedWhenDisabledAndFreeWhenResetting) {
  v1::CreateBatchRequest request = MakeRequest(2);
  request.set_max_episode_steps(1);
  request.set_autoreset(v1::AUTORESET_DISABLED);
  CreateFrom(request);
  MustReset(1);
  ASSERT_THAT(Step(MakeStep(2)), IsOk());
  EXPECT_THAT(Step(MakeStep(3)), IsStatus(StatusCode::kFailedPrecondition, "slots 0, 1 are done"));

  request.set_autoreset(v1::AUTORESET_NEXT_STEP);
  CreateFrom(request);
  MustReset(1);
  ASSERT_THAT(Step(MakeStep(2)), IsOk());
  EXPECT_THAT(Step(MakeStep(3, kNan)), IsOk());  // rows about to autoreset are not looked at
}

TEST_F(ServiceTest, BadResetsAreRefused) {
  Create(3);
  v1::ResetRequest request = MakeReset(0);
  request.set_mask("\1\1");
  EXPECT_THAT(Reset(request), IsStatus(kInvalid, "mask: got 2 entries, expected 3"));
  request.set_mask("\1\7\1");
  EXPECT_THAT(Reset(request), IsStatus(kInvalid, "mask: slot 1 = 7 (expected 0 or 1)"));
  request.clear_mask();
  request.add_slot_seeds(1);
  EXPECT_THAT(Reset(request), IsStatus(kInvalid, "slot_seeds: got 1 entries, expected 3"));
  request.add_slot_seeds(2);
  request.add_slot_seeds(3);
  request.set_seed(4);
  EXPECT_THAT(Reset(request), IsStatus(kInvalid, "both seed and slot_seeds"));
  request = MakeReset(0);
  request.set_episode_exact(true);
  EXPECT_THAT(Reset(request), IsStatus(kInvalid, "episode_exact: got no seeds"));
}

TEST_F(ServiceTest, SlotsOutOfRangeAndBadPicturesAreRefused) {
  Create(3);
  MustReset();
  v1::WorldStateRequest look;
  look.set_batch_id(id_);
  look.set_slot(3);
  v1::WorldState world;
  EXPECT_THAT(service_->GetWorldState(look, &world),
              IsStatus(kInvalid, "slot: got 3, expected 0..2"));
  v1::RenderRequest render;
  render.set_batch_id(id_);
  render.set_slot(~0u);
  v1::Frame frame;
  EXPECT_THAT(service_->Render(render, &frame), IsStatus(kInvalid, "slot: got 4294967295"));
  render.set_slot(0);
  render.set_width(5000);
  EXPECT_THAT(service_->Render(render, &frame), IsStatus(kInvalid, "width: got 5000"));
  render.set_width(64);
  render.set_height(15);
  EXPECT_THAT(service_->Render(render, &frame), IsStatus(kInvalid, "height: got 15"));
  render.set_height(32);
  render.set_format(static_cast<v1::RenderRequest::Format>(9));
  EXPECT_THAT(service_->Render(render, &frame), IsStatus(kInvalid, "format: got 9"));
  render.set_format(v1::RenderRequest::RGB);
  ASSERT_THAT(service_->Render(render, &frame), IsOk());
  EXPECT_EQ(frame.data().size(), 64u * 32u * 3u);
}

TEST_F(ServiceTest, BatchesAndMemoryAreLimited) {
  ServerLimits limits;
  limits.max_batches = 2;
  Start(limits);
  Create(1);
  Create(1);
  v1::BatchSpec spec;
  EXPECT_THAT(service_->CreateBatch(MakeRequest(1), &spec),
              IsStatus(StatusCode::kResourceExhausted, "batches: 2 exist, limit 2"));
  v1::BatchRef ref;
  ref.set_batch_id(id_);
  v1::DestroyBatchReply none;
  ASSERT_THAT(service_->DestroyBatch(ref, &none), IsOk());
  EXPECT_THAT(service_->DestroyBatch(ref, &none), IsStatus(StatusCode::kNotFound, id_));
  Create(1);

  limits.max_memory = 1u << 20;
  Start(limits);
  EXPECT_THAT(service_->CreateBatch(MakeRequest(100'000), &spec),
              IsStatus(StatusCode::kResourceExhausted, "num_envs: 100000 worlds need"));
  EXPECT_EQ(service_->budget().used(), 0u);
  Create(10);
  EXPECT_GT(service_->budget().used(), 0u);
}

TEST_F(ServiceTest, BatchMemoryIsPricedNearTheTruth) {
  Create(2000);
  const std::size_t rows = 2000u * spec_.observation().shape(0) * sizeof(float);
  EXPECT_GE(service_->budget().used(), spec_.total_bytes() + 3 * rows);
  EXPECT_LE(service_->budget().used(), 2 * spec_.total_bytes() + 6 * rows);
}

TEST_F(ServiceTest, ADrainingServerTakesNoNewWork) {
  Create(1);
  MustReset(1);
  service_->Drain();
  v1::BatchSpec spec;
  v1::ScenarioSource source;
  v1::ScenarioHandle handle;
  std::unique_ptr<BatchWriter> writer;
  v1::Hello hello;
  v1::Welcome welcome;
  hello.set_batch_id(id_);
  const StatusCode unavailable = StatusCode::kUnavailable;
  EXPECT_THAT(Step(MakeStep(2)), IsStatus(unavailable, "draining"));
  EXPECT_THAT(Reset(MakeReset(2)), IsStatus(unavailable, "draining"));
  EXPECT_THAT(service_->CreateBatch({}, &spec), IsStatus(unavailable, "draining"));
  EXPECT_THAT(service_->RegisterScenario(source, &handle), IsStatus(unavailable, "draining"));
  EXPECT_THAT(service_->OpenWriter(hello, &writer, &welcome), IsStatus(unavailable, "draining"));
  v1::ServerInfo info;
  EXPECT_THAT(service_->GetServerInfo({}, &info), IsOk());
}

}  // namespace
}  // namespace planarium
