#include "server/reply.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "planarium/v1/planarium.pb.h"
#include "tests/server/service_testing.h"

namespace planarium {
namespace {

// Writes a value that names column, slot and position, wherever the sink points.
void PutFloat(float* column, std::size_t index, float value) {
  std::memcpy(reinterpret_cast<std::byte*>(column) + index * sizeof(float), &value, sizeof(value));
}

float FloatAt(int column, std::size_t slot, std::size_t i) {
  return static_cast<float>(column) * 1e6f + static_cast<float>(slot) * 64.0f +
         static_cast<float>(i);
}

std::uint8_t FlagAt(int column, std::size_t slot) {
  return static_cast<std::uint8_t>((slot + static_cast<std::size_t>(column)) % 251);
}

void FillRow(const RowShape& shape, const RowSink& sink, std::size_t slot) {
  const PartRows& part = sink.parts[slot / sink.rows_per_part];
  const std::size_t row = slot % sink.rows_per_part;
  const std::size_t a = shape.num_agents;
  for (std::size_t i = 0; i < a * shape.observation_width; ++i) {
    PutFloat(part.observations, row * a * shape.observation_width + i, FloatAt(1, slot, i));
  }
  for (std::size_t i = 0; i < a; ++i) {
    PutFloat(part.rewards, row * a + i, FloatAt(2, slot, i));
    part.terminated[row * a + i] = FlagAt(3, slot + i);
    part.truncated[row * a + i] = FlagAt(4, slot + i);
    part.alive[row * a + i] = FlagAt(6, slot + i);
  }
  part.first[row] = FlagAt(5, slot);
  if (part.reward_terms == nullptr) return;
  for (std::size_t i = 0; i < a * shape.reward_terms; ++i) {
    PutFloat(part.reward_terms, row * a * shape.reward_terms + i, FloatAt(7, slot, i));
  }
}

void ExpectRows(const RowShape& shape, const v1::StepReply& part, RewardTerms terms) {
  const auto observations = Unpack<float>(part.state().observations());
  const auto rewards = Unpack<float>(part.state().rewards());
  const auto reward_terms = Unpack<float>(part.state().reward_terms());
  const std::size_t a = shape.num_agents;
  const std::size_t width = a * shape.observation_width;
  ASSERT_EQ(observations.size(), part.rows() * width);
  ASSERT_EQ(rewards.size(), part.rows() * a);
  ASSERT_EQ(part.state().terminated().size(), part.rows() * a);
  ASSERT_EQ(part.state().truncated().size(), part.rows() * a);
  ASSERT_EQ(part.state().alive().size(), part.rows() * a);
  ASSERT_EQ(part.state().first().size(), part.rows());
  const std::size_t term_width = terms == RewardTerms::kInclude ? a * shape.reward_terms : 0;
  ASSERT_EQ(reward_terms.size(), part.rows() * term_width);
  for (std::size_t row = 0; row < part.rows(); ++row) {
    const std::size_t slot = part.first_slot() + row;
    for (std::size_t i = 0; i < width; ++i) {
      ASSERT_EQ(observations[row * width + i], FloatAt(1, slot, i)) << slot << " " << i;
    }
    for (std::size_t i = 0; i < a; ++i) {
      ASSERT_EQ(rewards[row * a + i], FloatAt(2, slot, i));
      ASSERT_EQ(std::uint8_t(part.state().terminated()[row * a + i]), FlagAt(3, slot + i));
      ASSERT_EQ(std::uint8_t(part.state().truncated()[row * a + i]), FlagAt(4, slot + i));
      ASSERT_EQ(std::uint8_t(part.state().alive()[row * a + i]), FlagAt(6, slot + i));
    }
    ASSERT_EQ(std::uint8_t(part.state().first()[row]), FlagAt(5, slot));
    for (std::size_t i = 0; i < term_width; ++i) {
      ASSERT_EQ(reward_terms[row * term_width + i], FloatAt(7, slot, i));
    }
  }
}

struct LayoutCase {
  RowShape shape;
  std::size_t chunk_bytes;
};

class ReplyLayout : public testing::TestWithParam<LayoutCase> {};

TEST_P(ReplyLayout, PartsParseToExactlyTheRows) {
  const auto& [shape, chunk_bytes] = GetParam();
  const ReplyPlan plan = PlanReply(shape, chunk_bytes);
  const auto reply = std::make_shared<Reply>(plan);

  // Switching the reward terms on and off must not leave traces of the other layout.
  for (const RewardTerms terms : {RewardTerms::kOmit, RewardTerms::kInclude, RewardTerms::kOmit}) {
    const RowSink sink = reply->Begin(terms);
    for (std::size_t slot = 0; slot < shape.num_envs; ++slot) FillRow(shape, sink, slot);
    v1::StepReply tail;
    tail.mutable_timing()->set_simulate_ns(5);
    std::vector<std::string> tails(plan.parts);
    tails.back() = tail.SerializeAsString();
    reply->Complete(300, tails);

    const std::vector<v1::StepReply> parts = ParseReply(reply);
    std::size_t next_slot = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].seq(), 300u);
      EXPECT_EQ(parts[i].part(), i);
      EXPECT_EQ(parts[i].parts(), plan.parts);
      EXPECT_EQ(parts[i].first_slot(), next_slot);
      EXPECT_EQ(parts[i].has_timing(), i + 1 == parts.size());
      EXPECT_TRUE(parts[i].GetReflection()->GetUnknownFields(parts[i]).empty());
      ExpectRows(shape, parts[i], terms);
      next_slot += parts[i].rows();
    }
    EXPECT_EQ(next_slot, shape.num_envs);
  }
}

TEST_P(ReplyLayout, FramedPartsAreServerFramesWithinTheChunk) {
  const auto& [shape, chunk_bytes] = GetParam();
  const ReplyPlan plan = PlanReply(shape, chunk_bytes);
  Reply reply(plan);
  reply.Begin(RewardTerms::kInclude);
  reply.Complete(~std::uint64_t{0}, std::vector<std::string>(plan.parts));
  for (std::size_t i = 0; i < reply.parts(); ++i) {
    const WirePart part = reply.Part(i, Framing::kServerFrame);
    std::string wire(reinterpret_cast<const char*>(part.head.data()), part.head_bytes);
    wire.append(reinterpret_cast<const char*>(part.body.data()), part.body.size());
    wire.append(part.tail);
    v1::ServerFrame frame;
    ASSERT_TRUE(frame.ParseFromString(wire));
    EXPECT_EQ(frame.reply().seq(), ~std::uint64_t{0});
    EXPECT_EQ(frame.reply().part(), i);
    EXPECT_LE(part.size(), plan.rows_per_part > 1 ? chunk_bytes : ~std::size_t{0});
    const float* const rows = reply.Begin(RewardTerms::kInclude).parts[i].observations;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows) % 64, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReplyLayout,
    testing::Values(LayoutCase{{1, 1, 1, 0}, 786'432}, LayoutCase{{1, 1, 185, 5}, 786'432},
                    LayoutCase{{127, 1, 3, 1}, 786'432}, LayoutCase{{128, 1, 3, 1}, 65'536},
                    LayoutCase{{1024, 1, 185, 5}, 786'432}, LayoutCase{{4096, 1, 185, 5}, 786'432},
                    LayoutCase{{300, 3, 40, 2}, 65'536}, LayoutCase{{1000, 2, 10, 3}, 5'000},
                    LayoutCase{{7, 1, 30'000, 4}, 65'536}, LayoutCase{{65'537, 1, 2, 1}, 786'432}));

TEST(ReplyPlan, RowsLargerThanAChunkTravelAlone) {
  const ReplyPlan plan = PlanReply({5, 1, 1'000'000, 0}, 65'536);
  EXPECT_EQ(plan.rows_per_part, 1u);
  EXPECT_EQ(plan.parts, 5u);
}

TEST(ReplyPlan, FillsChunksWithoutWastingMessages) {
  const RowShape shape{4096, 1, 185, 5};
  const ReplyPlan plan = PlanReply(shape, 786'432);
  const std::size_t end = 3 * 4 + 3 + 2 * 8 + 8 + 2 * 8;
  const std::size_t row = 185 * 4 + 4 + 1 + 1 + 1 + 1 + 5 * 4 + end;
  EXPECT_GT((plan.rows_per_part + 6) * row, 786'432u - 4096u);
}

TEST(ReplyPool, UsesMemoryAgainAndOutlivesItsBatch) {
  std::shared_ptr<ReplyPool> pool = ReplyPool::Make(PlanReply({64, 1, 185, 5}, 786'432));
  std::shared_ptr<Reply> first = pool->Acquire();
  first->Begin(RewardTerms::kOmit).parts[0].alive[63] = 123;
  first.reset();
  std::shared_ptr<Reply> again = pool->Acquire();
  EXPECT_EQ(again->Begin(RewardTerms::kOmit).parts[0].alive[63], 123);  // fresh memory is zero

  // The transport may hold a reply longer than the batch exists.
  pool.reset();
  again->Begin(RewardTerms::kOmit);
  std::thread([reply = std::move(again)]() mutable { reply.reset(); }).join();
}

TEST(ReplyPool, RefusesWhenTheClientDoesNotRead) {
  const std::shared_ptr<ReplyPool> pool = ReplyPool::Make(PlanReply({8192, 1, 185, 5}, 786'432));
  std::vector<std::shared_ptr<Reply>> held;
  for (std::shared_ptr<Reply> reply = pool->Acquire(); reply != nullptr; reply = pool->Acquire()) {
    held.push_back(std::move(reply));
    ASSERT_LE(held.size(), 16u);
  }
  EXPECT_GE(held.size(), ReplyPool::kUsualReplies);
  held.pop_back();
  EXPECT_NE(pool->Acquire(), nullptr);
}

}  // namespace
}  // namespace planarium
