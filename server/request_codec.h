#pragma once

#include <cstddef>
#include <cstdint>

#include "env/vector_env.h"
#include "planarium/v1/planarium.pb.h"

namespace planarium {

/// Views of a request's bulk data after checking dtype, shape and size; they live as long as the
/// request. Values are judged by VectorEnv, which knows the rows that are about to autoreset.
/// Throw RequestError naming field, element, expected and got.
StepInput DecodeStep(const v1::StepRequest& request, const EnvDescription& env);
ResetInput DecodeReset(const v1::ResetRequest& request, const EnvDescription& env);

/// Throws RequestError unless slot is below num_envs.
void CheckSlot(std::uint32_t slot, std::size_t num_envs);

/// Throws FAILED_PRECONDITION unless the client's major protocol number is ours; 0 passes.
void CheckProtocol(std::uint32_t major, std::uint32_t minor);

/// Refuses names of files above 256 bytes: every finding repeats them.
void RequireShort(std::string_view field, const std::string& name);

}  // namespace planarium
