#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "env/task.h"
#include "env/task_presets.h"
#include "env/term_registry.h"
#include "env/yaml/document.h"
#include "env/yaml/reader.h"

namespace planarium {
namespace {

constexpr NumberRule kTaskNumber{.low = -kLargestNumber, .high = kLargestNumber};

constexpr int kMostSteps = 1'000'000'000;
constexpr int kMostIds = 100'000;
constexpr int kMostTerms = 64;  // `once` is kept as one bit a reward

struct ReasonName {
  std::string_view name;
  EndReason reason;
};
constexpr std::array kReasons{
    ReasonName{"SUCCESS", EndReason::kSuccess},
    ReasonName{"COLLISION", EndReason::kCollision},
    ReasonName{"TIME_LIMIT", EndReason::kTimeLimit},
    ReasonName{"OUT_OF_BOUNDS", EndReason::kOutOfBounds},
    ReasonName{"STALLED", EndReason::kStalled},
    ReasonName{"OTHER", EndReason::kOther},
};

template <typename Row>
std::vector<std::string_view> NamesOf(std::span<const Row> rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "did you mean \"" + nearest + "\"?";
}

// "1-7" and plain numbers, as in `ids: [1-7, 9]`.
void AppendIds(const YamlValue& item, std::vector<double>& ids, Findings& findings) {
  if (item.node->IsNumber()) {
    ids.push_back(item.node->number);
    return;
  }
  int first = -1;
  int last = -1;
  const std::string& text = item.node->text;
  const auto head = std::from_chars(text.data(), text.data() + text.size(), first);
  const char* end = text.data() + text.size();
  if (head.ec == std::errc() && head.ptr != end && *head.ptr == '-') {
    const auto tail = std::from_chars(head.ptr + 1, end, last);
    if (tail.ptr != end) last = -1;
  }
  if (first < 0 || last < first || last - first > kMostIds) {
    findings.Add(Severity::kError, item.node, item.path,
                 "got " + item.node->Describe() + ", expected an id or a range such as 1-7");
    return;
  }
  if (ids.size() + static_cast<std::size_t>(last - first) >= kMostIds) {
    findings.Add(Severity::kError, item.node, item.path,
                 "has more than " + std::to_string(kMostIds) + " ids");
    return;
  }
  for (int id = first; id <= last; ++id) ids.push_back(id);
}

void ReadIds(MapReader& reader, Params& params) {
  const YamlValue ids = reader.Get("ids");
  if (!ids.given() || params.Has("ids")) return;
  std::vector<double> list;
  if (ids.node->IsSequence()) {
    for (std::size_t k = 0; k < ids.node->items.size(); ++k)
      AppendIds(ids.Item(k), list, reader.findings());
  } else {
    AppendIds(ids, list, reader.findings());
  }
  params.Set("ids", std::move(list));
}

// Name and parameters of one term. Parameters stand under `params:` or beside the name.
template <typename Term>
std::string ReadTerm(MapReader& reader, std::span<const TermRow<Term>> rows, Params& params) {
  const std::string name = reader.Text("term", "");
  const TermRow<Term>* row = FindTerm(rows, name);
  if (row == nullptr) {
    reader.Error(
        "term",
        name.empty() ? "missing, expected the name of a term" : "unknown term \"" + name + "\"",
        DidYouMean(name, NamesOf(rows)));
    return name;
  }
  MapReader nested = reader.Child("params");
  const bool has_ids = std::ranges::any_of(
      row->params, [](const ParamSchema& schema) { return schema.name == "ids"; });
  if (has_ids) {
    ReadIds(nested, params);
    ReadIds(reader, params);
  }
  nested.ReadParams(row->params, params);
  nested.Finish(UnknownKeys::kError);
  reader.ReadParams(row->params, params);
  return name;
}

// Calls read(MapReader&) for every element of a list of mappings.
template <typename Read>
void ReadList(const YamlValue& list, Findings& findings, Read read) {
  if (!list.given()) return;
  if (!list.node->IsSequence()) {
    findings.Add(Severity::kError, list.node, list.path,
                 "got " + list.node->Describe() + ", expected a list of terms");
    return;
  }
  if (list.node->items.size() > kMostTerms) {
    findings.Add(Severity::kError, list.node, list.path,
                 "has more than " + std::to_string(kMostTerms) + " terms");
    return;
  }
  for (std::size_t k = 0; k < list.node->items.size(); ++k) {
    MapReader reader(list.Item(k), findings);
    read(reader);
    reader.Finish(UnknownKeys::kError);
  }
}

void ReadScale(MapReader& reader, ObservationSpec& spec) {
  const YamlValue scale = reader.Get("scale");
  if (!scale.given()) return;
  if (!scale.node->IsMapping()) {
    spec.scale = ReadNumber(scale, 1.0, kTaskNumber, reader.findings());
    return;
  }
  MapReader by(scale, reader.findings());
  spec.scale_by = by.Text("by", "");
  if (spec.scale_by != "range_max")
    by.Error("by", "got \"" + spec.scale_by + "\", expected range_max");
  by.Finish(UnknownKeys::kError);
}

void ReadObservations(const YamlValue& list, Task& task, Findings& findings) {
  task.observations.clear();
  ReadList(list, findings, [&task](MapReader& reader) {
    ObservationSpec spec;
    spec.term = ReadTerm(reader, ObservationRegistry(), spec.params);
    ReadScale(reader, spec);
    spec.offset = reader.Number("offset", 0.0, kTaskNumber);
    const auto clip = reader.Numbers("clip", {spec.clip[0], spec.clip[1]}, Exactly(2), kTaskNumber);
    if (clip.size() == 2) spec.clip = {clip[0], clip[1]};
    if (spec.clip[0] > spec.clip[1]) reader.Error("clip", "lower bound above the upper one");
    task.observations.push_back(std::move(spec));
  });
}

void ReadRewards(const YamlValue& list, Task& task, Findings& findings) {
  task.rewards.clear();
  ReadList(list, findings, [&task](MapReader& reader) {
    RewardSpec spec;
    spec.term = ReadTerm(reader, RewardRegistry(), spec.params);
    spec.name = reader.Text("name", spec.term);
    spec.weight = reader.Number("weight", 1.0, kTaskNumber);
    spec.once = reader.Bool("once", false);
    spec.exclusive = reader.Bool("exclusive", false);
    task.rewards.push_back(std::move(spec));
  });
}

EndReason ReadReason(MapReader& reader) {
  const std::string text = reader.Text("reason", "OTHER");
  const auto found = std::ranges::find(kReasons, text, &ReasonName::name);
  if (found != kReasons.end()) return found->reason;
  reader.Error("reason", "got \"" + text + "\"",
               DidYouMean(text, NamesOf(std::span<const ReasonName>(kReasons))));
  return EndReason::kOther;
}

void ReadTerminations(const YamlValue& list, Task& task, Findings& findings) {
  task.terminations.clear();
  ReadList(list, findings, [&task](MapReader& reader) {
    TerminationSpec spec;
    spec.term = ReadTerm(reader, TerminationRegistry(), spec.params);
    spec.name = reader.Text("name", spec.term);
    spec.truncation = reader.Bool("truncation", false);
    spec.success = reader.Bool("success", false);
    spec.reason = ReadReason(reader);
    task.terminations.push_back(std::move(spec));
  });
}

void ReadCommands(const YamlValue& list, Task& task, Findings& findings) {
  task.commands.clear();
  ReadList(list, findings, [&task](MapReader& reader) {
    CommandSpec spec;
    spec.term = ReadTerm(reader, CommandRegistry(), spec.params);
    spec.name = reader.Text("name", "goal");
    if (const std::string when = reader.Text("resample", "on_reset"); when != "on_reset") {
      reader.Error("resample",
                   "got \"" + when + "\", expected on_reset (others are not built yet)");
    }
    task.commands.push_back(std::move(spec));
  });
}

void ReadEvents(const YamlValue& list, Task& task, Findings& findings) {
  task.events.clear();
  ReadList(list, findings, [&task](MapReader& reader) {
    EventSpec spec;
    spec.term = ReadTerm(reader, EventRegistry(), spec.params);
    spec.mode = reader.Text("mode", "reset");
    if (spec.mode != "reset")
      reader.Error("mode", "got \"" + spec.mode + "\", expected reset (others are not built yet)");
    task.events.push_back(std::move(spec));
  });
}

void ReadActionRange(MapReader& reader, ActionSpec& action) {
  const YamlValue range = reader.Get("range");
  if (!range.given()) return;
  action.range.clear();
  if (!range.node->IsSequence()) {
    reader.Error("range", "expected one [low, high] per row of the command");
    return;
  }
  for (std::size_t k = 0; k < range.node->items.size(); ++k) {
    const auto row =
        ReadNumbers(range.Item(k), {0.0, 0.0}, Exactly(2), kTaskNumber, reader.findings());
    if (row.size() != 2 || !(row[0] <= row[1])) {
      reader.Error("range", "row " + std::to_string(k) + " must be [low, high] with low <= high");
      return;
    }
    action.range.push_back({row[0], row[1]});
  }
}

void ReadAction(MapReader reader, ActionSpec& action) {
  action.kind = reader.Text("kind", action.kind);
  if (action.kind != "velocity")
    reader.Error("kind",
                 "got \"" + action.kind + "\", expected velocity (others are not built yet)");
  ReadActionRange(reader, action);
  const std::string out_of_range =
      reader.Text("out_of_range", action.out_of_range == OutOfRange::kClip ? "clip" : "reject");
  if (out_of_range != "clip" && out_of_range != "reject")
    reader.Error("out_of_range", "got \"" + out_of_range + "\", expected clip or reject");
  action.out_of_range = out_of_range == "reject" ? OutOfRange::kReject : OutOfRange::kClip;
  action.repeat =
      static_cast<int>(reader.Integer("repeat", action.repeat, {.low = 1, .high = 1000}));
  reader.Finish(UnknownKeys::kError);
}

void ReadEpisode(MapReader reader, Task& task) {
  const NumberRule steps{.low = 0, .high = kMostSteps};
  if (reader.Has("max_steps") && reader.Has("max_seconds"))
    reader.Error("max_seconds", "expected max_steps or max_seconds, got both");
  task.max_steps = static_cast<int>(reader.Integer("max_steps", task.max_steps, steps));
  task.max_seconds =
      reader.Number("max_seconds", task.max_seconds, {.low = 0.0, .high = kLargestNumber});
  task.max_spawn_tries = static_cast<int>(
      reader.Integer("max_spawn_tries", task.max_spawn_tries, {.low = 1, .high = 1'000'000}));
  reader.Finish(UnknownKeys::kError);
}

// One steered robot so far: the first. Other selections are refused, not ignored.
void ReadAgents(MapReader reader) {
  const std::string select = reader.Text("select", "first");
  if (select != "first")
    reader.Error("select",
                 "got \"" + select + "\", expected first (several agents are not built yet)");
  const std::string policy = reader.Text("policy", "shared");
  if (policy != "shared") reader.Error("policy", "got \"" + policy + "\", expected shared");
  reader.Finish(UnknownKeys::kError);
}

// `observations: {policy: [...]}`, or the list itself.
void ReadObservationGroups(const YamlValue& groups, Task& task, Findings& findings) {
  if (!groups.given()) return;
  if (!groups.node->IsMapping()) {
    ReadObservations(groups, task, findings);
    return;
  }
  MapReader reader(groups, findings);
  if (!reader.Has("policy")) {
    reader.Error("policy", "missing, expected the list of observation terms");
  } else {
    ReadObservations(reader.Get("policy"), task, findings);
  }
  if (reader.Has("critic")) {
    reader.Get("critic");
    reader.Error("critic", "the group critic is not built yet, expected policy alone");
  }
  reader.Finish(UnknownKeys::kError);
}

Task ReadTask(MapReader& reader) {
  Findings& findings = reader.findings();
  const std::string preset = reader.Text("preset", "default");
  const auto names = TaskPresetNames();
  const bool known = std::ranges::find(names, preset) != names.end();
  if (!known)
    reader.Error("preset", "unknown preset \"" + preset + "\"", DidYouMean(preset, names));
  Task task = TaskPreset(known ? preset : "default");
  task.name = reader.Text("name", task.name);
  ReadAgents(reader.Child("agents"));
  ReadEpisode(reader.Child("episode"), task);
  ReadAction(reader.Child("action"), task.action);
  ReadObservationGroups(reader.Get("observations"), task, findings);
  if (const YamlValue list = reader.Get("rewards"); list.given()) ReadRewards(list, task, findings);
  if (const YamlValue list = reader.Get("terminations"); list.given())
    ReadTerminations(list, task, findings);
  if (const YamlValue list = reader.Get("commands"); list.given())
    ReadCommands(list, task, findings);
  if (const YamlValue list = reader.Get("events"); list.given()) ReadEvents(list, task, findings);
  if (reader.Has("curriculum")) {
    reader.Get("curriculum");
    reader.Error("curriculum", "curricula are not built yet");
  }
  const std::string compat = reader.Text("compat", "default");
  if (compat != "default")
    reader.Error("compat", "got \"" + compat + "\", expected default (strict is not built yet)");
  reader.Finish(UnknownKeys::kError);
  return task;
}

}  // namespace

Task LoadTask(std::string_view text, const std::string& file) {
  const YamlDocument document = YamlDocument::Parse(text, file);
  Findings findings(file);
  for (const Diagnostic& warning : document.warnings()) findings.Add(warning);
  MapReader root(document.root(), "", findings);
  if (!root.Has("task")) root.Error("task", "missing, expected a mapping with the single key task");
  MapReader reader = root.Child("task");
  Task task = ReadTask(reader);
  root.Finish(UnknownKeys::kError);
  if (findings.has_errors()) throw SpecError(findings.list());
  return task;
}

}  // namespace planarium
