#include "env/term.h"

namespace planarium {
namespace {

class BoundsLeft final : public TerminationTerm {
 public:
  bool Holds(const AgentContext& context) const override {
    const Aabb& bounds = context.world.spec().bounds;
    const BodyState& state = context.self().state;
    return !(state[0] >= bounds.min_x && state[0] <= bounds.max_x && state[1] >= bounds.min_y &&
             state[1] <= bounds.max_y);
  }
};

std::unique_ptr<TerminationTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<BoundsLeft>();
}

}  // namespace

extern const TermRow<TerminationTerm> kBoundsLeftRow;
const TermRow<TerminationTerm> kBoundsLeftRow{
    "bounds.left", "the robot's origin left the world rectangle", {}, &Make};

}  // namespace planarium
