#include "env/term.h"

namespace planarium {
namespace {

class Arrived final : public RewardTerm {
 public:
  double Value(const AgentContext& context) const override {
    return context.memory.arrived ? 1.0 : 0.0;
  }
};

class Collided final : public RewardTerm {
 public:
  double Value(const AgentContext& context) const override {
    return context.memory.collided ? 1.0 : 0.0;
  }
};

template <typename Term>
std::unique_ptr<RewardTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<Term>();
}

}  // namespace

extern const TermRow<RewardTerm> kRewardArrivedRow, kRewardCollidedRow;
const TermRow<RewardTerm> kRewardArrivedRow{
    "event.arrived", "1 in a step in which the robot arrived at its last goal", {}, &Make<Arrived>};
const TermRow<RewardTerm> kRewardCollidedRow{
    "event.collided", "1 in a step in which the robot touched something", {}, &Make<Collided>};

}  // namespace planarium
