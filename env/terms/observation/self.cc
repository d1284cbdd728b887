#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "env/term.h"
#include "physics/angle.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kMaxParams{
    ParamSchema{"max", ParamType::kNumber, "1000", "m", "bound of x and y", 1e-6, kLargestNumber},
};

constexpr std::array kRowParams{
    ParamSchema{"row", ParamType::kInteger, "all", "-", "one row of the command only", 0.0, 2.0},
};

constexpr std::array<const char*, 3> kRowName{"0", "1", "2"};

// Rows of a command that a term shows: all, or the one that parameter `row` names.
struct RowRange {
  std::size_t first, count;
};
RowRange ReadRows(const Params& params, const ObjectSpec& spec) {
  const int rows = ActionDim(spec.kinematics.drive);
  if (!params.Has("row")) return {0, static_cast<std::size_t>(rows)};
  const int row = params.Integer("row", 0);
  if (row >= rows) {
    throw std::invalid_argument("row: got " + std::to_string(row) + ", " + spec.name +
                                " has rows 0.." + std::to_string(rows - 1));
  }
  return {static_cast<std::size_t>(row), 1};
}

// One column per shown row. Zero is always within: a stopped robot stands still whatever its limits
// are.
std::vector<Column> CommandColumns(const std::string& name, const ObjectSpec& spec, RowRange rows) {
  std::vector<Column> columns;
  for (std::size_t k = rows.first; k < rows.first + rows.count; ++k) {
    const double start = spec.initial_velocity[k];
    columns.push_back({name + "[" + kRowName[k] + "]",
                       std::min({0.0, spec.kinematics.velocity_min[k], start}),
                       std::max({0.0, spec.kinematics.velocity_max[k], start})});
  }
  return columns;
}

class SelfPose final : public ObservationTerm {
 public:
  explicit SelfPose(double max) : max_(max) {}
  std::vector<Column> Columns() const override {
    return {
        {"self.pose.x", -max_, max_}, {"self.pose.y", -max_, max_}, {"self.pose.theta", -kPi, kPi}};
  }
  std::string unit() const override { return "m, m, rad"; }
  void Write(const AgentContext& context, float* out) const override {
    const BodyState& state = context.self().state;
    out[0] = static_cast<float>(state[0]);
    out[1] = static_cast<float>(state[1]);
    out[2] = static_cast<float>(WrapToPi(state[2]));
  }

 private:
  double max_;
};

class SelfVelocity final : public ObservationTerm {
 public:
  SelfVelocity(const ObjectSpec& spec, RowRange rows)
      : first_(rows.first), columns_(CommandColumns("self.velocity", spec, rows)) {}
  std::vector<Column> Columns() const override { return columns_; }
  std::string unit() const override { return "command frame"; }
  void Write(const AgentContext& context, float* out) const override {
    const Command& velocity = context.self().velocity;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      out[k] = static_cast<float>(velocity[first_ + k]);
    }
  }

 private:
  std::size_t first_;
  std::vector<Column> columns_;
};

class SelfLastAction final : public ObservationTerm {
 public:
  explicit SelfLastAction(int width) : width_(static_cast<std::size_t>(width)) {}
  std::vector<Column> Columns() const override {
    std::vector<Column> columns;
    for (std::size_t k = 0; k < width_; ++k)
      columns.push_back({std::string("self.last_action[") + kRowName[k] + "]", -1.0, 1.0});
    return columns;
  }
  std::string unit() const override { return "-"; }
  void Write(const AgentContext& context, float* out) const override {
    std::copy_n(context.memory.action.begin(), width_, out);
  }

 private:
  std::size_t width_;
};

class SelfCommand final : public ObservationTerm {
 public:
  SelfCommand(const ObjectSpec& spec, const ActionSpec& action, RowRange rows)
      : first_(rows.first), columns_(CommandColumns("self.command", spec, rows)) {
    for (std::size_t k = 0; k < columns_.size() && first_ + k < action.range.size(); ++k) {
      columns_[k].low = std::min(0.0, action.range[first_ + k][0]);
      columns_[k].high = std::max(0.0, action.range[first_ + k][1]);
    }
  }
  std::vector<Column> Columns() const override { return columns_; }
  std::string unit() const override { return "command frame"; }
  void Write(const AgentContext& context, float* out) const override {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      out[k] = static_cast<float>(context.memory.command[first_ + k]);
    }
  }

 private:
  std::size_t first_;
  std::vector<Column> columns_;
};

class SelfTimeLeft final : public ObservationTerm {
 public:
  std::vector<Column> Columns() const override { return {{"self.time_left", 0.0, 1.0}}; }
  std::string unit() const override { return "-"; }
  void Write(const AgentContext& context, float* out) const override {
    const double limit = context.memory.max_steps;
    *out = limit > 0.0 ? static_cast<float>(1.0 - context.memory.steps / limit) : 1.0F;
  }
};

class SelfCollision final : public ObservationTerm {
 public:
  std::vector<Column> Columns() const override { return {{"self.collision_flag", 0.0, 1.0}}; }
  std::string unit() const override { return "-"; }
  void Write(const AgentContext& context, float* out) const override {
    *out = context.memory.collided ? 1.0F : 0.0F;
  }
};

template <typename Term>
std::unique_ptr<ObservationTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<Term>();
}
std::unique_ptr<ObservationTerm> MakePose(const Params& params, const TermSetup&) {
  return std::make_unique<SelfPose>(params.Number("max", 1000.0));
}
std::unique_ptr<ObservationTerm> MakeVelocity(const Params& params, const TermSetup& setup) {
  return std::make_unique<SelfVelocity>(setup.spec(), ReadRows(params, setup.spec()));
}
std::unique_ptr<ObservationTerm> MakeLastAction(const Params&, const TermSetup& setup) {
  return std::make_unique<SelfLastAction>(ActionDim(setup.spec().kinematics.drive));
}
std::unique_ptr<ObservationTerm> MakeCommand(const Params& params, const TermSetup& setup) {
  return std::make_unique<SelfCommand>(setup.spec(), setup.task.action,
                                       ReadRows(params, setup.spec()));
}

}  // namespace

using Row = TermRow<ObservationTerm>;
extern const Row kSelfPoseRow, kSelfVelocityRow, kSelfLastActionRow, kSelfCommandRow,
    kSelfTimeLeftRow, kSelfCollisionRow;
const Row kSelfPoseRow{"self.pose", "x, y [m] and heading in [-pi, pi) [rad] in the world frame",
                       kMaxParams, &MakePose};
const Row kSelfVelocityRow{"self.velocity", "stored velocity in the command frame of the drive",
                           kRowParams, &MakeVelocity};
const Row kSelfLastActionRow{
    "self.last_action", "last action within [-1, 1]; 0 at the start", {}, &MakeLastAction};
const Row kSelfCommandRow{
    "self.command",
    "last action mapped to its range, before the robot's own limits; 0 at the start", kRowParams,
    &MakeCommand};
const Row kSelfTimeLeftRow{"self.time_left",
                           "share of the time limit that is left, 1 without a limit",
                           {},
                           &Make<SelfTimeLeft>};
const Row kSelfCollisionRow{
    "self.collision_flag", "1 after a step with a collision", {}, &Make<SelfCollision>};

}  // namespace planarium
