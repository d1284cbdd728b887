#include "env/term_registry.h"

#include <array>

#include "env/behavior_registry.h"
#include "sensors/sensor_registry.h"

namespace planarium {

// Rows stand in their term's source (env/terms/KIND/); adding one is its row there and a line in
// each list here.
using ObservationRow = TermRow<ObservationTerm>;
extern const ObservationRow kLidarRangesRow, kLidarValidRow;  // observation/lidar.cc
extern const ObservationRow kGoalDistanceRow, kGoalBearingRow, kGoalCosSinRow,
    kGoalVectorRow;  // observation/goal.cc
extern const ObservationRow kSelfPoseRow, kSelfVelocityRow, kSelfLastActionRow, kSelfCommandRow,
    kSelfTimeLeftRow,
    kSelfCollisionRow;                            // observation/self.cc
extern const ObservationRow kObjectsRelativeRow;  // observation/objects.cc
using RewardRow = TermRow<RewardTerm>;
extern const RewardRow kRewardArrivedRow, kRewardCollidedRow;   // reward/event.cc
extern const RewardRow kProgressGoalRow;                        // reward/progress.cc
extern const RewardRow kActionLinearRow, kActionAbsAngularRow;  // reward/action.cc
extern const RewardRow kLidarMarginRow;                         // reward/lidar.cc
extern const RewardRow kTimeStepRow;                            // reward/time.cc
using TerminationRow = TermRow<TerminationTerm>;
extern const TerminationRow kArrivedRow, kCollidedRow;  // termination/event.cc
extern const TerminationRow kBoundsLeftRow;             // termination/bounds.cc
using CommandRow = TermRow<CommandTerm>;
extern const CommandRow kGoalUniformRow;  // command/goal_uniform.cc
using EventRow = TermRow<EventTerm>;
extern const EventRow kRobotSpawnRow;     // event/robot_spawn.cc
extern const EventRow kObjectScatterRow;  // event/object_scatter.cc

std::span<const ObservationRow> ObservationRegistry() {
  static const std::array rows{
      kLidarRangesRow,  kLidarValidRow,    kGoalDistanceRow,   kGoalBearingRow,    kGoalCosSinRow,
      kGoalVectorRow,   kSelfPoseRow,      kSelfVelocityRow,   kSelfLastActionRow, kSelfCommandRow,
      kSelfTimeLeftRow, kSelfCollisionRow, kObjectsRelativeRow};
  return rows;
}

std::span<const RewardRow> RewardRegistry() {
  static const std::array rows{kRewardArrivedRow, kRewardCollidedRow,   kProgressGoalRow,
                               kActionLinearRow,  kActionAbsAngularRow, kLidarMarginRow,
                               kTimeStepRow};
  return rows;
}

std::span<const TerminationRow> TerminationRegistry() {
  static const std::array rows{kArrivedRow, kCollidedRow, kBoundsLeftRow};
  return rows;
}

std::span<const CommandRow> CommandRegistry() {
  static const std::array rows{kGoalUniformRow};
  return rows;
}

std::span<const EventRow> EventRegistry() {
  static const std::array rows{kRobotSpawnRow, kObjectScatterRow};
  return rows;
}

namespace {

template <typename Rows>
void Append(std::string_view kind, const Rows& rows, std::vector<CatalogueRow>& out) {
  for (const auto& row : rows) out.push_back({kind, row.name, row.doc, row.params});
}

}  // namespace

std::vector<CatalogueRow> Catalogue() {
  std::vector<CatalogueRow> out;
  Append("observation", ObservationRegistry(), out);
  Append("reward", RewardRegistry(), out);
  Append("termination", TerminationRegistry(), out);
  Append("command", CommandRegistry(), out);
  Append("event", EventRegistry(), out);
  for (const SensorRow& row : SensorRegistry())
    out.push_back({"sensor", row.type, row.doc, row.params});
  Append("behavior", BehaviorRegistry(), out);
  return out;
}

}  // namespace planarium
