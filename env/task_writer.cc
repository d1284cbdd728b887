#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "env/task.h"

namespace planarium {
namespace {

// Shortest text that reads back as the same double under YAML 1.1, which wants a dot before an
// exponent.
std::string Number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  std::string out(text.data(), end.ptr);
  const std::size_t exponent = out.find('e');
  if (exponent != std::string::npos && out.find('.') == std::string::npos)
    out.insert(exponent, ".0");
  return out;
}

// Single quotes keep every printable character; line breaks and the like need escapes.
std::string Quoted(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool escaped = std::ranges::any_of(text, is_control);
  std::string out = escaped ? "\"" : "'";
  for (const char c : text) {
    if (escaped && is_control(c)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHex[code / 16U], kHex[code % 16U]};
      continue;
    }
    if (escaped ? c == '"' || c == '\\' : c == '\'') out += escaped ? '\\' : '\'';
    out += c;
  }
  return out + out.front();
}

std::string Value(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return Number(*number);
  if (const std::string* text = std::get_if<std::string>(&value)) return Quoted(*text);
  std::string out = "[";
  for (const double number : std::get<std::vector<double>>(value))
    out += (out.size() > 1 ? ", " : "") + Number(number);
  return out + "]";
}

std::string Flag(const char* key, bool value) {
  return value ? std::string(", ") + key + ": true" : "";
}

std::string Parameters(const Params& params) {
  if (params.values().empty()) return "";
  std::string out = ", params: {";
  bool first = true;
  for (const auto& [name, value] : params.values()) {
    out += (first ? "" : ", ") + name + ": " + Value(value);
    first = false;
  }
  return out + "}";
}

const char* ReasonText(EndReason reason) {
  constexpr std::array<const char*, 9> kNames{"OTHER",      "SUCCESS",       "COLLISION",
                                              "TIME_LIMIT", "OUT_OF_BOUNDS", "STALLED",
                                              "OTHER",      "OTHER",         "OTHER"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string Observations(const Task& task) {
  std::string out = "  observations:\n    policy:\n";
  for (const ObservationSpec& spec : task.observations) {
    out += "      - {term: " + spec.term;
    if (!spec.scale_by.empty()) out += ", scale: {by: " + spec.scale_by + "}";
    if (spec.scale_by.empty() && spec.scale != 1.0) out += ", scale: " + Number(spec.scale);
    if (spec.offset != 0.0) out += ", offset: " + Number(spec.offset);
    if (std::fabs(spec.clip[0]) < 1e30 || std::fabs(spec.clip[1]) < 1e30) {
      out += ", clip: [" + Number(spec.clip[0]) + ", " + Number(spec.clip[1]) + "]";
    }
    out += Parameters(spec.params) + "}\n";
  }
  return out;
}

std::string Rewards(const Task& task) {
  std::string out = task.rewards.empty() ? "  rewards: []\n" : "  rewards:\n";
  for (const RewardSpec& spec : task.rewards) {
    out += "    - {name: " + Quoted(spec.name) + ", term: " + spec.term +
           ", weight: " + Number(spec.weight) + Flag("once", spec.once) +
           Flag("exclusive", spec.exclusive) + Parameters(spec.params) + "}\n";
  }
  return out;
}

std::string Terminations(const Task& task) {
  std::string out = task.terminations.empty() ? "  terminations: []\n" : "  terminations:\n";
  for (const TerminationSpec& spec : task.terminations) {
    out += "    - {name: " + Quoted(spec.name) + ", term: " + spec.term +
           ", reason: " + ReasonText(spec.reason) + Flag("success", spec.success) +
           Flag("truncation", spec.truncation) + Parameters(spec.params) + "}\n";
  }
  return out;
}

std::string CommandsAndEvents(const Task& task) {
  std::string out = task.commands.empty() ? "  commands: []\n" : "  commands:\n";
  for (const CommandSpec& spec : task.commands) {
    out += "    - {name: " + Quoted(spec.name) + ", term: " + spec.term + Parameters(spec.params) +
           "}\n";
  }
  out += task.events.empty() ? "  events: []\n" : "  events:\n";
  for (const EventSpec& spec : task.events) {
    out += "    - {mode: " + spec.mode + ", term: " + spec.term + Parameters(spec.params) + "}\n";
  }
  return out;
}

std::string Action(const Task& task) {
  const ActionSpec& action = task.action;
  std::string out =
      "  action: {kind: " + action.kind + ", repeat: " + std::to_string(action.repeat) +
      ", out_of_range: " + (action.out_of_range == OutOfRange::kClip ? "clip" : "reject");
  // Written when empty too: a preset's range must not come back.
  if (!action.range.empty() || !task.preset.empty()) {
    out += ", range: [";
    for (std::size_t k = 0; k < action.range.size(); ++k) {
      out += (k > 0 ? ", [" : "[") + Number(action.range[k][0]) + ", " +
             Number(action.range[k][1]) + "]";
    }
    out += "]";
  }
  return out + "}\n";
}

}  // namespace

std::string TaskToYaml(const Task& task) {
  std::string out = "task:\n  name: " + Quoted(task.name) + "\n";
  if (!task.preset.empty()) out += "  preset: " + task.preset + "\n";
  out += "  episode: {";
  out += task.max_seconds > 0.0 ? "max_seconds: " + Number(task.max_seconds)
                                : "max_steps: " + std::to_string(task.max_steps);
  out += ", max_spawn_tries: " + std::to_string(task.max_spawn_tries) + "}\n";
  return out + Action(task) + Observations(task) + Rewards(task) + Terminations(task) +
         CommandsAndEvents(task);
}

}  // namespace planarium
