#include "server/request_codec.h"

#include <array>
#include <string_view>
#include <utility>

#include "server/limits.h"
#include "server/status.h"

namespace planarium {
namespace {

[[noreturn]] void Refuse(std::string text) {
  throw RequestError(StatusCode::kInvalidArgument, std::move(text));
}

const char* DTypeName(v1::DType dtype) {
  switch (dtype) {
    case v1::DTYPE_F32:
      return "f32";
    case v1::DTYPE_F64:
      return "f64";
    case v1::DTYPE_U8:
      return "u8";
    case v1::DTYPE_I32:
      return "i32";
    case v1::DTYPE_U64:
      return "u64";
    default:
      return "unknown dtype";
  }
}

template <typename Numbers>
std::string ShapeText(const Numbers& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.size()); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[static_cast<int>(i)]);
  }
  return text + ")";
}

// A shape with 4 numbers holds every tensor there is; longer ones are not worth printing.
constexpr int kMaxRank = 4;

// (N, A, action width)
struct ActionShape {
  std::array<std::size_t, 3> sizes;

  std::size_t size() const { return sizes.size(); }
  std::size_t operator[](int i) const { return sizes[static_cast<std::size_t>(i)]; }
  std::size_t elements() const { return sizes[0] * sizes[1] * sizes[2]; }
};

bool SameShape(const google::protobuf::RepeatedField<std::uint32_t>& got, const ActionShape& want) {
  if (static_cast<std::size_t>(got.size()) != want.size()) return false;
  for (int i = 0; i < got.size(); ++i) {
    if (got[i] != want[i]) return false;
  }
  return true;
}

void CheckActionsHeader(const v1::StepRequest& request, const ActionShape& want) {
  const auto& shape = request.actions_shape();
  const bool dtype_stated = request.actions_dtype() != v1::DTYPE_UNSPECIFIED;
  if (shape.size() > kMaxRank) {
    Refuse("actions_shape: got " + std::to_string(shape.size()) + " dimensions, expected " +
           ShapeText(want));
  }
  const bool wrong_dtype = dtype_stated && request.actions_dtype() != v1::DTYPE_F32;
  const bool wrong_shape = !shape.empty() && !SameShape(shape, want);
  if (!wrong_dtype && !wrong_shape) return;

  std::string text = "action: got ";
  text += dtype_stated ? DTypeName(request.actions_dtype()) : "f32";
  if (!shape.empty()) text += " " + ShapeText(shape);
  text += ", expected f32 " + ShapeText(want);
  if (wrong_dtype) text += "; cast with .astype(np.float32)";
  Refuse(std::move(text));
}

void CheckActionsBytes(std::size_t bytes, const ActionShape& want) {
  const std::size_t expected = want.elements() * sizeof(float);
  if (bytes == expected) return;
  std::string text = "action: got " + std::to_string(bytes) + " bytes, expected " +
                     std::to_string(expected) + " = f32 " + ShapeText(want);
  if (bytes == 2 * expected) text += "; that is the size of f64: cast with .astype(np.float32)";
  Refuse(std::move(text));
}

// Which behaviors there are depends on the robot's drive: VectorEnv judges the name.
void CheckPolicy(const v1::StepRequest& request) {
  if (request.actions().empty()) return;
  Refuse("actions: got " + std::to_string(request.actions().size()) +
         " bytes, expected none when policy \"" + Escape(request.policy()) + "\" steers");
}

// An (N) column that may be absent.
void CheckColumn(const char* field, std::size_t got, std::size_t num_envs) {
  if (got == 0 || got == num_envs) return;
  Refuse(std::string(field) + ": got " + std::to_string(got) + " entries, expected " +
         std::to_string(num_envs) + " (one per slot) or none");
}

void CheckMask(std::string_view mask, std::size_t num_envs) {
  CheckColumn("mask", mask.size(), num_envs);
  for (std::size_t slot = 0; slot < mask.size(); ++slot) {
    const auto flag = static_cast<unsigned char>(mask[slot]);
    if (flag > 1) {
      Refuse("mask: slot " + std::to_string(slot) + " = " + std::to_string(flag) +
             " (expected 0 or 1)");
    }
  }
}

}  // namespace

StepInput DecodeStep(const v1::StepRequest& request, const EnvDescription& env) {
  StepInput input;
  if (!request.policy().empty()) {
    CheckPolicy(request);
    input.policy = request.policy().c_str();
    return input;
  }
  const ActionShape want{
      {env.num_envs, env.num_agents, static_cast<std::size_t>(env.action_width)}};
  CheckActionsHeader(request, want);
  CheckActionsBytes(request.actions().size(), want);
  // The string's memory comes from new or, when short, lies at offset 16 of an aligned string:
  // aligned for float in both cases.
  input.actions = {reinterpret_cast<const float*>(request.actions().data()), want.elements()};
  return input;
}

ResetInput DecodeReset(const v1::ResetRequest& request, const EnvDescription& env) {
  CheckMask(request.mask(), env.num_envs);
  CheckColumn("slot_seeds", static_cast<std::size_t>(request.slot_seeds_size()), env.num_envs);
  if (request.has_seed() && request.slot_seeds_size() > 0) {
    Refuse("seed: got both seed and slot_seeds, expected at most one of them");
  }
  if (request.episode_exact() && !request.has_seed() && request.slot_seeds_size() == 0) {
    Refuse("episode_exact: got no seeds, expected seed or slot_seeds as reported by EpisodeEnds");
  }

  ResetInput input;
  input.mask = {reinterpret_cast<const std::uint8_t*>(request.mask().data()),
                request.mask().size()};
  if (request.has_seed()) input.seed = request.seed();
  input.slot_seeds = {request.slot_seeds().data(),
                      static_cast<std::size_t>(request.slot_seeds_size())};
  input.episode_exact = request.episode_exact();
  return input;
}

void CheckSlot(std::uint32_t slot, std::size_t num_envs) {
  if (slot < num_envs) return;
  Refuse("slot: got " + std::to_string(slot) + ", expected 0.." + std::to_string(num_envs - 1));
}

void CheckProtocol(std::uint32_t major, std::uint32_t minor) {
  if (major == 0 || major == kProtocolMajor) return;
  throw RequestError(StatusCode::kFailedPrecondition,
                     "protocol: client speaks " + std::to_string(major) + "." +
                         std::to_string(minor) + ", server " + std::to_string(kProtocolMajor) +
                         "." + std::to_string(kProtocolMinor) +
                         "; the major numbers must match: use a client of the server's version");
}

void RequireShort(std::string_view field, const std::string& name) {
  constexpr std::size_t kMaxName = 256;
  if (name.size() <= kMaxName) return;
  throw RequestError(StatusCode::kInvalidArgument,
                     std::string(field) + ": got " + std::to_string(name.size()) +
                         " bytes, expected at most " + std::to_string(kMaxName));
}

}  // namespace planarium
