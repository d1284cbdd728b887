#include "env/term.h"

namespace planarium {
namespace {

/// Approach to the goal: distance before minus distance after. Sums to the first distance minus the
/// last one.
class ProgressGoal final : public RewardTerm {
 public:
  double Value(const AgentContext& context) const override { return context.memory.goal_progress; }
};

std::unique_ptr<RewardTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<ProgressGoal>();
}

}  // namespace

extern const TermRow<RewardTerm> kProgressGoalRow;
const TermRow<RewardTerm> kProgressGoalRow{
    "progress.goal", "metres gained towards the goal in this step", {}, &Make};

}  // namespace planarium
