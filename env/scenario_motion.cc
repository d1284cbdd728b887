#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "env/scenario_parts.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<Drive, 4> kDrives{Drive::kDiff, Drive::kAcker, Drive::kOmni,
                                       Drive::kOmniAngular};

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// IR-SIM's own models; `static` must be written in small letters there, the others need not.
Drive ReadDrive(MapReader& reader, const YamlValue& name) {
  const std::string text = ReadText(name, "", reader.findings());
  if (text == "static" || !name.node->IsText()) return Drive::kPassive;
  std::vector<std::string_view> names{"static"};
  for (const Drive drive : kDrives) {
    if (LowerCase(text) == DriveName(drive)) return drive;
    names.push_back(DriveName(drive));
  }
  const std::string nearest = Nearest(LowerCase(text), names);
  reader.Error("name", "unknown kinematics '" + text + "': models in Python code are not built",
               nearest.empty() ? "known: diff, acker, omni, omni_angular, static"
                               : "did you mean " + nearest + "?");
  return Drive::kPassive;
}

std::vector<double> DefaultAlpha(Drive drive) {
  if (drive == Drive::kOmni) return {0.03, 0.03};
  if (drive == Drive::kOmniAngular) return {0.03, 0.03, 0.03};
  return {0.03, 0.0, 0.0, 0.03};
}

std::size_t AlphaCount(Drive drive) {
  if (drive == Drive::kDiff || drive == Drive::kAcker) return 4;
  return static_cast<std::size_t>(ActionDim(drive));
}

void ReadNoise(MapReader& reader, KinematicsSpec& spec) {
  const bool noise = reader.Bool("noise", false);
  const YamlValue value = reader.Get("alpha");
  // IR-SIM takes an empty list for the diff default, whatever the drive.
  const bool is_empty = value.given() && value.node->IsSequence() && value.node->items.empty();
  const std::vector<double> fallback = DefaultAlpha(is_empty ? Drive::kDiff : spec.drive);
  const CountRule count{noise && !is_empty ? AlphaCount(spec.drive) : 0, kMaxListLength};
  std::vector<double> alpha =
      ReadNumbers(value, fallback, count, kNonNegativeQuantity, reader.findings());
  if (is_empty) alpha = fallback;
  spec.noise = noise && spec.drive != Drive::kPassive;
  std::copy_n(alpha.begin(), std::min(alpha.size(), spec.alpha.size()), spec.alpha.begin());
}

// `mode` and `wheelbase` are for acker alone: IR-SIM's other models refuse them.
void ReadAckerKeys(MapReader& reader, double shape_wheelbase, KinematicsSpec& spec) {
  const YamlValue mode = reader.Get("mode");
  const YamlValue wheelbase = reader.Get("wheelbase");
  if (spec.drive != Drive::kAcker) {
    for (const YamlValue& value : {mode, wheelbase}) {
      if (!value.given()) continue;
      const bool is_refused = spec.drive != Drive::kPassive;
      reader.findings().Add(
          is_refused ? Severity::kError : Severity::kWarning, value.node, value.path,
          is_refused ? "only acker kinematics has this key" : "not used",
          is_refused ? "remove it; shape.wheelbase moves the origin of any body" : "");
    }
    return;
  }
  const double fallback = shape_wheelbase != 0.0 ? shape_wheelbase : 1.0;
  spec.wheelbase =
      wheelbase.given() ? reader.Number("wheelbase", fallback, kPositiveQuantity) : fallback;
  const std::string name = mode.given() ? reader.Text("mode", "steer") : "steer";
  if (name == "angular") {
    spec.acker_mode = AckerMode::kAngular;
  } else if (name != "steer" && mode.node->IsText()) {
    reader.Error("mode", "expected steer or angular, got '" + name + "'");
  }
}

// The `kinematics:` mapping. True when its name is `static`: such objects never move.
bool ReadKinematics(const YamlValue& value, double shape_wheelbase, KinematicsSpec& spec,
                    Findings& findings) {
  if (!value.given()) return false;
  if (value.node->IsText()) {
    findings.Add(Severity::kError, value.node, value.path,
                 "expected a mapping, got " + value.node->Describe(),
                 "write kinematics: {name: " + value.node->text + "}");
    return false;
  }
  MapReader reader(value, findings);
  const YamlValue name = reader.Get("name");
  if (!name.given()) {
    if (reader.node() != nullptr && reader.node()->entries.size() > (name.present() ? 1u : 0u)) {
      reader.Warn("", "kinematics without a name: the object does not drive itself");
    }
    return false;
  }
  spec.drive = ReadDrive(reader, name);
  ReadNoise(reader, spec);
  ReadAckerKeys(reader, shape_wheelbase, spec);
  NumberRule tau = kNonNegativeQuantity;
  tau.numeric_text = true;
  reader.Number("tau", 0.0, tau);
  const bool is_static = name.node->text == "static";
  reader.Finish(is_static ? UnknownKeys::kWarn : UnknownKeys::kError);
  return is_static;
}

// A value per command row: one number for all rows, or as many as the drive has. Objects that never
// move may have any number of them, as their limits are never looked at.
Command ReadRows(const YamlValue& value, const Command& fallback, const NumberRule& rule,
                 const ObjectSpec& object, Findings& findings) {
  if (!value.given()) return fallback;
  const auto rows = static_cast<std::size_t>(ActionDim(object.kinematics.drive));
  Command command = fallback;
  const bool is_single = value.node->IsScalar() || value.node->items.size() == 1;
  if (is_single) {
    const YamlValue number = value.node->IsScalar() ? value : value.Item(0);
    std::fill_n(command.begin(), rows, ReadNumber(number, fallback[0], rule, findings));
    return command;
  }
  const CountRule count = object.is_static ? CountRule{0, kMaxListLength} : Exactly(rows);
  const std::vector<double> numbers =
      ReadNumbers(value, {fallback.begin(), fallback.end()}, count, rule, findings);
  std::copy_n(numbers.begin(), std::min(numbers.size(), rows), command.begin());
  return command;
}

void ReadLimits(EntryValues& entry, int index, ObjectSpec& object, Findings& findings) {
  KinematicsSpec& spec = object.kinematics;
  const YamlValue low = entry.Pick("vel_min", index);
  const YamlValue high = entry.Pick("vel_max", index);
  spec.velocity_min = ReadRows(low, {-1.0, -1.0, -1.0}, kQuantity, object, findings);
  spec.velocity_max = ReadRows(high, {1.0, 1.0, 1.0}, kQuantity, object, findings);
  NumberRule acceleration = kNonNegativeQuantity;
  acceleration.infinite = true;
  spec.acceleration = ReadRows(entry.Pick("acce", index), {kInfinity, kInfinity, kInfinity},
                               acceleration, object, findings);
  object.initial_velocity =
      ReadRows(entry.Pick("velocity", index), {}, kQuantity, object, findings);
  for (std::size_t row = 0; row < spec.velocity_min.size(); ++row) {
    if (spec.velocity_min[row] <= spec.velocity_max[row] || object.is_static) continue;
    const YamlValue& where = low.given() ? low : high;
    findings.Add(Severity::kWarning, where.node, where.path,
                 "vel_min exceeds vel_max in element " + std::to_string(row) +
                     ": every command becomes vel_max, as in IR-SIM");
  }
}

void ReadAngleRange(const YamlValue& value, ObjectSpec& object, Findings& findings) {
  const std::vector<double> range =
      ReadNumbers(value, {-kPi, kPi}, Exactly(2), kQuantity, findings);
  // Exactly, as IR-SIM asserts it at the first step of a moving object.
  if (!object.is_static && range[1] - range[0] != kTwoPi) {
    findings.Add(Severity::kError, value.node, value.path,
                 "the two ends of an angle range must be exactly 2 pi apart",
                 "leave the key out, or write [-3.141592653589793, 3.141592653589793]");
    return;
  }
  object.kinematics.angle_min = range[0];
  object.kinematics.angle_max = range[1];
}

// Dimensions below the drive's own break the motion model; state rows beyond it do nothing.
void CheckDimensions(EntryValues& entry, int index, const ObjectSpec& object, Findings& findings) {
  const Drive drive = object.kinematics.drive;
  const YamlValue state = entry.Pick("state_dim", index);
  const YamlValue velocity = entry.Pick("vel_dim", index);
  if (object.is_static) return;
  const auto rows = ReadInteger(state, StateDim(drive), {.low = 1.0 * StateDim(drive)}, findings);
  if (rows > StateDim(drive)) {
    findings.Add(Severity::kWarning, state.node, state.path,
                 "a " + std::string(DriveName(drive)) + " object has " +
                     std::to_string(StateDim(drive)) + " state numbers: the rest is not used");
  }
  const double columns = ActionDim(drive);
  ReadInteger(velocity, ActionDim(drive), {.low = columns, .high = columns}, findings);
}

// Driven objects weigh 1 kg by default, passive ones cannot be moved at all.
void ReadStatic(EntryValues& entry, int index, bool has_static_name, ObjectSpec& object,
                Findings& findings) {
  const bool flag = ReadBool(entry.Pick("static", index), false, findings);
  const bool is_passive = object.kinematics.drive == Drive::kPassive;
  NumberRule rule = kPositiveQuantity;
  rule.infinite = true;
  rule.numeric_text = true;
  const YamlValue mass = entry.Pick("mass", index, EntryValues::FlatList::kPerObject);
  const double kilograms = ReadNumber(mass, is_passive ? kInfinity : 1.0, rule, findings);
  object.is_static = flag || has_static_name || (is_passive && std::isinf(kilograms));
  if (!is_passive || object.is_static) return;
  findings.Add(Severity::kError, mass.node, mass.path,
               "bodies that are pushed (a finite mass without kinematics) are not built yet",
               "remove the mass, or write static: true");
}

}  // namespace

void ReadMotion(EntryValues& entry, int index, double shape_wheelbase, ObjectSpec& object,
                LoadContext& context) {
  Findings& findings = context.findings;
  const bool has_static_name =
      ReadKinematics(entry.Pick("kinematics", index), shape_wheelbase, object.kinematics, findings);
  ReadStatic(entry, index, has_static_name, object, findings);
  ReadLimits(entry, index, object, findings);
  ReadAngleRange(entry.Pick("angle_range", index), object, findings);
  CheckDimensions(entry, index, object, findings);
}

}  // namespace planarium
