// The server through real sockets, in this process.

#include <gtest/gtest.h>
#include <sysexits.h>

#include <atomic>
#include <limits>

#include "server/rpc_server.h"
#include "tests/server/rpc_testing.h"

namespace planarium {
namespace {

class RpcTest : public testing::Test {
 protected:
  RpcTest() { Start("unix:" + (directory_ / "s.sock")); }
  void Start(const std::string& listen) {
    server_.reset();
    server_ = std::make_unique<RpcServer>(ServerOptions{}, ParseListenAddress(listen));
    client_ = std::make_unique<Client>(server_->address());
  }
  std::unique_ptr<Batch> Create(std::uint32_t num_envs) {
    return client_->CreateBatch(MakeBatchRequest(client_.get(), num_envs));
  }
  static std::vector<float> Actions(const Batch& batch, float value) {
    return std::vector<float>(batch.spec().num_envs() * batch.spec().action().shape(0), value);
  }
  void ExpectAlive() { EXPECT_NO_THROW(Client(server_->address())); }

  TemporaryDirectory directory_;
  std::unique_ptr<RpcServer> server_;
  std::unique_ptr<Client> client_;
};

// All observations of a reply in slot order.
std::string Observations(const StepView& view) {
  std::string all;
  for (std::size_t part = 0; part < view.parts(); ++part) {
    all += view.reply(part).state().observations();
  }
  return all;
}

class RemoteTest : public ServiceTest {};

TEST_F(RemoteTest, StreamUnaryAndInProcessGiveTheSameRows) {
  const TemporaryDirectory directory;
  RpcServer server({}, ParseListenAddress("unix:" + (directory / "s.sock")));
  Client client(server.address());
  const auto stream = client.CreateBatch(MakeBatchRequest(&client, 12000));
  ASSERT_GT(stream->spec().chunk().parts(), 1u);
  v1::BatchSpec unary;
  grpc::ClientContext create;
  ASSERT_TRUE(client.stub().CreateBatch(&create, MakeBatchRequest(&client, 12000), &unary).ok());
  Create(12000);

  ReplyRef local;
  v1::StepReply part;
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    std::string over_unary;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::StepReply>> reader;
    v1::StepRequest step = MakeStep(seq, 0.1f * static_cast<float>(seq));
    v1::ResetRequest reset = MakeReset(seq);
    const std::vector<float> actions(action_values(), 0.1f * static_cast<float>(seq));
    const StepView& view = seq == 1 ? stream->Reset() : stream->Step(actions);
    ASSERT_THAT(seq == 1 ? service_->Reset(reset, &local) : service_->Step(step, &local), IsOk());
    step.set_batch_id(unary.batch_id());
    reset.set_batch_id(unary.batch_id());
    reader = seq == 1 ? client.stub().Reset(&context, reset) : client.stub().Step(&context, step);
    while (reader->Read(&part)) over_unary += part.state().observations();
    ASSERT_TRUE(reader->Finish().ok());

    std::string in_process;
    for (const v1::StepReply& piece : ParseReply(local)) {
      in_process += piece.state().observations();
    }
    EXPECT_EQ(Observations(view), in_process);
    EXPECT_EQ(over_unary, in_process);
  }
}

TEST_F(RpcTest, TcpOnLoopbackWorksWithAnyFreePort) {
  Start("127.0.0.1:0");
  EXPECT_FALSE(server_->address().ends_with(":0"));
  const auto batch = Create(3);
  EXPECT_EQ(batch->Reset().rows(0), 3u);
}

TEST_F(RpcTest, ASecondServerOnOnePortIsRefused) {
  Start("127.0.0.1:0");
  try {
    const RpcServer second({}, ParseListenAddress(server_->address()));
    FAIL() << "two servers on " << server_->address();
  } catch (const StartupError& error) {
    EXPECT_EQ(error.exit_code(), EX_UNAVAILABLE);
  }
}

TEST_F(RpcTest, HealthIsServedAndReflectionIsNot) {
  const RawReply health = RawCall(server_->address(), "/grpc.health.v1.Health/Check", "");
  ASSERT_TRUE(health.status.ok()) << health.status.error_message();
  EXPECT_EQ(health.bytes, "\x08\x01");  // status: SERVING
  const RawReply reflection = RawCall(
      server_->address(), "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "");
  EXPECT_EQ(reflection.status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(RpcTest, MalformedMessagesHarmNobody) {
  const auto batch = Create(2);
  batch->Reset();
  const std::string garbage("\xff\xff\xff\xff\xff", 5);
  for (const char* method :
       {"GetServerInfo", "ValidateScenario", "RegisterScenario", "CreateBatch", "DescribeBatch",
        "ListBatches", "DestroyBatch", "Step", "Reset", "Render", "GetWorldState"}) {
    const RawReply reply =
        RawCall(server_->address(), std::string("/planarium.v1.Planarium/") + method, garbage);
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(reply.status.error_message(), testing::HasSubstr("these bytes are no")) << method;
  }
  EXPECT_NO_THROW(batch->Step(Actions(*batch, 0.0f)));
}

TEST_F(RpcTest, MessagesAboveTheLimitAndCompressedOnesAreRefused) {
  const std::string method = "/planarium.v1.Planarium/RegisterScenario";
  EXPECT_EQ(RawCall(server_->address(), method, std::string(17u << 20, 'x')).status.error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  const RawReply bomb =
      RawCall(server_->address(), method, std::string(1u << 20, '\0'), GRPC_COMPRESS_GZIP);
  EXPECT_EQ(bomb.status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  ExpectAlive();
}

TEST_F(RpcTest, ErrorTextsArrive) {
  try {
    client_->RegisterScenario("bad.yaml", "world: {height: 1, width: 1}\nrobto: []\n");
    FAIL();
  } catch (const ClientError& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), testing::HasSubstr("bad.yaml:2:1"));
  }
}

TEST_F(RpcTest, ARefusedFrameIsAnsweredAndTheStreamGoesOn) {
  const auto batch = Create(4);
  batch->Reset();
  std::vector<float> actions = Actions(*batch, 0.0f);
  actions[3] = std::numeric_limits<float>::quiet_NaN();
  try {
    batch->Step(actions);
    FAIL();
  } catch (const ClientError& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), testing::HasSubstr("slot 1 robot_0[1] = nan"));
  }
  actions[3] = 0.0f;
  EXPECT_EQ(batch->Step(actions).rows(0), 4u);
}

TEST_F(RpcTest, ASecondWriterIsRefusedAndTheFirstUndisturbed) {
  const auto batch = Create(2);
  batch->Reset();
  grpc::ClientContext context;
  const auto stream = client_->stub().Attach(&context);
  v1::ClientFrame frame;
  frame.mutable_hello()->set_batch_id(batch->spec().batch_id());
  stream->Write(frame);
  v1::ServerFrame answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.error().code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(batch->Step(Actions(*batch, 0.0f)).rows(0), 2u);
}

TEST_F(RpcTest, AStreamMustBeginWithHello) {
  grpc::ClientContext context;
  const auto stream = client_->stub().Attach(&context);
  v1::ClientFrame frame;
  frame.mutable_step()->set_seq(1);
  stream->Write(frame);
  v1::ServerFrame answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error().message(), testing::HasSubstr("must be Hello"));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

// Opens a stream by hand on a batch that nobody else writes to.
class StreamTest : public RpcTest {
 protected:
  void Open(std::uint32_t num_envs, double lease_seconds = 0.0) {
    v1::CreateBatchRequest request = MakeBatchRequest(client_.get(), num_envs);
    request.set_lease_seconds(lease_seconds);
    grpc::ClientContext context;
    ASSERT_TRUE(client_->stub().CreateBatch(&context, request, &spec_).ok());
    stream_ = client_->stub().Attach(&context_);
    v1::ClientFrame hello;
    hello.mutable_hello()->set_batch_id(spec_.batch_id());
    stream_->Write(hello);
    ASSERT_TRUE(stream_->Read(&answer_));
    ASSERT_TRUE(answer_.has_welcome());
    v1::ClientFrame reset;
    reset.mutable_reset()->set_seq(1);
    stream_->Write(reset);
    ReadReply(1);
  }
  void WriteStep(std::uint64_t seq) {
    v1::ClientFrame frame;
    frame.mutable_step()->set_seq(seq);
    frame.mutable_step()->set_policy("dash");
    stream_->Write(frame);
  }
  void ReadReply(std::uint64_t seq) {
    std::uint32_t part = 0;
    do {
      ASSERT_TRUE(stream_->Read(&answer_));
      ASSERT_TRUE(answer_.has_reply()) << answer_.error().message();
      ASSERT_EQ(answer_.reply().seq(), seq);
      ASSERT_EQ(answer_.reply().part(), part);
    } while (++part < answer_.reply().parts());
  }
  v1::BatchSpec spec_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientFrame, v1::ServerFrame>> stream_;
  v1::ServerFrame answer_;
};

TEST_F(StreamTest, ManyFramesInFlightAreAnsweredInOrder) {
  Open(300);
  for (std::uint64_t seq = 2; seq <= 60; ++seq) WriteStep(seq);
  for (std::uint64_t seq = 2; seq <= 60; ++seq) ReadReply(seq);
}

TEST_F(StreamTest, LargeRepliesWithFramesInFlightStayWhole) {
  Open(8000);
  for (std::uint64_t seq = 2; seq <= 12; ++seq) WriteStep(seq);
  for (std::uint64_t seq = 2; seq <= 12; ++seq) ReadReply(seq);
}

TEST_F(StreamTest, HalfClosingAfterTheLastFrameStillGetsItsAnswer) {
  Open(300);
  WriteStep(2);
  stream_->WritesDone();
  ReadReply(2);
  EXPECT_FALSE(stream_->Read(&answer_));
  EXPECT_TRUE(stream_->Finish().ok());
}

TEST_F(StreamTest, ByeEndsTheStreamAndKeepsTheBatch) {
  Open(2);
  v1::ClientFrame bye;
  bye.mutable_bye();
  stream_->Write(bye);
  EXPECT_FALSE(stream_->Read(&answer_));
  EXPECT_TRUE(stream_->Finish().ok());
  EXPECT_EQ(CountBatches(client_.get()), 1);
}

TEST_F(StreamTest, ABatchDestroyedByAnotherClientAnswersNotFound) {
  Open(2);
  grpc::ClientContext context;
  v1::BatchRef ref;
  ref.set_batch_id(spec_.batch_id());
  v1::DestroyBatchReply none;
  ASSERT_TRUE(client_->stub().DestroyBatch(&context, ref, &none).ok());
  WriteStep(2);
  ASSERT_TRUE(stream_->Read(&answer_));
  EXPECT_EQ(answer_.error().code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(answer_.error().seq(), 2u);
}

TEST_F(StreamTest, ABatchOutlivesItsStreamByItsLease) {
  Open(300, 0.3);
  for (std::uint64_t seq = 2; seq <= 20; ++seq) WriteStep(seq);
  context_.TryCancel();  // the client is gone in the middle of its frames
  EXPECT_TRUE(Eventually([&] { return CountBatches(client_.get()) == 0; }));
  EXPECT_EQ(server_->service().budget().used(), 0u);
  ExpectAlive();
}

TEST_F(StreamTest, DrainingEndsIdleStreamsWithUnavailable) {
  Open(2);
  server_->Drain(std::chrono::seconds(5));
  EXPECT_FALSE(stream_->Read(&answer_));
  const grpc::Status status = stream_->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("draining"));
}

TEST_F(RpcTest, DrainingUnderLoadLosesNoAnswer) {
  const auto batch = Create(64);
  batch->Reset();
  std::atomic<int> steps{0};
  std::atomic<int> code{0};
  std::jthread stepper([&] {
    code = ErrorCodeOf([&] {
      while (true) {
        ASSERT_EQ(batch->Step(Actions(*batch, 0.1f)).rows(0), 64u);
        ++steps;
      }
    });
  });
  ASSERT_TRUE(Eventually([&] { return steps > 20; }));
  const auto start = std::chrono::steady_clock::now();
  server_->Drain(std::chrono::seconds(8));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  stepper.join();
  EXPECT_EQ(code, grpc::StatusCode::UNAVAILABLE);
}

TEST_F(RpcTest, GiantBatchesDoNotHoldUpASmallOne) {
  const auto small = Create(1);
  small->Reset();
  // One more than gRPC has threads for callbacks on a small machine.
  constexpr int kGiants = 3;
  std::vector<std::unique_ptr<Batch>> giants;
  for (int i = 0; i < kGiants; ++i) giants.push_back(Create(30'000));
  std::atomic<int> running{kGiants};
  std::vector<std::jthread> steppers;
  for (const auto& giant : giants) {
    steppers.emplace_back([&running, &giant] {
      giant->Reset();
      for (int step = 0; step < 3; ++step) giant->StepWith("dash");
      --running;
    });
  }
  int steps = 0;
  while (running == kGiants) {
    small->Step(Actions(*small, 0.0f));
    ++steps;
  }
  EXPECT_GT(steps, 20);
  RecordProperty("small_steps", steps);
}

TEST_F(RpcTest, ManyClientsComeAndGo) {
  std::vector<std::jthread> clients;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        Client client(server_->address());
        const auto batch =
            client.CreateBatch(MakeBatchRequest(&client, static_cast<std::uint32_t>(1 + i)));
        batch->Reset();
        for (int step = 0; step < 10; ++step) {
          if (batch->Step(Actions(*batch, 0.2f)).rows(0) != 1u + i) ++failures;
        }
      }
    });
  }
  clients.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(CountBatches(client_.get()), 0);
}

// A step can be answered while gRPC is still reporting the end of the write before it: the two once
// freed one buffer twice, about once in 4000 steps (address sanitizer).
TEST_F(RpcTest, AnAnswerMayComeBeforeTheEndOfTheWriteBefore) {
  constexpr int kSteps = 3000;
  std::atomic<int> failures{0};
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      Client client(server_->address());
      const auto batch = client.CreateBatch(MakeBatchRequest(&client, 1));
      batch->Reset();
      for (int step = 0; step < kSteps; ++step) {
        if (batch->Step(Actions(*batch, 0.2f)).rows(0) != 1u) ++failures;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace planarium
