// Sequence numbers, the writer, the lease: what a batch keeps beside its worlds.

#include "server/session.h"

#include <gtest/gtest.h>

#include "tests/server/service_testing.h"

namespace planarium {
namespace {

using std::chrono::seconds;

class SequenceTest : public ServiceTest {
 protected:
  SequenceTest() {
    Create(3);
    MustReset(1);
  }
  ReplyRef MustStep(const v1::StepRequest& request) {
    ReplyRef reply;
    const Status status = service_->Step(request, &reply);
    EXPECT_TRUE(status.ok()) << status.text;
    return reply;
  }
};

TEST_F(SequenceTest, EchoesTheNumber) {
  EXPECT_EQ(MustStep(MakeStep(2))->seq(), 2u);
  EXPECT_EQ(MustStep(MakeStep(3))->seq(), 3u);
}

TEST_F(SequenceTest, ARepeatedRequestGetsTheSameReplyAndStepsNothing) {
  const ReplyRef first = MustStep(MakeStep(2));
  const std::string observations = ParseReply(first)[0].state().observations();
  EXPECT_EQ(MustStep(MakeStep(2)), first);
  EXPECT_EQ(ParseReply(first)[0].state().observations(), observations);
  v1::WorldStateRequest look;
  look.set_batch_id(id_);
  v1::WorldState world;
  ASSERT_THAT(service_->GetWorldState(look, &world), IsOk());
  EXPECT_EQ(world.step(), 1u);
}

TEST_F(SequenceTest, ARepeatedResetGetsTheSameReply) {
  ReplyRef first;
  ReplyRef again;
  v1::ResetRequest request = MakeReset(2);
  request.set_seed(11);
  ASSERT_THAT(service_->Reset(request, &first), IsOk());
  ASSERT_THAT(service_->Reset(request, &again), IsOk());
  EXPECT_EQ(first, again);
}

TEST_F(SequenceTest, ARepeatedNumberWithOtherContentIsRefused) {
  MustStep(MakeStep(2, 0.5f));
  EXPECT_THAT(Step(MakeStep(2, 0.75f)),
              IsStatus(StatusCode::kFailedPrecondition, "came with another request"));
  EXPECT_THAT(Reset(MakeReset(2)),
              IsStatus(StatusCode::kFailedPrecondition, "came with another request"));
}

TEST_F(SequenceTest, GapsAndOldNumbersNameWhatIsExpected) {
  MustStep(MakeStep(2));
  MustStep(MakeStep(3));
  EXPECT_THAT(Step(MakeStep(118)), IsStatus(StatusCode::kFailedPrecondition,
                                            "seq: got 118, expected 4 (3 was the last accepted)"));
  EXPECT_THAT(Step(MakeStep(2)), IsStatus(StatusCode::kFailedPrecondition, "got 2, expected 4"));
  EXPECT_THAT(Step(MakeStep(4)), IsOk());
}

TEST_F(SequenceTest, ARefusedRequestTakesNoNumber) {
  v1::StepRequest bad = MakeStep(2);
  bad.set_actions("xyz");
  EXPECT_THAT(Step(bad), IsStatus(StatusCode::kInvalidArgument, "3 bytes"));
  EXPECT_THAT(Step(MakeStep(2)), IsOk());
}

TEST_F(SequenceTest, UnnumberedRequestsBreakTheChainOfRepeats) {
  MustStep(MakeStep(2));
  MustStep(MakeStep(0));
  EXPECT_THAT(Step(MakeStep(2)), IsStatus(StatusCode::kFailedPrecondition, "expected 3"));
  EXPECT_THAT(Step(MakeStep(3)), IsOk());
}

TEST_F(SequenceTest, TheFirstNumberIsOne) {
  Create(1);
  EXPECT_THAT(Reset(MakeReset(2)),
              IsStatus(StatusCode::kFailedPrecondition, "expected 1 (nothing accepted yet)"));
  EXPECT_THAT(Reset(MakeReset(1)), IsOk());
}

class WriterTest : public ServiceTest {
 protected:
  WriterTest() { Create(2); }
  Status Attach(const std::string& owner, std::unique_ptr<BatchWriter>* writer) {
    v1::Hello hello;
    hello.set_batch_id(id_);
    hello.set_protocol_major(1);
    hello.set_owner(owner);
    welcome_.Clear();
    return service_->OpenWriter(hello, writer, &welcome_);
  }
  Status Send(BatchWriter* writer, std::uint64_t seq) {
    v1::ClientFrame frame;
    *frame.mutable_step() = MakeStep(seq);
    ReplyRef reply;
    return writer->Handle(&frame, &reply);
  }
  v1::Welcome welcome_;
};

TEST_F(WriterTest, WelcomesWithSpecAndNextNumber) {
  MustReset(1);
  ASSERT_THAT(Step(MakeStep(2)), IsOk());
  std::unique_ptr<BatchWriter> writer;
  ASSERT_THAT(Attach("bob", &writer), IsOk());
  EXPECT_EQ(welcome_.next_seq(), 3u);
  EXPECT_EQ(welcome_.spec().batch_id(), id_);
  EXPECT_EQ(welcome_.spec().observation().columns().size(), spec_.observation().columns().size());
}

TEST_F(WriterTest, ASecondStreamIsToldWhoHoldsTheBatchAndHowLongItIsIdle) {
  std::unique_ptr<BatchWriter> first;
  std::unique_ptr<BatchWriter> second;
  ASSERT_THAT(Attach("bob", &first), IsOk());
  clock_.Advance(seconds(4));
  const Status refused = Attach("eve", &second);
  EXPECT_THAT(refused, IsStatus(StatusCode::kFailedPrecondition, "of \"bob\", idle 4 s"));
  EXPECT_EQ(second, nullptr);

  first.reset();
  EXPECT_THAT(Attach("eve", &second), IsOk());
}

TEST_F(WriterTest, UnaryCallsDoNotWriteWhileAStreamIsAttached) {
  MustReset(1);
  std::unique_ptr<BatchWriter> writer;
  ASSERT_THAT(Attach("", &writer), IsOk());
  EXPECT_THAT(Step(MakeStep(2)), IsStatus(StatusCode::kFailedPrecondition, "of \"alice\""));
  EXPECT_THAT(Send(writer.get(), 2), IsOk());
  writer.reset();
  EXPECT_THAT(Step(MakeStep(3)), IsOk());
}

TEST_F(WriterTest, AnEmptyFrameIsRefused) {
  std::unique_ptr<BatchWriter> writer;
  ASSERT_THAT(Attach("bob", &writer), IsOk());
  v1::ClientFrame frame;
  ReplyRef reply;
  EXPECT_THAT(writer->Handle(&frame, &reply), IsStatus(StatusCode::kInvalidArgument, "frame"));
}

TEST_F(WriterTest, ADestroyedBatchAnswersItsStreamWithNotFound) {
  MustReset(1);
  std::unique_ptr<BatchWriter> writer;
  ASSERT_THAT(Attach("bob", &writer), IsOk());
  v1::BatchRef ref;
  ref.set_batch_id(id_);
  v1::DestroyBatchReply none;
  ASSERT_THAT(service_->DestroyBatch(ref, &none), IsOk());
  EXPECT_EQ(service_->budget().used(), 0u);
  EXPECT_THAT(Send(writer.get(), 2), IsStatus(StatusCode::kNotFound, id_));
}

class LeaseTest : public WriterTest {
 protected:
  std::size_t Batches() {
    v1::BatchList list;
    EXPECT_THAT(service_->ListBatches({}, &list), IsOk());
    return static_cast<std::size_t>(list.batches_size());
  }
};

TEST_F(LeaseTest, AnUnusedBatchIsFreedAfterItsLease) {
  clock_.Advance(seconds(59));
  EXPECT_EQ(service_->ReapExpired(), 0u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(service_->ReapExpired(), 1u);
  EXPECT_EQ(Batches(), 0u);
  EXPECT_EQ(service_->budget().used(), 0u);
  EXPECT_THAT(Step(MakeStep(1)), IsStatus(StatusCode::kNotFound, "its lease ended"));
}

TEST_F(LeaseTest, EveryKindOfTrafficRenewsIt) {
  MustReset(1);
  v1::BatchRef ref;
  ref.set_batch_id(id_);
  v1::RenderRequest render;
  render.set_batch_id(id_);
  render.set_width(16);
  render.set_height(16);
  v1::WorldStateRequest look;
  look.set_batch_id(id_);
  std::uint64_t seq = 2;
  const std::vector<std::function<Status()>> traffic{[&] { return Step(MakeStep(seq++)); },
                                                     [&] { return Reset(MakeReset(seq++)); },
                                                     [&] {
                                                       v1::BatchSpec spec;
                                                       return service_->DescribeBatch(ref, &spec);
                                                     },
                                                     [&] {
                                                       v1::Frame frame;
                                                       return service_->Render(render, &frame);
                                                     },
                                                     [&] {
                                                       v1::WorldState world;
                                                       return service_->GetWorldState(look, &world);
                                                     }};
  for (const auto& call : traffic) {
    clock_.Advance(seconds(59));
    EXPECT_THAT(call(), IsOk());
    EXPECT_EQ(service_->ReapExpired(), 0u);
  }
  clock_.Advance(seconds(60));
  EXPECT_EQ(service_->ReapExpired(), 1u);
}

TEST_F(LeaseTest, AnAttachedStreamHoldsItAndItsEndStartsIt) {
  std::unique_ptr<BatchWriter> writer;
  ASSERT_THAT(Attach("bob", &writer), IsOk());
  clock_.Advance(seconds(1000));
  EXPECT_EQ(service_->ReapExpired(), 0u);
  writer.reset();
  clock_.Advance(seconds(59));
  EXPECT_EQ(service_->ReapExpired(), 0u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(service_->ReapExpired(), 1u);
}

TEST_F(LeaseTest, AClientMayChooseItsLength) {
  v1::CreateBatchRequest request = MakeRequest(1);
  request.set_lease_seconds(2.5);
  CreateFrom(request);
  EXPECT_EQ(spec_.lease_seconds(), 2.5);
  clock_.Advance(std::chrono::milliseconds(2500));
  EXPECT_EQ(service_->ReapExpired(), 1u);
  EXPECT_EQ(Batches(), 1u);
}

}  // namespace
}  // namespace planarium
