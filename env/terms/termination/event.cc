#include <array>
#include <stdexcept>

#include "env/term.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"with", ParamType::kText, "any", "-",
                "any, static, dynamic or robot: which partner counts"},
};

class Arrived final : public TerminationTerm {
 public:
  bool Holds(const AgentContext& context) const override { return context.memory.arrived; }
};

enum class Partner { kAny, kStatic, kDynamic, kRobot };

class Collided final : public TerminationTerm {
 public:
  explicit Collided(Partner with) : with_(with) {}
  bool Holds(const AgentContext& context) const override {
    if (!context.memory.collided) return false;
    if (with_ == Partner::kAny) return true;
    const ObjectSpec& other =
        context.world.spec().objects[static_cast<std::size_t>(context.memory.partner)];
    if (other.role == Role::kRobot) return with_ == Partner::kRobot;
    return with_ == (other.is_static ? Partner::kStatic : Partner::kDynamic);
  }

 private:
  Partner with_;
};

std::unique_ptr<TerminationTerm> MakeArrived(const Params&, const TermSetup&) {
  return std::make_unique<Arrived>();
}

std::unique_ptr<TerminationTerm> MakeCollided(const Params& params, const TermSetup&) {
  const std::string with = params.Text("with", "any");
  constexpr std::array<std::string_view, 4> names{"any", "static", "dynamic", "robot"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (with == names[k]) return std::make_unique<Collided>(static_cast<Partner>(k));
  }
  throw std::invalid_argument("with: got '" + with + "', expected any, static, dynamic or robot");
}

}  // namespace

extern const TermRow<TerminationTerm> kArrivedRow, kCollidedRow;
const TermRow<TerminationTerm> kArrivedRow{
    "event.arrived", "the robot arrived at its last goal", {}, &MakeArrived};
const TermRow<TerminationTerm> kCollidedRow{"event.collided", "the robot touched something",
                                            kParams, &MakeCollided};

}  // namespace planarium
