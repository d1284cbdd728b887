#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "env/scenario_parts.h"

namespace planarium {
namespace {

// Drawing and labels, and the numbers of contact mode, which are checked and then not used.
constexpr std::array<std::string_view, 9> kUnusedKeys{
    "color",      "description", "plot",    "group_name",  "fov",
    "fov_radius", "friction",    "inertia", "restitution",
};

// Keys whose lists are not worth a word.
bool IsQuietKey(std::string_view key) {
  return key == "color" || key == "distribution" || key == "number" || key == "sensors" ||
         key == "plot";
}

std::string Plural(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// Says how IR-SIM reads a list: nesting decides between one value for all and one per object.
void NoteList(EntryValues& entry, const std::string& key, const YamlNode& list) {
  const std::size_t given = list.items.size();
  const auto number = static_cast<std::size_t>(entry.number());
  if (given == number && number == 1) return;
  std::string text = "one " + key + " per object";
  if (given > number) {
    text += ": " + std::to_string(given) + " given for " + Plural(number, "object") +
            ", the rest is not used";
  } else if (given < number) {
    text += ": " + std::to_string(given) + " given for " + Plural(number, "object") +
            ", the last one is repeated";
  }
  if (key == "goal" && number == 1) {
    entry.reader().Warn(key, text,
                        "way-points of one object are nested once more: [[[x, y, theta], "
                        "[x, y, theta]]]");
    return;
  }
  entry.reader().Note(key, text);
}

void NoteLists(EntryValues& entry) {
  if (entry.number() == 0 || entry.reader().node() == nullptr) return;
  for (const YamlNode::Entry& pair : entry.reader().node()->entries) {
    const std::string& key = pair.key->text;
    const bool is_mass = key == "mass" || key == "friction" || key == "inertia";
    const auto flat = is_mass || key == "restitution" ? EntryValues::FlatList::kPerObject
                                                      : EntryValues::FlatList::kShared;
    if (!IsQuietKey(key) && EntryValues::IsPerObject(*pair.value, flat)) {
      NoteList(entry, key, *pair.value);
    }
  }
}

ArriveMode ReadArriveMode(const YamlValue& value, Findings& findings) {
  const std::string name = ReadText(value, "position", findings);
  if (name == "state") return ArriveMode::kState;
  if (name != "position" && value.node->IsText()) {
    findings.Add(Severity::kError, value.node, value.path,
                 "expected position or state, got " + value.node->Describe());
  }
  return ArriveMode::kPosition;
}

// Numbers and booleans make good names too.
std::string ReadName(const YamlValue& value, const ObjectSpec& object, Findings& findings) {
  if (value.given() && value.node->IsScalar()) return value.node->text;
  if (value.given()) return ReadText(value, "", findings);
  return std::string(object.role == Role::kRobot ? "robot_" : "obstacle_") +
         std::to_string(object.id);
}

// Range checks of what only contact mode will use.
void CheckContactNumbers(EntryValues& entry, int index, Findings& findings) {
  constexpr auto kPerObject = EntryValues::FlatList::kPerObject;
  NumberRule rule = kNonNegativeQuantity;
  rule.numeric_text = true;
  ReadNumber(entry.Pick("friction", index, kPerObject), 0.5, rule, findings);
  NumberRule restitution = rule;
  restitution.high = 1.0;
  ReadNumber(entry.Pick("restitution", index, kPerObject), 0.0, restitution, findings);
  NumberRule inertia = rule;
  inertia.above = 0.0;
  inertia.infinite = true;
  ReadNumber(entry.Pick("inertia", index, kPerObject), 1.0, inertia, findings);
}

// One object of an entry with everything but its place.
void ReadObject(EntryValues& entry, int index, ObjectSpec object, LoadContext& context) {
  Findings& findings = context.findings;
  object.name = ReadName(entry.Pick("name", index), object, findings);
  const LoadedShape shape = ReadShape(entry.Pick("shape", index), context);
  object.shape = shape.spec;
  context.vectors += MaxVertices(object.shape);
  ReadMotion(entry, index, shape.wheelbase, object, context);

  object.group =
      static_cast<int>(ReadInteger(entry.Pick("group", index), object.group,
                                   {.low = -kLargestNumber, .high = kLargestNumber}, findings));
  object.goal_threshold = ReadNumber(entry.Pick("goal_threshold", index), 0.1, kQuantity, findings);
  object.arrive_mode = ReadArriveMode(entry.Pick("arrive_mode", index), findings);
  object.unobstructed = ReadBool(entry.Pick("unobstructed", index), false, findings);
  CheckContactNumbers(entry, index, findings);

  ObjectPlan plan;
  plan.line = entry.reader().node()->line;
  plan.column = entry.reader().node()->column;
  LoadedSensors sensors = ReadSensors(entry.reader().Get("sensors"), index, context);
  plan.sensor_specs = std::move(sensors.specs);
  plan.sensors = std::move(sensors.sensors);
  plan.behavior = ReadBehavior(entry.Pick("behavior", index), entry.Pick("group_behavior", index),
                               object, findings);
  context.scenario.world.objects.push_back(std::move(object));
  context.scenario.plans.push_back(std::move(plan));
}

// The number of objects of an entry, within the limit of the world.
int ReadCount(MapReader& reader, const LoadContext& context) {
  const auto number = reader.Integer("number", 1, kNonNegative);
  const auto present = static_cast<std::int64_t>(context.scenario.world.objects.size());
  if (present + number <= context.limits.max_objects) return static_cast<int>(number);
  reader.Error("number",
               "more than " + std::to_string(context.limits.max_objects) + " objects in one world");
  return 0;
}

bool IsWithinBudget(EntryValues& entry, const LoadContext& context) {
  if (context.vectors <= kMaxVectors) return true;
  entry.reader().Error("", "the objects of this world have more than " +
                               std::to_string(kMaxVectors) + " vertices and goals together");
  return false;
}

void CollectUnused(MapReader& reader, LoadContext& context) {
  for (const YamlValue& value : reader.Ignore(kUnusedKeys)) {
    context.unused.try_emplace(value.path.substr(value.path.rfind('.') + 1), value);
  }
}

void ReadEntry(const YamlValue& value, Role role, int default_group, LoadContext& context) {
  MapReader reader(*value.node, value.path, context.findings);
  if (reader.node() == nullptr) return;
  EntryValues entry(reader, ReadCount(reader, context));
  const int first = context.scenario.world.num_objects();
  for (int i = 0; i < entry.number(); ++i) {
    ObjectSpec object;
    object.id = first + i;
    object.role = role;
    object.group = default_group;
    ReadObject(entry, i, std::move(object), context);
    if (!IsWithinBudget(entry, context)) return;
  }
  ReadPlacement(entry, first, context);
  if (!IsWithinBudget(entry, context) || entry.number() == 0) return;
  NoteLists(entry);
  if (reader.Has("role")) {
    reader.Get("role");
    reader.Error("role", "the section gives the role: IR-SIM refuses this key", "remove it");
  }
  CollectUnused(reader, context);
  reader.Finish(UnknownKeys::kWarn);
}

// Obstacle groups of a list section start behind those of the robots.
int FirstGroup(Role role, const LoadContext& context) {
  if (role == Role::kRobot) return 0;
  int last = -1;
  for (const ObjectSpec& object : context.scenario.world.objects) {
    last = std::max(last, object.group);
  }
  return last + 1;
}

void NoteUnused(const YamlValue& section, LoadContext& context) {
  if (context.unused.empty()) return;
  std::string keys;
  for (const auto& [key, value] : context.unused) keys += (keys.empty() ? "" : ", ") + key;
  context.findings.Add(Severity::kNote, context.unused.begin()->second.node, section.path,
                       "accepted and not used (drawing, labels, contact mode): " + keys);
  context.unused.clear();
}

}  // namespace

bool EntryValues::IsPerObject(const YamlNode& list, FlatList flat) {
  if (!list.IsSequence() || list.items.empty()) return false;
  return flat == FlatList::kPerObject || !list.only_numbers;
}

YamlValue EntryValues::Pick(std::string_view key, int index, FlatList flat) {
  YamlValue value = reader_.Get(key);
  if (!value.given() || !IsPerObject(*value.node, flat)) return value;
  const std::size_t last = value.node->items.size() - 1;
  return value.Item(std::min(static_cast<std::size_t>(index), last));
}

void ReadSection(const YamlValue& section, Role role, LoadContext& context) {
  if (!section.given()) return;
  if (section.node->IsMapping()) {
    ReadEntry(section, role, 0, context);
  } else if (section.node->IsSequence()) {
    const int first_group = FirstGroup(role, context);
    for (std::size_t i = 0; i < section.node->items.size(); ++i) {
      ReadEntry(section.Item(i), role, first_group + static_cast<int>(i), context);
    }
  } else {
    context.findings.Add(Severity::kWarning, section.node, section.path,
                         "expected a mapping or a list of mappings, got " +
                             section.node->Describe() + ": no objects, as in IR-SIM");
  }
  NoteUnused(section, context);
}

}  // namespace planarium
