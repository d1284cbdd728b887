// A Planarium world behind JSON lines on standard input and output, for tests/parity. The protocol
// stands in tests/parity/tool.py.

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "env/diagnostic.h"
#include "tests/parity/parity_world.h"
#include "tests/parity/reference_scan.h"

namespace planarium {
namespace {

// Every JSON document is a YAML document, so the requests are read with yaml-cpp.

template <std::size_t kSize>
std::array<double, kSize> ReadRow(const YAML::Node& node) {
  std::array<double, kSize> row{};
  if (node.size() > kSize) throw std::invalid_argument("too many numbers in a row");
  for (std::size_t k = 0; k < node.size(); ++k) row[k] = node[k].as<double>();
  return row;
}

Vec2 ReadPoint(const YAML::Node& node) {
  const auto row = ReadRow<2>(node);
  return {row[0], row[1]};
}

std::vector<BodyState> ReadGoals(const YAML::Node& node) {
  std::vector<BodyState> goals;
  for (const YAML::Node& row : node) {
    BodyState goal = ReadRow<kMaxStateDim>(row);
    if (row.size() < 3) goal[2] = std::numeric_limits<double>::quiet_NaN();
    goals.push_back(goal);
  }
  return goals;
}

Shape ReadShape(const YAML::Node& node) {
  const auto kind = node["kind"].as<std::string>();
  if (kind == "circle") return MakeCircle(ReadPoint(node["center"]), node["radius"].as<double>());
  std::vector<Vec2> vertices;
  for (const YAML::Node& vertex : node["vertices"]) vertices.push_back(ReadPoint(vertex));
  if (kind == "polygon") return MakePolygon(std::move(vertices));
  if (kind == "polyline") return MakePolyline(std::move(vertices));
  throw std::invalid_argument("unknown shape kind " + kind);
}

std::optional<bool> ReadFlag(const YAML::Node& node) {
  if (!node) return std::nullopt;
  return node.as<bool>();
}

Injections ReadInjections(const YAML::Node& node) {
  Injections injections;
  for (const auto& entry : node) {
    ObjectInjection& injection = injections[entry.first.as<int>()];
    const YAML::Node& given = entry.second;
    if (given["state"]) injection.state = ReadRow<kMaxStateDim>(given["state"]);
    if (given["velocity"]) injection.velocity = ReadRow<kMaxActionDim>(given["velocity"]);
    if (given["goal"]) injection.goals = ReadGoals(given["goal"]);
    if (given["shape"]) injection.shape = ReadShape(given["shape"]);
    injection.arrive = ReadFlag(given["arrive"]);
    injection.collision = ReadFlag(given["collision"]);
    injection.stop = ReadFlag(given["stop"]);
  }
  return injections;
}

ParityOptions ReadOptions(const YAML::Node& request) {
  ParityOptions options;
  options.scenario = request["scenario"].as<std::string>();
  options.seed = request["seed"].as<std::uint64_t>(1);
  options.noise = request["noise"].as<bool>(true);
  if (request["inject"]) options.inject = ReadInjections(request["inject"]["objects"]);
  return options;
}

// JSON writing: numbers in full, arrays of anything that prints as a number.

std::string Number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

const char* Flag(bool value) { return value ? "true" : "false"; }

template <typename Range>
std::string Array(const Range& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ", ";
    text += Number(static_cast<double>(value));
  }
  return text + "]";
}

std::string GoalText(const BodyState* goal) {
  if (goal == nullptr) return "null";
  // A goal without a heading has two numbers.
  return Array(std::span(*goal).first(std::isnan((*goal)[2]) ? 2 : 3));
}

std::string ObjectText(const WorldView& world, int id) {
  const ObjectState& object = world.object(id);
  const Drive drive = world.spec().objects[static_cast<std::size_t>(id)].kinematics.drive;
  const auto states = static_cast<std::size_t>(StateDim(drive));
  const auto rows = static_cast<std::size_t>(ActionDim(drive));
  const bool fixed = world.spec().free_index[static_cast<std::size_t>(id)] < 0;
  std::string text = "{\"id\": " + std::to_string(id);
  text += std::string(", \"fixed\": ") + Flag(fixed);
  text += ", \"state\": " + Array(std::span(object.state).first(states));
  text += ", \"velocity\": " + Array(std::span(object.velocity).first(rows));
  text += ", \"goal\": " + GoalText(world.goal(id));
  text += std::string(", \"arrive\": ") + Flag(object.arrive);
  text += std::string(", \"collision\": ") + Flag(object.collision);
  text += std::string(", \"stop\": ") + Flag(object.stop) + "}";
  return text;
}

std::string ScanText(ParityWorld& world, int id, std::size_t k, const Lidar2d& lidar) {
  const LidarScan scan = world.scan(id, k);
  const ReferenceScan reference = CastReference(world.world(), id, lidar);
  std::string text = "{\"object\": " + std::to_string(id);
  text += ", \"sensor\": " + std::to_string(k);
  text += ", \"ranges_reference\": " + Array(reference.ranges);
  text += ", \"owner_reference\": " + Array(reference.owner);
  text += ", \"ranges\": " + Array(scan.ranges);
  text += ", \"valid\": " + Array(scan.valid);
  text += ", \"owner\": " + Array(scan.owner) + "}";
  return text;
}

// Calls visit(object id, sensor position, lidar) for every lidar2d.
template <typename Visit>
void ForEachLidar(const CompiledScenario& scenario, Visit visit) {
  for (const int id : scenario.carriers()) {
    const auto& sensors = scenario.scenario().plans[static_cast<std::size_t>(id)].sensors;
    for (std::size_t k = 0; k < sensors.size(); ++k) {
      if (const auto* lidar = dynamic_cast<const Lidar2d*>(sensors[k].get())) visit(id, k, *lidar);
    }
  }
}

void Append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

std::string SnapshotText(ParityWorld& world) {
  std::string objects;
  for (int id = 0; id < world.world().spec().num_objects(); ++id)
    Append(objects, ObjectText(world.world(), id));
  std::string scans;
  ForEachLidar(world.scenario(), [&](int id, std::size_t k, const Lidar2d& lidar) {
    Append(scans, ScanText(world, id, k, lidar));
  });
  return "{\"step\": " + std::to_string(world.world().clock().step) + ", \"objects\": [" + objects +
         "], \"scans\": [" + scans + "]}";
}

// Running sums of one scanner's readings.
struct Moments {
  int object;
  std::size_t sensor;
  std::vector<double> total, squares, valid;

  void Add(const LidarScan& scan) {
    for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
      const double range = static_cast<double>(scan.ranges[i]);
      total[i] += range;
      squares[i] += range * range;
      valid[i] += scan.valid[i];
    }
  }

  std::string Text(double count) const {
    std::vector<double> mean, deviation, rate;
    for (std::size_t i = 0; i < total.size(); ++i) {
      mean.push_back(total[i] / count);
      deviation.push_back(std::sqrt(std::max(squares[i] / count - mean[i] * mean[i], 0.0)));
      rate.push_back(valid[i] / count);
    }
    return "{\"object\": " + std::to_string(object) + ", \"sensor\": " + std::to_string(sensor) +
           ", \"mean\": " + Array(mean) + ", \"std\": " + Array(deviation) +
           ", \"valid_rate\": " + Array(rate) + "}";
  }
};

std::string MomentsText(ParityWorld& world, int count) {
  std::vector<Moments> moments;
  ForEachLidar(world.scenario(), [&](int id, std::size_t k, const Lidar2d& lidar) {
    const std::vector<double> zeros(static_cast<std::size_t>(lidar.options().number), 0.0);
    moments.push_back({id, k, zeros, zeros, zeros});
  });
  for (int step = 0; step < count; ++step) {
    world.Step({});
    for (Moments& entry : moments) entry.Add(world.scan(entry.object, entry.sensor));
  }
  std::string scans;
  for (const Moments& entry : moments) Append(scans, entry.Text(count));
  return "{\"scans\": [" + scans + "]}";
}

std::string Answer(ParityWorld& world, const YAML::Node& request) {
  if (request["moments"]) return MomentsText(world, request["moments"].as<int>());
  if (request["set"]) world.Change(ReadInjections(request["set"]));
  if (request["env_action"]) {
    world.StepByEnv(request["env_action"].as<std::vector<float>>());
    return SnapshotText(world);
  }
  std::map<int, Command> commands;
  for (const auto& entry : request["actions"])
    commands[entry.first.as<int>()] = ReadRow<kMaxActionDim>(entry.second);
  world.Step(commands);
  return SnapshotText(world);
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void Serve() {
  std::unique_ptr<ParityWorld> world;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      const YAML::Node request = YAML::Load(line);
      if (request["scenario"]) {
        world = std::make_unique<ParityWorld>(ReadOptions(request));
        answer = SnapshotText(*world);
      } else if (world == nullptr) {
        throw std::invalid_argument("the first request must name a scenario");
      } else {
        answer = Answer(*world, request);
      }
    } catch (const std::exception& error) {
      answer = "{\"error\": \"" + Escaped(error.what()) + "\"}";
    }
    std::cout << answer << std::endl;
  }
}

}  // namespace
}  // namespace planarium

int main() {
  planarium::Serve();
  return 0;
}
