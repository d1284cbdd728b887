#include <algorithm>
#include <array>
#include <stdexcept>

#include "env/term.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"sensor", ParamType::kInteger, "first lidar", "-",
                "position in the robot's sensor list", 0.0, 64.0},
    ParamSchema{"margin", ParamType::kNumber, "1.0", "m", "ranges above it cost nothing", 0.0, 1e6},
};

/// How far the shortest range lies inside the margin.
class LidarMargin final : public RewardTerm {
 public:
  LidarMargin(int sensor, double margin)
      : sensor_(static_cast<std::size_t>(sensor)), margin_(margin) {}
  double Value(const AgentContext& context) const override {
    const LidarScan scan = context.sensors.scan(sensor_);
    return std::max(0.0, margin_ - static_cast<double>(*std::ranges::min_element(scan.ranges)));
  }

 private:
  std::size_t sensor_;
  double margin_;
};

std::unique_ptr<RewardTerm> Make(const Params& params, const TermSetup& setup) {
  const int k = setup.FindLidar(params);
  if (k < 0)
    throw std::invalid_argument("needs a lidar2d on " + setup.spec().name +
                                ", which has none at that position");
  return std::make_unique<LidarMargin>(k, params.Number("margin", 1.0));
}

}  // namespace

extern const TermRow<RewardTerm> kLidarMarginRow;
const TermRow<RewardTerm> kLidarMarginRow{"lidar.margin", "max(0, margin - shortest range) [m]",
                                          kParams, &Make, true};

}  // namespace planarium
