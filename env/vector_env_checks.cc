#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include "env/vector_env_impl.h"

namespace planarium {
namespace {

bool IsFinite(float value) {
  constexpr std::uint32_t kExponent = 0x7f800000U;
  return (std::bit_cast<std::uint32_t>(value) & kExponent) != kExponent;
}

}  // namespace

const std::string& VectorEnv::Impl::AgentName(std::size_t i) const {
  const CompiledScenario& scenario = *compiled[static_cast<std::size_t>(scenario_of_slot[i])];
  return scenario.spec().objects[static_cast<std::size_t>(scenario.agent())].name;
}

std::optional<Refusal> VectorEnv::Impl::CheckReady() const {
  if (!ready)
    return Refusal{Refusal::Kind::kFailedPrecondition, "step: Reset must be called first"};
  if (options.autoreset != Autoreset::kDisabled) return std::nullopt;
  std::string names;
  std::size_t done = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].done || done++ >= kNamedSlots) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(i);
  }
  if (done == 0) return std::nullopt;
  if (done > kNamedSlots) names += " and " + std::to_string(done - kNamedSlots) + " more";
  return Refusal{
      Refusal::Kind::kFailedPrecondition,
      "step: slots " + names + " are done and autoreset is DISABLED; call Reset with their mask"};
}

std::optional<Refusal> VectorEnv::Impl::RefuseAction(std::size_t at,
                                                     std::span<const float> actions) const {
  std::size_t bad = 0;
  for (std::size_t k = 0; k < actions.size(); ++k) {
    const bool outside = task.action.out_of_range == OutOfRange::kReject &&
                         !(actions[k] >= -1.0F && actions[k] <= 1.0F);
    if (!Resets(k / action_width) && (!IsFinite(actions[k]) || outside)) ++bad;
  }
  std::array<char, 256> text{};
  std::snprintf(
      text.data(), text.size(),
      "action: slot %zu %s[%zu] = %g (expected finite in [-1, 1]); %zu bad of %zu; nothing stepped",
      at / action_width, AgentName(at / action_width).c_str(), at % action_width,
      static_cast<double>(actions[at]), bad, actions.size());
  return Refusal{Refusal::Kind::kInvalidArgument, text.data()};
}

std::optional<Refusal> VectorEnv::Impl::CheckActions(const StepInput& input) const {
  if (input.policy != nullptr) {
    for (const auto& scenario : compiled) {
      if (scenario->FindPolicy(input.policy) != nullptr) continue;
      std::string names;
      for (const std::string& name : scenario->PolicyNames())
        names += (names.empty() ? "" : ", ") + name;
      return Refusal{Refusal::Kind::kInvalidArgument, "policy: got '" +
                                                          std::string(input.policy).substr(0, 64) +
                                                          "', expected one of " + names};
    }
    return std::nullopt;
  }
  if (input.actions.size() != slots.size() * action_width) {
    return Refusal{Refusal::Kind::kInvalidArgument,
                   "action: got " + std::to_string(input.actions.size()) + " values, expected " +
                       std::to_string(slots.size()) + " x " + std::to_string(action_width)};
  }
  const bool reject = task.action.out_of_range == OutOfRange::kReject;
  for (std::size_t k = 0; k < input.actions.size(); ++k) {
    const float value = input.actions[k];
    const bool fine = IsFinite(value) && (!reject || (value >= -1.0F && value <= 1.0F));
    if (!fine && !Resets(k / action_width)) return RefuseAction(k, input.actions);
  }
  return std::nullopt;
}

std::optional<Refusal> VectorEnv::Impl::CheckReset(const ResetInput& input) const {
  const auto refuse = [](const std::string& text) {
    return Refusal{Refusal::Kind::kInvalidArgument, text};
  };
  const std::size_t n = slots.size();
  if (!input.mask.empty() && input.mask.size() != n) {
    return refuse("mask: got " + std::to_string(input.mask.size()) + " flags, expected " +
                  std::to_string(n));
  }
  if (!input.mask.empty() &&
      std::ranges::none_of(input.mask, [](std::uint8_t flag) { return flag != 0; })) {
    return refuse("mask: selects no slot, expected at least one");
  }
  if (!input.slot_seeds.empty() && input.slot_seeds.size() != n) {
    return refuse("slot_seeds: got " + std::to_string(input.slot_seeds.size()) + ", expected " +
                  std::to_string(n));
  }
  if (input.seed && !input.slot_seeds.empty())
    return refuse("seed and slot_seeds: expected one of them, got both");
  if (input.episode_exact && !input.seed && input.slot_seeds.empty())
    return refuse("episode_exact: needs seed or slot_seeds");
  if (!ready && !input.mask.empty() &&
      std::ranges::any_of(input.mask, [](std::uint8_t flag) { return flag == 0; })) {
    return Refusal{Refusal::Kind::kFailedPrecondition,
                   "mask: the first Reset must select every slot"};
  }
  return std::nullopt;
}

std::optional<Refusal> VectorEnv::Impl::RefusePlacement(std::span<const std::uint8_t> mask) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool selected = mask.empty() || mask[i] != 0;
    if (!selected || !slots[i].unplaced) continue;
    // Draw again, now naming the objects; the draws are the same, and so is the verdict.
    std::vector<int> failed;
    BeginEpisode(slot(i), slots[i].episode_seed, task.max_spawn_tries, workspaces.front(), &failed);
    slots[i].done = true;
    std::string names;
    for (const int id : failed) {
      const ObjectSpec& object = slot(i).scenario.spec().objects[static_cast<std::size_t>(id)];
      names += (names.empty() ? "" : ", ") + object.name;
    }
    return Refusal{Refusal::Kind::kResourceExhausted,
                   "reset: slot " + std::to_string(i) + ": no free pose for " + names + " after " +
                       std::to_string(task.max_spawn_tries) + " tries each"};
  }
  return std::nullopt;
}

void VectorEnv::Impl::AddFault(std::size_t i, bool unplaced) {
  if (faults.size() == kNamedSlots) return;
  faults.push_back({static_cast<std::int32_t>(i),
                    unplaced ? "no free start was found; the next step tries another episode"
                             : "the state of the world became non-finite"});
}

// From the log, for a slot may be in its next episode already.
void VectorEnv::Impl::CollectFaults() {
  faults.clear();
  const EpisodeEnds ends = log.ends();
  for (std::size_t k = 0; k < ends.slots.size(); ++k) {
    if (ends.reasons[k] != static_cast<std::uint8_t>(EndReason::kFault)) continue;
    AddFault(static_cast<std::size_t>(ends.slots[k]), ends.lengths[k] == 0);
  }
  if (options.autoreset != Autoreset::kSameStep) return;
  // The episode that should have followed in the same step found no start.
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].done || !slots[i].unplaced) continue;
    const auto at = static_cast<std::int32_t>(i);
    if (std::ranges::find(faults, at, &RowFault::slot) == faults.end()) AddFault(i, true);
  }
}

}  // namespace planarium
