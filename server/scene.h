#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "env/vector_env.h"

namespace planarium {

/// What an object looks like in a picture.
enum class Look : std::uint8_t { kRobot, kObstacle, kMovingObstacle };

/// One body, its outline in the world frame. [m]
struct SceneBody {
  Look look = Look::kObstacle;
  ShapeKind kind = ShapeKind::kCircle;
  std::vector<Vec2> outline;  ///< vertices; empty for a circle
  Vec2 center;                ///< circle centre, else centroid
  double radius = 0.0;        ///< circle radius, else bounding radius
  Pose2 pose;
  bool collided = false;
};

struct SceneBeam {
  Vec2 from, to;  ///< [m] world frame
  bool hit = false;
};

struct SceneGoal {
  Vec2 at;              ///< [m]
  double radius = 0.1;  ///< [m] arrival threshold
};

/// One world as it stands, ready to be drawn without the batch.
struct Scene {
  std::string title;
  Aabb bounds;  ///< world rectangle
  std::vector<SceneBody> bodies;
  std::vector<SceneBeam> beams;
  std::vector<SceneGoal> goals;
};

enum class LidarBeams : std::uint8_t { kShow, kHide };

/// Copies what a picture of `slot` shows. REQUIRES: slot below num_envs, Reset was called.
Scene MakeScene(const VectorEnv& env, std::size_t slot, LidarBeams lidar);

}  // namespace planarium
