#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "env/term.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"sensor", ParamType::kInteger, "first lidar", "-",
                "position in the robot's sensor list", 0.0, 64.0},
};

// The lidar a term reads; refuses a robot without one.
int RequireLidar(const Params& params, const TermSetup& setup) {
  const int k = setup.FindLidar(params);
  if (k < 0)
    throw std::invalid_argument("needs a lidar2d on " + setup.spec().name +
                                ", which has none at that position");
  return k;
}

class LidarColumns : public ObservationTerm {
 public:
  LidarColumns(const Lidar2d& lidar, int sensor)
      : lidar_(lidar), sensor_(static_cast<std::size_t>(sensor)) {}

 protected:
  // "lidar.ranges[3] -1.518 rad": which beam a column is.
  std::vector<Column> BeamColumns(const char* name, double low, double high) const {
    std::vector<Column> columns;
    const auto angles = lidar_.beams().angles();
    for (std::size_t i = 0; i < angles.size(); ++i) {
      std::array<char, 64> label{};
      std::snprintf(label.data(), label.size(), "%s[%zu] %.3f rad", name, i, angles[i]);
      columns.push_back({label.data(), low, high});
    }
    return columns;
  }

  const Lidar2d& lidar_;
  std::size_t sensor_;
};

class LidarRanges final : public LidarColumns {
 public:
  using LidarColumns::LidarColumns;
  std::vector<Column> Columns() const override {
    return BeamColumns("lidar.ranges", lidar_.options().range_min, lidar_.options().range_max);
  }
  std::string unit() const override { return "m"; }
  double ScaleBy(std::string_view name) const override {
    return name == "range_max" ? lidar_.options().range_max : ObservationTerm::ScaleBy(name);
  }
  void Write(const AgentContext& context, float* out) const override {
    const LidarScan scan = context.sensors.scan(sensor_);
    std::copy(scan.ranges.begin(), scan.ranges.end(), out);
  }
};

class LidarValid final : public LidarColumns {
 public:
  using LidarColumns::LidarColumns;
  std::vector<Column> Columns() const override { return BeamColumns("lidar.valid", 0.0, 1.0); }
  std::string unit() const override { return "-"; }
  void Write(const AgentContext& context, float* out) const override {
    const LidarScan scan = context.sensors.scan(sensor_);
    std::copy(scan.valid.begin(), scan.valid.end(), out);
  }
};

template <typename Term>
std::unique_ptr<ObservationTerm> Make(const Params& params, const TermSetup& setup) {
  const int k = RequireLidar(params, setup);
  return std::make_unique<Term>(setup.lidar(k), k);
}

}  // namespace

extern const TermRow<ObservationTerm> kLidarRangesRow, kLidarValidRow;
const TermRow<ObservationTerm> kLidarRangesRow{"lidar.ranges",
                                               "range of every beam [m]; a miss reads range_max",
                                               kParams, &Make<LidarRanges>, true};
const TermRow<ObservationTerm> kLidarValidRow{"lidar.valid",
                                              "1 where a beam hit something within its range",
                                              kParams, &Make<LidarValid>, true};

}  // namespace planarium
