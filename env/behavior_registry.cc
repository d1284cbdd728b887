#include "env/behavior_registry.h"

#include <algorithm>
#include <array>

namespace planarium {

// Rows stand in their behavior's source; adding one is its file and a line in each list here.
extern const BehaviorRow kDashRow;  // env/behaviors/dash.cc
extern const BehaviorRow kRvoRow;   // env/behaviors/rvo.cc

std::span<const BehaviorRow> BehaviorRegistry() {
  static const std::array rows{kDashRow, kRvoRow};
  return rows;
}

const BehaviorRow* FindBehavior(std::string_view name) {
  const auto rows = BehaviorRegistry();
  const auto found = std::ranges::find(rows, name, &BehaviorRow::name);
  return found == rows.end() ? nullptr : &*found;
}

bool IsUnbuiltBehavior(std::string_view name) { return name == "sfm" || name == "orca"; }

}  // namespace planarium
