#include "env/term.h"

#include <stdexcept>

namespace planarium {

double ObservationTerm::ScaleBy(std::string_view name) const {
  throw std::invalid_argument("scale.by: got '" + std::string(name) +
                              "', this term has no such quantity");
}

int TermSetup::FindLidar(const Params& params) const {
  const auto& sensors = scenario.plans[static_cast<std::size_t>(object)].sensors;
  const int wanted = params.Integer("sensor", -1);
  for (int k = 0; k < static_cast<int>(sensors.size()); ++k) {
    const bool matches = wanted < 0 || wanted == k;
    if (matches &&
        dynamic_cast<const Lidar2d*>(sensors[static_cast<std::size_t>(k)].get()) != nullptr)
      return k;
  }
  return -1;
}

const Lidar2d& TermSetup::lidar(int k) const {
  return static_cast<const Lidar2d&>(
      *scenario.plans[static_cast<std::size_t>(object)].sensors[static_cast<std::size_t>(k)]);
}

}  // namespace planarium
