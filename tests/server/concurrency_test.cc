// Handlers called from many threads at once; the tsan preset watches.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "server/lease_reaper.h"
#include "tests/server/service_testing.h"

namespace planarium {
namespace {

std::vector<std::jthread> Repeat(int threads, int rounds, const std::function<void(int)>& work) {
  std::vector<std::jthread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([=] {
      for (int round = 0; round < rounds; ++round) work(thread);
    });
  }
  return all;
}

TEST_F(ServiceTest, ManyClientsOnOneBatchAreServedOneAfterAnother) {
  Create(8);
  MustReset();
  std::atomic<int> steps{0};
  {
    const auto writers = Repeat(3, 50, [&](int) { steps += Step(MakeStep(0)).ok() ? 1 : 0; });
    const auto readers = Repeat(2, 10, [&](int thread) {
      v1::WorldStateRequest look;
      look.set_batch_id(id_);
      look.set_slot(static_cast<std::uint32_t>(thread));
      v1::WorldState world;
      EXPECT_THAT(service_->GetWorldState(look, &world), IsOk());
      v1::RenderRequest render;
      render.set_batch_id(id_);
      render.set_width(64);
      render.set_height(64);
      v1::Frame frame;
      EXPECT_THAT(service_->Render(render, &frame), IsOk());
    });
  }
  EXPECT_EQ(steps, 150);
}

TEST_F(ServiceTest, BatchesComeAndGoWhileOthersStep) {
  Create(4);
  MustReset();
  const v1::CreateBatchRequest request = MakeRequest(2);
  std::atomic<int> failures{0};
  {
    const LeaseReaper reaper(service_.get());
    const auto steppers = Repeat(1, 100, [&](int) { failures += Step(MakeStep(0)).ok() ? 0 : 1; });
    const auto makers = Repeat(3, 15, [&](int) {
      v1::BatchSpec spec;
      failures += service_->CreateBatch(request, &spec).ok() ? 0 : 1;
      v1::ResetRequest reset;
      reset.set_batch_id(spec.batch_id());
      failures += Reset(reset).ok() ? 0 : 1;
      v1::BatchList list;
      failures += service_->ListBatches({}, &list).ok() ? 0 : 1;
      v1::BatchRef ref;
      ref.set_batch_id(spec.batch_id());
      v1::DestroyBatchReply none;
      failures += service_->DestroyBatch(ref, &none).ok() ? 0 : 1;
    });
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(ServiceTest, ABatchDestroyedUnderItsWriterEndsCleanly) {
  for (int round = 0; round < 20; ++round) {
    Create(4);
    MustReset(1);
    std::jthread stepper([&] {
      for (std::uint64_t seq = 2; Step(MakeStep(seq)).ok(); ++seq) {
      }
    });
    v1::BatchRef ref;
    ref.set_batch_id(id_);
    v1::DestroyBatchReply none;
    EXPECT_THAT(service_->DestroyBatch(ref, &none), IsOk());
  }
  EXPECT_EQ(service_->budget().used(), 0u);
}

TEST_F(ServiceTest, RepliesMayBeDroppedByAnyThreadAtAnyTime) {
  Create(16);
  MustReset(1);
  std::vector<std::jthread> transports;
  for (std::uint64_t seq = 2; seq < 60; ++seq) {
    ReplyRef reply;
    ASSERT_THAT(service_->Step(MakeStep(seq), &reply), IsOk());
    transports.emplace_back(
        [reply = std::move(reply), seq] { EXPECT_EQ(ParseReply(reply)[0].seq(), seq); });
    if (transports.size() > 4) transports.erase(transports.begin());
  }
}

}  // namespace
}  // namespace planarium
