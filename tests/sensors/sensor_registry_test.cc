#include "sensors/sensor_registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/lidar2d.h"

namespace planarium {
namespace {

// What the factory of lidar2d says about one parameter; empty when it accepts it.
std::string Complaint(const std::string& key, ParamValue value) {
  Params params;
  params.Set(key, std::move(value));
  try {
    FindSensor("lidar2d")->make(params);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(SensorRegistry, EveryRowIsDocumentedAndBuildsFromDefaults) {
  ASSERT_FALSE(SensorRegistry().empty());
  for (const SensorRow& row : SensorRegistry()) {
    EXPECT_FALSE(row.doc.empty()) << row.type;
    EXPECT_EQ(FindSensor(row.type), &row);
    for (const ParamSchema& param : row.params) {
      EXPECT_FALSE(param.doc.empty() || param.unit.empty() || param.default_text.empty())
          << row.type << "." << param.name;
      EXPECT_LE(param.low, param.high);
    }
    const std::unique_ptr<Sensor> sensor = row.make({});
    EXPECT_EQ(sensor->type(), row.type);
    EXPECT_GT(sensor->StateBytes(), 0U);
  }
  EXPECT_EQ(FindSensor("lidar3d"), nullptr);
}

TEST(SensorRegistry, DocumentedDefaultsAreThoseOfTheOptions) {
  const Lidar2dOptions defaults;
  std::map<std::string_view, std::string> text;
  for (const ParamSchema& param : FindSensor("lidar2d")->params) {
    text[param.name] = param.default_text;
  }
  EXPECT_EQ(text.size(), 10U);
  EXPECT_EQ(std::stod(text["range_min"]), defaults.range_min);
  EXPECT_EQ(std::stod(text["range_max"]), defaults.range_max);
  EXPECT_EQ(std::stod(text["angle_range"]), defaults.angle_range);
  EXPECT_EQ(std::stoi(text["number"]), defaults.number);
  EXPECT_EQ(std::stod(text["scan_time"]), defaults.scan_time);
  EXPECT_EQ(std::stod(text["std"]), defaults.std);
  EXPECT_EQ(std::stod(text["angle_std"]), defaults.angle_std);
  EXPECT_EQ(text["noise"] == "true", defaults.noise);
  EXPECT_EQ(text["has_velocity"] == "true", defaults.has_velocity);
  EXPECT_EQ(text["offset"], "[0, 0, 0]");
}

TEST(SensorRegistry, Lidar2dTakesAllParameters) {
  Params params;
  params.Set("range_min", 0.1);
  params.Set("range_max", 7.0);
  params.Set("angle_range", 3.0);
  params.Set("number", 180.0);
  params.Set("scan_time", 0.2);
  params.Set("noise", true);
  params.Set("std", 0.05);
  params.Set("angle_std", 0.02);
  params.Set("offset", std::vector<double>{0.1, 0.2, 0.3});
  params.Set("has_velocity", true);
  const auto sensor = FindSensor("lidar2d")->make(params);
  const auto& options = dynamic_cast<const Lidar2d&>(*sensor).options();
  EXPECT_EQ(options.range_min, 0.1);
  EXPECT_EQ(options.range_max, 7.0);
  EXPECT_EQ(options.angle_range, 3.0);
  EXPECT_EQ(options.number, 180);
  EXPECT_EQ(options.scan_time, 0.2);
  EXPECT_TRUE(options.noise);
  EXPECT_EQ(options.std, 0.05);
  EXPECT_EQ(options.angle_std, 0.02);
  EXPECT_EQ(options.offset.y, 0.2);
  EXPECT_EQ(options.offset.theta, 0.3);
  EXPECT_TRUE(options.has_velocity);
}

TEST(SensorRegistry, Lidar2dNamesKeyExpectedAndGot) {
  EXPECT_EQ(Complaint("number", 0.0),
            "lidar2d: number: expected an integer from 1 to 100000, got 0");
  EXPECT_EQ(Complaint("range_max", -1.0),
            "lidar2d: range_max: expected a finite number above 0, got -1");
}

TEST(SensorRegistry, Lidar2dRefusesWhatCannotBe) {
  const double nan = std::nan("");
  for (const double number : {0.0, -3.0, 100001.0, 2.5, 1e300, nan}) {
    EXPECT_NE(Complaint("number", number), "") << number;
  }
  for (const double range : {0.0, -1.0, nan, HUGE_VAL}) {
    EXPECT_NE(Complaint("range_max", range), "") << range;
  }
  for (const double range : {-0.1, 10.0, 11.0, nan}) {
    EXPECT_NE(Complaint("range_min", range), "") << range;
  }
  for (const double deviation : {-0.1, nan, HUGE_VAL}) {
    EXPECT_NE(Complaint("std", deviation), "") << deviation;
    EXPECT_NE(Complaint("angle_std", deviation), "") << deviation;
  }
  EXPECT_NE(Complaint("offset", std::vector<double>{1.0}), "");
  EXPECT_NE(Complaint("offset", std::vector<double>{1.0, 2.0, nan}), "");
  EXPECT_EQ(Complaint("number", 100000.0), "");
  EXPECT_EQ(Complaint("range_min", 9.999), "");
  EXPECT_EQ(Complaint("offset", std::vector<double>{1.0, 2.0}), "");
}

}  // namespace
}  // namespace planarium
