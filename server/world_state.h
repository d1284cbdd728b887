#pragma once

#include <cstddef>

#include "env/vector_env.h"
#include "planarium/v1/planarium.pb.h"

namespace planarium {

/// Complete state of one world, with the field names of irsim.msg and ROS. REQUIRES: slot below
/// num_envs, Reset was called.
v1::WorldState DescribeWorld(const VectorEnv& env, std::size_t slot);

}  // namespace planarium
