#pragma once

#include <cstdint>

#include "physics/kinematics.h"
#include "physics/placed_shape.h"
#include "physics/shape.h"

namespace planarium {

/// Mutable state of one object in one world.
struct ObjectState {
  BodyState state{};   ///< x [m], y [m], theta [rad], steer [rad]; who writes it calls PlaceObject
  Command velocity{};  ///< stored (clipped, noise-free) command, command frame of the drive
  ShapeView shape;     ///< body-frame geometry of this episode
  PlacedShape placed;  ///< the same at the current pose
  std::uint32_t goal_index = 0;  ///< current goal within the queue
  std::uint32_t goal_count = 0;  ///< queue length; goal_index == goal_count: no goal
  std::int32_t partner = -1;     ///< lowest id of the objects it collides with, -1: none
  bool arrive = false;
  bool collision = false;
  bool stop = false;

  Pose2 pose() const { return {state[0], state[1], state[2]}; }
};

}  // namespace planarium
