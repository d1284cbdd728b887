// Pictures and world states of one world.

#include <gtest/gtest.h>

#include <cmath>

#include "server/drawing.h"
#include "tests/server/service_testing.h"

// The first text that Cairo draws fills fontconfig's tables, which stay until the process ends.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

namespace planarium {
namespace {

struct Pixel {
  int red, green, blue;
  bool operator==(const Pixel&) const = default;
};

Pixel At(const std::string& rgb, int width, int x, int y) {
  const auto i = static_cast<std::size_t>(3 * (y * width + x));
  return {std::uint8_t(rgb[i]), std::uint8_t(rgb[i + 1]), std::uint8_t(rgb[i + 2])};
}

// How many pixels have about this colour (drawn on white with some opacity).
int Count(const std::string& rgb, const std::function<bool(const Pixel&)>& is) {
  int count = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
    count += is({std::uint8_t(rgb[i]), std::uint8_t(rgb[i + 1]), std::uint8_t(rgb[i + 2])}) ? 1 : 0;
  }
  return count;
}
bool IsGreen(const Pixel& p) { return p.green > p.red + 60 && p.green > p.blue; }
bool IsBlue(const Pixel& p) { return p.blue > p.red + 100; }
bool IsBlack(const Pixel& p) { return p.red < 60 && p.green < 60 && p.blue < 60; }
bool IsRed(const Pixel& p) { return p.red > p.green + 40 && p.red > p.blue + 40; }
bool IsOrange(const Pixel& p) { return p.red > 200 && p.green > 140 && p.blue < 90; }

Scene MakeTestScene() {
  Scene scene;
  scene.title = "test   slot 3   step 4   t = 0.40 s";
  scene.bounds = {0.0, 0.0, 10.0, 10.0};
  SceneBody robot;
  robot.look = Look::kRobot;
  robot.center = {5.0, 5.0};
  robot.radius = 0.5;
  robot.pose = {5.0, 5.0, 0.5};
  SceneBody wall;
  wall.kind = ShapeKind::kPolygon;
  wall.outline = {{1, 1}, {3, 1}, {3, 2}, {1, 2}};
  SceneBody mover = robot;
  mover.look = Look::kMovingObstacle;
  mover.center = {8.0, 2.0};
  scene.bodies = {robot, wall, mover};
  scene.goals = {{{8.0, 8.0}, 0.3}};
  scene.beams = {{{5.0, 5.0}, {5.0, 9.0}, true}, {{5.0, 5.0}, {1.0, 5.0}, false}};
  return scene;
}

TEST(Drawing, ShowsEverythingInItsColour) {
  const std::string rgb = DrawScene(MakeTestScene(), {640, 640, ImageFormat::kRgb});
  ASSERT_EQ(rgb.size(), 640u * 640u * 3u);
  EXPECT_GT(Count(rgb, IsGreen), 1000);
  EXPECT_GT(Count(rgb, IsBlack), 5000);
  EXPECT_GT(Count(rgb, IsOrange), 1500);
  EXPECT_GT(Count(rgb, IsBlue), 50);
  EXPECT_GT(Count(rgb, IsRed), 200);
}

TEST(Drawing, IsUprightInEqualScale) {
  Scene scene;
  scene.bounds = {0.0, 0.0, 10.0, 5.0};
  SceneBody high;
  high.center = {2.0, 4.0};
  high.radius = 1.0;
  scene.bodies = {high};
  const std::string rgb = DrawScene(scene, {640, 640, ImageFormat::kRgb});
  int top = 640, bottom = 0, left = 640, right = 0;
  for (int y = 40; y < 640; ++y) {
    for (int x = 20; x < 620; ++x) {
      if (!IsBlack(At(rgb, 640, x, y))) continue;
      top = std::min(top, y), bottom = std::max(bottom, y);
      left = std::min(left, x), right = std::max(right, x);
    }
  }
  EXPECT_NEAR(bottom - top, right - left, 2);        // a circle, not an ellipse
  EXPECT_LT((top + bottom) / 2, 320);                // large y is up
  EXPECT_LT((left + right) / 2, 320);                // small x is left
  EXPECT_NEAR(right - left, 2 * 608.0 / 10.0, 3.0);  // 2 m of 10 m over the drawing's width
}

TEST(Drawing, KeepsRobotsOutsideTheWorldInView) {
  Scene scene = MakeTestScene();
  scene.bodies[0].center = {40.0, 5.0};
  const std::string rgb = DrawScene(scene, {320, 320, ImageFormat::kRgb});
  EXPECT_GT(Count(rgb, IsGreen), 20);
}

TEST(Drawing, CopesWithAnySize) {
  Scene scene = MakeTestScene();
  scene.title = std::string(500, 'x');
  for (const auto& [width, height] : {std::pair{16, 16}, {4096, 16}, {16, 700}, {1000, 300}}) {
    EXPECT_EQ(DrawScene(scene, {width, height, ImageFormat::kRgb}).size(),
              static_cast<std::size_t>(width) * height * 3);
  }
  scene.bounds = {};  // an empty world
  EXPECT_FALSE(DrawScene(scene, {64, 64, ImageFormat::kPng}).empty());
}

TEST_F(ServiceTest, RenderGivesAPng) {
  Create(2);
  MustReset();
  v1::RenderRequest request;
  request.set_batch_id(id_);
  request.set_slot(1);
  v1::Frame frame;
  ASSERT_THAT(service_->Render(request, &frame), IsOk());
  EXPECT_EQ(frame.data().substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(frame.width(), 640u);
  EXPECT_EQ(frame.height(), 640u);
}

TEST_F(ServiceTest, HidingTheLidarRemovesTheBeamsOnly) {
  Create(1);
  MustReset();
  v1::RenderRequest request;
  request.set_batch_id(id_);
  request.set_format(v1::RenderRequest::RGB);
  v1::Frame with;
  v1::Frame without;
  ASSERT_THAT(service_->Render(request, &with), IsOk());
  request.set_hide_lidar(true);
  ASSERT_THAT(service_->Render(request, &without), IsOk());
  EXPECT_GT(Count(with.data(), IsRed), 20);
  EXPECT_EQ(Count(without.data(), IsRed), 0);
  EXPECT_GT(Count(without.data(), IsGreen), 50);
}

TEST_F(ServiceTest, WorldStateIsComplete) {
  Create(1);
  MustReset(1);
  ASSERT_THAT(Step(MakeStep(2, 1.0f)), IsOk());
  v1::WorldStateRequest request;
  request.set_batch_id(id_);
  v1::WorldState world;
  ASSERT_THAT(service_->GetWorldState(request, &world), IsOk());
  EXPECT_EQ(world.name(), "small");
  EXPECT_EQ(world.step(), 1u);
  EXPECT_DOUBLE_EQ(world.time(), 0.1);
  EXPECT_EQ(world.status(), "Running");
  EXPECT_EQ(std::vector<double>(world.bounds().begin(), world.bounds().end()),
            (std::vector<double>{0, 0, 10, 10}));
  ASSERT_EQ(world.objects_size(), 3);

  const v1::ObjectState& robot = world.objects(0);
  EXPECT_EQ(robot.name(), "robot_0");
  EXPECT_EQ(robot.role(), "robot");
  EXPECT_EQ(robot.kinematics(), "diff");
  EXPECT_EQ(robot.shape(), "circle");
  ASSERT_EQ(robot.state_size(), 3);
  EXPECT_NEAR(robot.state(0), 2.1, 1e-9);
  EXPECT_DOUBLE_EQ(robot.velocity(0), 1.0);
  EXPECT_DOUBLE_EQ(robot.goal(0), 8.0);
  ASSERT_EQ(robot.scans_size(), 1);
  const v1::LaserScan& scan = robot.scans(0);
  EXPECT_EQ(Unpack<float>(scan.ranges()).size(), 16u);
  EXPECT_EQ(scan.valid().size(), 16u);
  EXPECT_EQ(Unpack<std::int32_t>(scan.hit_ids()).size(), 16u);
  EXPECT_NEAR(scan.angle_min(), -3.0, 1e-12);
  EXPECT_NEAR(scan.angle_max(), 3.0, 1e-12);
  EXPECT_EQ(scan.frame_id().substr(0, 8), "robot_0/");

  const v1::ObjectState& box = world.objects(2);
  EXPECT_EQ(box.role(), "obstacle");
  EXPECT_EQ(box.shape(), "polygon");
  EXPECT_EQ(Unpack<double>(box.vertices()).size(), 8u);
  EXPECT_NEAR(box.radius(), std::sqrt(0.25 + 1.0), 1e-9);
}

}  // namespace
}  // namespace planarium
