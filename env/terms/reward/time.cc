#include "env/term.h"

namespace planarium {
namespace {

class TimeStep final : public RewardTerm {
 public:
  double Value(const AgentContext&) const override { return 1.0; }
};

std::unique_ptr<RewardTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<TimeStep>();
}

}  // namespace

extern const TermRow<RewardTerm> kTimeStepRow;
const TermRow<RewardTerm> kTimeStepRow{"time.step", "1 in every step", {}, &Make};

}  // namespace planarium
