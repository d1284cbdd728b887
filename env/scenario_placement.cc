#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "env/scenario_parts.h"
#include "physics/math.h"

namespace planarium {
namespace {

// IR-SIM keeps its default placements this far inside the world. [m]
constexpr double kMargin = 0.5;

const std::vector<double> kDefaultState{1.0, 1.0, 0.0};
const std::vector<double> kDefaultGoal{1.0, 9.0, 0.0};

std::span<ObjectSpec> EntryObjects(const EntryValues& entry, int first, LoadContext& context) {
  return std::span(context.scenario.world.objects)
      .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(entry.number()));
}

void ReadManualState(EntryValues& entry, int index, ObjectSpec& object, Findings& findings) {
  const YamlValue whole = entry.reader().Get("state");
  const YamlValue state = entry.Pick("state", index);
  // A null among several states is IR-SIM's own default, the origin.
  const std::vector<double> fallback = whole.given() ? std::vector<double>(3) : kDefaultState;
  const std::vector<double> values =
      ReadNumbers(state, fallback, {0, kMaxListLength}, kQuantity, findings);
  const int dimension = StateDim(object.kinematics.drive);
  object.initial_state = FitState(values, dimension);
  if (object.role != Role::kRobot || static_cast<int>(values.size()) == dimension) return;
  if (!state.given() && dimension == 4) return;  // the default has 3 numbers for every drive
  const bool too_long = static_cast<int>(values.size()) > dimension;
  findings.Add(Severity::kWarning, state.node, state.path,
               "the state of a " + std::string(DriveName(object.kinematics.drive)) + " robot has " +
                   std::to_string(dimension) + " numbers, got " + std::to_string(values.size()) +
                   (too_long ? ": the rest is not used" : ": padded with zeros"));
}

// One goal `[x, y, theta]`, or a queue of way-points `[[x, y, theta], ...]`.
void ReadManualGoal(EntryValues& entry, int index, ObjectSpec& object, LoadContext& context) {
  const YamlValue whole = entry.reader().Get("goal");
  const YamlValue goal = entry.Pick("goal", index);
  constexpr CountRule kPose{2, kMaxListLength};
  if (!whole.given()) {
    object.goals = {FitState(kDefaultGoal, kMaxStateDim)};
  } else if (!goal.given()) {
    object.goals.clear();  // a null among several goals: no goal at all
  } else if (goal.node->IsSequence() && !goal.node->items.empty() &&
             goal.node->items[0]->IsSequence()) {
    for (std::size_t i = 0; i < goal.node->items.size(); ++i) {
      const auto pose = ReadNumbers(goal.Item(i), kDefaultGoal, kPose, kQuantity, context.findings);
      object.goals.push_back(FitState(pose, kMaxStateDim));
    }
  } else {
    const auto pose = ReadNumbers(goal, kDefaultGoal, kPose, kQuantity, context.findings);
    object.goals = {FitState(pose, kMaxStateDim)};
  }
  context.vectors += object.goals.size();
}

// A random entry draws its states and goals for each episode; until then the objects stand in the
// middle of the range.
void ReadRandom(MapReader& reader, std::span<ObjectSpec> objects, LoadContext& context) {
  const Aabb& world = context.scenario.world.bounds;
  const std::vector<double> low =
      reader.Numbers("range_low", {world.min_x + kMargin, world.min_y + kMargin, -kPi},
                     {3, kMaxStateDim}, kQuantity);
  const std::vector<double> high =
      reader.Numbers("range_high", {world.max_x - kMargin, world.max_y - kMargin, kPi},
                     {3, kMaxStateDim}, kQuantity);
  RandomPlacement placement;
  std::copy_n(low.begin(), 3, placement.range_low.begin());
  std::copy_n(high.begin(), 3, placement.range_high.begin());
  placement.min_distance = reader.Number("min_distance", 1.0, kQuantity);
  std::array<double, 3> middle{};
  for (std::size_t i = 0; i < middle.size(); ++i) {
    middle[i] = 0.5 * (placement.range_low[i] + placement.range_high[i]);
    if (placement.range_low[i] <= placement.range_high[i]) continue;
    reader.Error("range_low", "range_low exceeds range_high in element " + std::to_string(i));
  }
  for (ObjectSpec& object : objects) {
    placement.objects.push_back(object.id);
    object.initial_state = {middle[0], middle[1], middle[2], 0.0};
    object.goals = {object.initial_state};
  }
  if (!objects.empty()) context.scenario.placements.push_back(std::move(placement));
}

// Around a circle, everyone heading for the opposite side. Headings are not wrapped.
void ReadCircle(MapReader& reader, std::span<ObjectSpec> objects, const Aabb& world) {
  const double width = world.max_x - world.min_x;
  const double height = world.max_y - world.min_y;
  const std::vector<double> center = reader.Numbers(
      "center", {world.min_x + width / 2, world.min_y + height / 2}, {2, kMaxStateDim}, kQuantity);
  const double radius = reader.Number("radius", std::min(width, height) / 2 - kMargin, kQuantity);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const double angle = kTwoPi * static_cast<double>(i) / static_cast<double>(objects.size());
    const SinCosPair direction = SinCos(angle);
    const double dx = radius * direction.cos;
    const double dy = radius * direction.sin;
    objects[i].initial_state = {center[0] + dx, center[1] + dy, angle - kPi, 0.0};
    objects[i].goals = {{center[0] - dx, center[1] - dy, angle - kPi, 0.0}};
  }
}

void NoteIgnored(MapReader& entry, std::string_view distribution) {
  for (const std::string_view key : {"state", "goal"}) {
    const YamlValue value = entry.Get(key);
    if (!value.given()) continue;
    entry.Note(key, "not used: the " + std::string(distribution) + " distribution gives it");
  }
}

}  // namespace

BodyState FitState(const std::vector<double>& values, int dimension) {
  BodyState state{};
  const std::size_t count = std::min(values.size(), static_cast<std::size_t>(dimension));
  std::copy_n(values.begin(), count, state.begin());
  return state;
}

void ReadPlacement(EntryValues& entry, int first, LoadContext& context) {
  const YamlValue value = entry.reader().Get("distribution");
  if (value.given() && value.node->IsText()) {
    context.findings.Add(Severity::kError, value.node, value.path,
                         "expected a mapping, got " + value.node->Describe(),
                         "write distribution: {name: " + value.node->text + "}");
    return;
  }
  MapReader reader(value, context.findings);
  const std::string name = value.given() ? reader.Text("name", "") : "manual";
  if (reader.Bool("3d", false)) reader.Error("3d", "3d distributions are not built");
  const std::span<ObjectSpec> objects = EntryObjects(entry, first, context);
  if (name == "manual") {
    for (int i = 0; i < entry.number() && context.vectors <= kMaxVectors; ++i) {
      ReadManualState(entry, i, objects[static_cast<std::size_t>(i)], context.findings);
      ReadManualGoal(entry, i, objects[static_cast<std::size_t>(i)], context);
    }
  } else if (name == "random") {
    NoteIgnored(entry.reader(), name);
    ReadRandom(reader, objects, context);
  } else if (name == "circle") {
    NoteIgnored(entry.reader(), name);
    ReadCircle(reader, objects, context.scenario.world.bounds);
  } else if (name == "uniform") {
    reader.Error("name", "distribution uniform is not built, in IR-SIM neither", "use random");
  } else if (reader.node() != nullptr) {
    const std::string nearest = Nearest(name, {"manual", "random", "circle"});
    reader.Error("name", "expected manual, random or circle, got '" + name + "'",
                 nearest.empty() ? "" : "did you mean " + nearest + "?");
  }
  reader.Finish(UnknownKeys::kWarn);
}

}  // namespace planarium
