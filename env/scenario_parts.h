#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "env/scenario.h"
#include "env/scenario_loader.h"
#include "env/yaml/reader.h"

/// Internal to the scenario loader: one reader per part of a world file, in the order of the calls.
namespace planarium {

/// A shape and what the motion model takes from it.
struct LoadedShape {
  ShapeSpec spec;
  double wheelbase = 0.0;  ///< [m] `shape.wheelbase`; 0: none given (IR-SIM treats both alike)
};

/// Sensors of an object, shared by all objects that take them from the same node.
struct LoadedSensors {
  std::vector<SensorSpec> specs;
  std::vector<std::shared_ptr<const Sensor>> sensors;
};

/// Coordinates, lengths, speeds and times.
inline constexpr NumberRule kQuantity{.low = -kLargestNumber, .high = kLargestNumber};
inline constexpr NumberRule kPositiveQuantity{.high = kLargestNumber, .above = 0.0};
inline constexpr NumberRule kNonNegativeQuantity{.low = 0.0, .high = kLargestNumber};

/// Numbers of a pose, a limit, a set of coefficients: what is longer is no such thing, and
/// `number: 4096` would read it as many times.
inline constexpr std::size_t kMaxListLength = 16;

/// Vertices and goals of all objects together: 16 MiB of vectors is far beyond any real world.
inline constexpr std::size_t kMaxVectors = 1 << 20;

/// What the readers share while one file is loaded.
struct LoadContext {
  Findings& findings;
  const LoadLimits& limits;
  Scenario& scenario;
  std::unordered_map<const YamlNode*, LoadedShape> shapes;
  std::unordered_map<const YamlNode*, LoadedSensors> sensors;
  std::map<std::string, YamlValue> unused;  ///< drawing and contact keys of the section being read
  std::size_t vectors = 0;                  ///< vertices and goals given to objects so far
};

/// One `robot:` or `obstacle:` entry that stands for `number` objects: gives each its share of a
/// key.
class EntryValues {
 public:
  /// Is a flat list of numbers one value for all objects, or one number per object?
  enum class FlatList { kShared, kPerObject };

  EntryValues(MapReader& reader, int number) : reader_(reader), number_(number) {}

  /// Value of `key` for object `index` of the entry: IR-SIM's rule (spec irsim-world 3.2). Lists of
  /// anything but numbers hold one element per object and repeat their last one.
  YamlValue Pick(std::string_view key, int index, FlatList flat = FlatList::kShared);
  MapReader& reader() { return reader_; }
  int number() const { return number_; }

  static bool IsPerObject(const YamlNode& list, FlatList flat);

 private:
  MapReader& reader_;
  int number_;
};

/// `world:`; every key.
void ReadWorld(const YamlValue& world, LoadContext& context);

/// `robot:` or `obstacle:`: appends the section's objects and plans to the scenario.
void ReadSection(const YamlValue& section, Role role, LoadContext& context);

/// Initial states and goals of the objects [first, first + number) of one entry.
void ReadPlacement(EntryValues& entry, int first, LoadContext& context);

/// One state of a drive: cut or padded with zeros to its dimension.
BodyState FitState(const std::vector<double>& values, int dimension);

/// `kinematics:` and the limits of one object (`vel_min` ... `angle_range`, `velocity`). Sets
/// is_static and needs the shape's wheelbase.
void ReadMotion(EntryValues& entry, int index, double shape_wheelbase, ObjectSpec& object,
                LoadContext& context);

/// `shape:`; absent: IR-SIM's default circle of 1 m.
LoadedShape ReadShape(const YamlValue& shape, LoadContext& context);

/// `behavior:` and `group_behavior:` of one object, which is otherwise complete.
BehaviorSpec ReadBehavior(const YamlValue& behavior, const YamlValue& group_behavior,
                          const ObjectSpec& object, Findings& findings);

/// `sensors:` of object `index` of an entry.
LoadedSensors ReadSensors(const YamlValue& sensors, int index, LoadContext& context);

}  // namespace planarium
