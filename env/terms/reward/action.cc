#include <cmath>

#include "env/term.h"

namespace planarium {
namespace {

// Row of the command that turns the robot: the yaw rate, or an Ackermann car's steer; omni has
// none.
int TurnRow(Drive drive) {
  switch (drive) {
    case Drive::kDiff:
    case Drive::kAcker:
      return 1;
    case Drive::kOmniAngular:
      return 2;
    default:
      return -1;
  }
}

class ActionLinear final : public RewardTerm {
 public:
  double Value(const AgentContext& context) const override { return context.memory.command[0]; }
};

class ActionAbsAngular final : public RewardTerm {
 public:
  explicit ActionAbsAngular(int row) : row_(row) {}
  double Value(const AgentContext& context) const override {
    return row_ < 0 ? 0.0 : std::fabs(context.memory.command[static_cast<std::size_t>(row_)]);
  }

 private:
  int row_;
};

std::unique_ptr<RewardTerm> MakeLinear(const Params&, const TermSetup&) {
  return std::make_unique<ActionLinear>();
}
std::unique_ptr<RewardTerm> MakeAngular(const Params&, const TermSetup& setup) {
  return std::make_unique<ActionAbsAngular>(TurnRow(setup.spec().kinematics.drive));
}

}  // namespace

extern const TermRow<RewardTerm> kActionLinearRow, kActionAbsAngularRow;
const TermRow<RewardTerm> kActionLinearRow{
    "action.linear", "commanded forward speed [m/s]", {}, &MakeLinear};
const TermRow<RewardTerm> kActionAbsAngularRow{
    "action.abs_angular", "magnitude of the commanded turn [rad/s, acker: rad]", {}, &MakeAngular};

}  // namespace planarium
