#include <algorithm>
#include <array>

#include "env/term.h"
#include "physics/math.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

constexpr int kMostObjects = 64;  // rows are sorted on the stack
constexpr std::array kParams{
    ParamSchema{"max", ParamType::kInteger, "8", "-", "number of nearest objects", 1.0,
                kMostObjects},
    ParamSchema{"range", ParamType::kNumber, "1000", "m",
                "bound of positions; farther objects are left out", 1e-6, kLargestNumber},
    ParamSchema{"speed", ParamType::kNumber, "100", "m/s", "bound of velocities", 1e-6,
                kLargestNumber},
};
constexpr std::array kField{"present", "x", "y", "vx", "vy", "radius"};

struct Near {
  double distance;
  int id;
};

/// The nearest other objects that are not fixed in every world, nearest first; missing rows are 0.
class ObjectsRelativeState final : public ObservationTerm {
 public:
  ObjectsRelativeState(int max, double range, double speed)
      : max_(static_cast<std::size_t>(max)), range_(range), speed_(speed) {}

  std::vector<Column> Columns() const override {
    std::vector<Column> columns;
    for (std::size_t k = 0; k < max_; ++k) {
      for (std::size_t f = 0; f < kField.size(); ++f) {
        const double bound = f == 0 ? 1.0 : (f == 3 || f == 4 ? speed_ : range_);
        const bool positive = f == 0 || f == 5;
        columns.push_back(
            {"objects[" + std::to_string(k) + "]." + kField[f], positive ? 0.0 : -bound, bound});
      }
    }
    return columns;
  }
  std::string unit() const override { return "-, m, m, m/s, m/s, m"; }

  void Write(const AgentContext& context, float* out) const override {
    std::array<Near, kMostObjects> nearest;
    const std::size_t count = Select(context, nearest);
    std::fill_n(out, max_ * kField.size(), 0.0F);
    for (std::size_t k = 0; k < count; ++k) {
      const ObjectState& other = context.world.object(nearest[k].id);
      const Twist2 twist = TwistOf(context.world, nearest[k].id);
      const Vec2 position = context.ToBody(
          {other.state[0] - context.self().state[0], other.state[1] - context.self().state[1]});
      const Vec2 velocity = context.ToBody({twist.vx, twist.vy});
      const std::array<double, 6> row{1.0,        position.x, position.y,
                                      velocity.x, velocity.y, other.shape.bounding_radius};
      std::ranges::transform(row, out + k * kField.size(),
                             [](double v) { return static_cast<float>(v); });
    }
  }

 private:
  // Insertion into a short sorted list; equal distances keep id order.
  std::size_t Select(const AgentContext& context, std::array<Near, kMostObjects>& nearest) const {
    std::size_t count = 0;
    for (const int id : context.world.spec().free_objects) {
      if (id == context.object) continue;
      const BodyState& state = context.world.object(id).state;
      const double distance =
          QuickHypot(state[0] - context.self().state[0], state[1] - context.self().state[1]);
      if (distance > range_) continue;
      std::size_t at = count;
      while (at > 0 && nearest[at - 1].distance > distance) --at;
      if (at >= max_) continue;
      count = std::min(count + 1, max_);
      std::copy_backward(nearest.begin() + static_cast<std::ptrdiff_t>(at),
                         nearest.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                         nearest.begin() + static_cast<std::ptrdiff_t>(count));
      nearest[at] = {distance, id};
    }
    return count;
  }

  std::size_t max_;
  double range_, speed_;
};

std::unique_ptr<ObservationTerm> Make(const Params& params, const TermSetup&) {
  return std::make_unique<ObjectsRelativeState>(
      params.Integer("max", 8), params.Number("range", 1000.0), params.Number("speed", 100.0));
}

}  // namespace

extern const TermRow<ObservationTerm> kObjectsRelativeRow;
const TermRow<ObservationTerm> kObjectsRelativeRow{
    "objects.relative_state",
    "nearest objects that differ between worlds: present, x, y, vx, vy in the robot's frame, "
    "radius",
    kParams, &Make};

}  // namespace planarium
