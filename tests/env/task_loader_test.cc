// Task files: what is read, what is refused and how, and that a written task reads back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "env/diagnostic.h"
#include "env/task_presets.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Diagnostic> Refused(const std::string& text) {
  try {
    LoadTask(text, "task.yaml");
  } catch (const SpecError& error) {
    return error.diagnostics();
  }
  return {};
}

struct BadTask {
  const char* name;
  const char* text;
  int line;
  const char* says;       // part of the whole message
  const char* hint = "";  // nearest name, part of the message too
};

void PrintTo(const BadTask& task, std::ostream* out) { *out << task.name; }

class Refuses : public testing::TestWithParam<BadTask> {};

TEST_P(Refuses, WithLineAndNearestName) {
  const std::vector<Diagnostic> findings = Refused(GetParam().text);
  ASSERT_FALSE(findings.empty()) << "was accepted";
  const Diagnostic& first = findings.front();
  EXPECT_EQ(first.severity, Severity::kError);
  EXPECT_EQ(first.file, "task.yaml");
  EXPECT_EQ(first.line, GetParam().line) << first.ToString();
  EXPECT_THAT(first.ToString(), HasSubstr(GetParam().says));
  EXPECT_THAT(first.ToString(), HasSubstr(GetParam().hint));
}

const BadTask kUnknownNames[] = {
    {"RootKey", "task: {}\ntsak: {}\n", 2, "tsak", "task"},
    {"TaskKey", "task:\n  name: a\n  reward: []\n", 3, "reward", "rewards"},
    {"EpisodeKey", "task:\n  episode:\n    max_step: 5\n", 3, "max_step", "max_steps"},
    {"ActionKey", "task:\n  action:\n    repaet: 2\n", 3, "repaet", "repeat"},
    {"RewardKey", "task:\n  rewards:\n    - {term: time.step,\n       wieght: 2}\n", 4, "wieght",
     "weight"},
    {"Preset", "task:\n  preset: drl_nva\n", 2, "drl_nva", "drl_nav"},
    {"ObservationTerm", "task:\n  observations:\n    policy:\n      - {term: goal.distanse}\n", 4,
     "goal.distanse", "goal.distance"},
    {"RewardTerm", "task:\n  rewards:\n    - {term: progress.gaol}\n", 3, "progress.gaol",
     "progress.goal"},
    {"TerminationTerm", "task:\n  terminations:\n    - {term: event.colided}\n", 3, "event.colided",
     "event.collided"},
    {"CommandTerm", "task:\n  commands:\n    - {term: goal.unifrom}\n", 3, "goal.unifrom",
     "goal.uniform"},
    {"EventTerm", "task:\n  events:\n    - {term: robot.spwan}\n", 3, "robot.spwan", "robot.spawn"},
    {"Parameter", "task:\n  rewards:\n    - term: lidar.margin\n      marign: 2\n", 4, "marign",
     "margin"},
    {"NestedParameter",
     "task:\n  rewards:\n    - term: lidar.margin\n      params:\n        marign: 2\n", 5, "marign",
     "margin"},
    {"Reason", "task:\n  terminations:\n    - {term: event.collided, reason: COLISION}\n", 3,
     "COLISION", "COLLISION"},
};
INSTANTIATE_TEST_SUITE_P(UnknownNames, Refuses, testing::ValuesIn(kUnknownNames),
                         [](const auto& row) { return std::string(row.param.name); });

const BadTask kNotBuilt[] = {
    {"ActionKind", "task:\n  action: {kind: waypoint}\n", 2, "not built yet"},
    {"Curriculum", "task:\n  curriculum: {levels: 3}\n", 2, "not built yet"},
    {"Compat", "task:\n  compat: strict\n", 2, "not built yet"},
    {"SeveralAgents", "task:\n  agents: {select: all}\n", 2, "not built yet"},
    {"NoGroup", "task:\n  observations: {}\n", 2, "expected the list of observation terms"},
    {"Critic",
     "task:\n  observations:\n    policy: [{term: goal.distance}]\n    critic: [{term: "
     "self.pose}]\n",
     4, "not built yet"},
    {"Resample", "task:\n  commands:\n    - {term: goal.uniform, resample: on_arrival}\n", 3,
     "not built yet"},
    {"EventMode", "task:\n  events:\n    - {term: robot.spawn, mode: interval}\n", 3,
     "not built yet"},
};
INSTANTIATE_TEST_SUITE_P(NotBuiltYet, Refuses, testing::ValuesIn(kNotBuilt),
                         [](const auto& row) { return std::string(row.param.name); });

const BadTask kBadValues[] = {
    {"NoTask", "{}\n", 1, "task"},
    {"NoTermName", "task:\n  rewards:\n    - {weight: 2}\n", 3, "missing"},
    {"BothLimits", "task:\n  episode: {max_steps: 5, max_seconds: 2}\n", 2, "max_seconds"},
    {"NegativeSteps", "task:\n  episode: {max_steps: -5}\n", 2, "max_steps"},
    {"TextWeight", "task:\n  rewards:\n    - {term: time.step, weight: heavy}\n", 3, "weight"},
    {"InfiniteWeight", "task:\n  rewards:\n    - {term: time.step, weight: .inf}\n", 3, "weight"},
    {"NanWeight", "task:\n  rewards:\n    - {term: time.step, weight: .nan}\n", 3, "weight"},
    {"ZeroRepeat", "task:\n  action: {repeat: 0}\n", 2, "repeat"},
    {"ReversedRange", "task:\n  action: {range: [[1, 0], [-1, 1]]}\n", 2, "low <= high"},
    {"OutOfRange", "task:\n  action: {out_of_range: wrap}\n", 2, "expected clip or reject"},
    {"ReversedClip",
     "task:\n  observations:\n    policy:\n      - {term: goal.distance, clip: [1, 0]}\n", 4,
     "clip"},
    {"ScaleBy",
     "task:\n  observations:\n    policy:\n      - {term: lidar.ranges, scale: {by: width}}\n", 4,
     "range_max"},
    {"NegativeMargin", "task:\n  rewards:\n    - {term: lidar.margin, margin: -1}\n", 3, "margin"},
    {"ReversedIds", "task:\n  events:\n    - {term: object.scatter, ids: 7-1}\n", 3, "1-7"},
    {"IdsWithTail", "task:\n  events:\n    - {term: object.scatter, ids: 1-7x}\n", 3, "1-7"},
    {"TooManyIds",
     "task:\n  events:\n    - term: object.scatter\n      ids:\n        - 0-60000\n"
     "        - 0-60000\n",
     6, "ids"},
    {"InfiniteClip",
     "task:\n  observations:\n    policy:\n      - {term: goal.distance, clip: [0, .inf]}\n", 4,
     "clip"},
    {"HugeWeight", "task:\n  rewards:\n    - {term: time.step, weight: 1.0e+308}\n", 3, "weight"},
    {"HugeScale",
     "task:\n  observations:\n    policy:\n      - {term: goal.distance, scale: 1.0e+308}\n", 4,
     "scale"},
    {"HugeClip",
     "task:\n  observations:\n    policy:\n      - {term: goal.distance, clip: [1.0e+300, "
     "1.0e+300]}\n",
     4, "clip"},
    {"HugePose", "task:\n  events:\n    - {term: robot.spawn, range_low: [1.0e+308, 0, 0]}\n", 3,
     "range_low"},
    {"HugeActionRange", "task:\n  action: {range: [[-1.0e+308, 1.0e+308], [-1, 1]]}\n", 2, "range"},
    {"RewardsMapping", "task:\n  rewards: {term: time.step}\n", 2, "expected a list"},
};
INSTANTIATE_TEST_SUITE_P(BadValues, Refuses, testing::ValuesIn(kBadValues),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(TaskFile, ListsEveryMistakeAtOnce) {
  const auto findings = Refused(
      "task:\n  preset: drl_nva\n  nmae: x\n  rewards:\n    - {term: a.b}\n    - {term: c.d}\n");
  EXPECT_EQ(findings.size(), 4U);
}

TEST(TaskFile, TakesIdsAsRangesNumbersAndLists) {
  const auto ids = [](const std::string& text) {
    const Task task =
        LoadTask("task: {events: [{term: object.scatter, ids: " + text + "}]}\n", "task.yaml");
    return task.events.at(0).params.Numbers("ids", {});
  };
  EXPECT_THAT(ids("\"1-7\""), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ids("1-7"), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ids("3"), ElementsAre(3));
  EXPECT_THAT(ids("[1-3, 5, \"8-9\"]"), ElementsAre(1, 2, 3, 5, 8, 9));
  const Task nested =
      LoadTask("task: {events: [{term: object.scatter, params: {ids: [2-3]}}]}\n", "task.yaml");
  EXPECT_THAT(nested.events.at(0).params.Numbers("ids", {}), ElementsAre(2, 3));
}

TEST(TaskFile, EmptyMappingIsTheDefaultTask) {
  EXPECT_EQ(TaskToYaml(LoadTask("task: {}\n", "task.yaml")), TaskToYaml(DefaultTask()));
}

TEST(TaskFile, PresetAloneIsThatPreset) {
  for (const std::string_view name : TaskPresetNames()) {
    const std::string text = "task: {preset: " + std::string(name) + "}\n";
    EXPECT_EQ(TaskToYaml(LoadTask(text, "task.yaml")), TaskToYaml(TaskPreset(name))) << name;
  }
}

const char* const kReadBack[] = {
    "task: {}\n",
    "task: {preset: drl_nav}\n",
    "task: {preset: drl_nav, name: \"it's 1e3: yes\", action: {range: [[0, 1.5], [-2, 2]]}}\n",
    "task: {preset: drl_nav, action: {range: []}}\n",
    "task: {name: \"line\\nbreak 'and' \\\"quotes\\\" \\\\ here\"}\n",
    "task: {preset: drl_nav, rewards: [], terminations: [], commands: [], events: []}\n",
    "task: {episode: {max_seconds: 12.5, max_spawn_tries: 7}}\n",
    "task: {episode: {max_steps: 0}, action: {repeat: 4, out_of_range: reject}}\n",
    "task:\n  observations:\n    policy:\n"
    "      - {term: lidar.ranges, scale: {by: range_max}, clip: [0, 0.5]}\n"
    "      - {term: goal.distance, scale: 0.1, offset: -1.0e-7, max: 50}\n"
    "      - {term: objects.relative_state, params: {max: 3}}\n",
    "task:\n  rewards:\n"
    "    - {term: lidar.margin, name: near, weight: -1.0e-9, margin: 0.3, sensor: 0}\n"
    "    - {term: event.collided, name: 'no', weight: -123456789.012, once: true, exclusive: "
    "true}\n",
    "task:\n  terminations:\n"
    "    - {term: event.collided, with: robot, reason: COLLISION, truncation: true}\n"
    "    - {term: bounds.left, name: out, reason: OUT_OF_BOUNDS}\n"
    "    - {term: event.arrived, success: true, reason: SUCCESS}\n",
    "task:\n  commands: [{term: goal.uniform, range_low: [1, 2], range_high: [3, 4, 0.5]}]\n"
    "  events: [{term: object.scatter, ids: [1-3, 5], non_overlapping: false}]\n",
};

TEST(TaskFile, WrittenTaskReadsBackToTheSameText) {
  for (const char* text : kReadBack) {
    const std::string written = TaskToYaml(LoadTask(text, "task.yaml"));
    EXPECT_EQ(TaskToYaml(LoadTask(written, "written.yaml")), written) << text;
  }
}

TEST(TaskFile, WrittenTaskKeepsEmptyActionRange) {
  const Task task = LoadTask("task: {preset: drl_nav, action: {range: []}}\n", "task.yaml");
  EXPECT_TRUE(task.action.range.empty());
  EXPECT_TRUE(LoadTask(TaskToYaml(task), "written.yaml").action.range.empty());
}

TEST(TaskFile, WrittenNameReadsBackWhateverItHolds) {
  for (const std::string name : {"it's", "a\nb", "tab\t\"q\" \\ 'x'", "1e3", "null", "\u00fc"}) {
    Task task = DefaultTask();
    task.name = name;
    EXPECT_EQ(LoadTask(TaskToYaml(task), "written.yaml").name, name);
  }
}

TEST(TaskFile, SecondsBecomeAtLeastOneStepAndNeverOverflow) {
  const auto steps = [](double seconds, int repeat) {
    Task task = DefaultTask();
    task.max_seconds = seconds;
    task.action.repeat = repeat;
    const Batch batch(scenes::Load(scenes::Lane()), 1, task);
    return batch.env.description().max_episode_steps;
  };
  EXPECT_EQ(steps(0.3, 1), 3);
  EXPECT_EQ(steps(0.31, 1), 4);
  EXPECT_EQ(steps(1.0, 4), 3);
  EXPECT_EQ(steps(1e-12, 1), 1);
  EXPECT_EQ(steps(1e9, 1), 1'000'000'000);
}

TEST(DrlNav, Has185ColumnsOnTheNavigationScene) {
  const Batch batch(scenes::Load(scenes::Navigation()), 1, TaskPreset("drl_nav"));
  const EnvDescription& description = batch.env.description();
  EXPECT_EQ(description.observation_width, 185);
  std::vector<std::string> terms;
  std::vector<std::string> labels;
  for (const ColumnBlock& block : description.columns) {
    terms.push_back(block.term);
    EXPECT_EQ(block.labels.size(), static_cast<std::size_t>(block.width)) << block.term;
    EXPECT_EQ(static_cast<std::size_t>(block.start), labels.size()) << block.term;
    labels.insert(labels.end(), block.labels.begin(), block.labels.end());
  }
  EXPECT_THAT(terms, ElementsAre("lidar.ranges", "goal.distance", "goal.cos_sin", "self.command",
                                 "self.command"));
  ASSERT_EQ(labels.size(), 185U);
  EXPECT_THAT(labels[0], StartsWith("lidar.ranges[0]"));
  EXPECT_THAT(labels[179], StartsWith("lidar.ranges[179]"));
  EXPECT_THAT(
      std::vector(labels.begin() + 180, labels.end()),
      ElementsAre("goal.distance", "goal.cos", "goal.sin", "self.command[0]", "self.command[1]"));
  EXPECT_EQ(description.max_episode_steps, 300);
  EXPECT_EQ(description.action_width, 2);
}

}  // namespace
}  // namespace planarium
