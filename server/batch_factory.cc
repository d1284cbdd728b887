#include "server/batch_factory.h"

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "server/describe.h"
#include "server/reply.h"
#include "server/request_codec.h"
#include "server/status.h"

namespace planarium {
namespace {

// Longest owner text: a name and a host, not a document.
constexpr std::size_t kMaxOwnerBytes = 256;

[[noreturn]] void Refuse(std::string text) {
  throw RequestError(StatusCode::kInvalidArgument, std::move(text));
}

// Checks that need nothing but the request and the limits.
void CheckNumbers(const v1::CreateBatchRequest& request, const ServerLimits& limits) {
  if (request.num_envs() == 0) {
    Refuse("num_envs: got 0, expected 1.." + std::to_string(limits.max_worlds));
  }
  if (request.num_envs() > limits.max_worlds) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "num_envs: got " + std::to_string(request.num_envs()) + ", limit " +
                           std::to_string(limits.max_worlds) + " (--max-worlds)");
  }
  const auto seeds = static_cast<std::size_t>(request.slot_seeds_size());
  if (seeds != 0 && seeds != request.num_envs()) {
    Refuse("slot_seeds: got " + std::to_string(seeds) + ", expected " +
           std::to_string(request.num_envs()) + " (one per slot) or none");
  }
  if (request.threads() > static_cast<std::uint32_t>(kMaxThreads)) {
    Refuse("threads: got " + std::to_string(request.threads()) + ", expected 0.." +
           std::to_string(kMaxThreads));
  }
  if (request.max_episode_steps() > std::numeric_limits<std::int32_t>::max()) {
    Refuse("max_episode_steps: got " + std::to_string(request.max_episode_steps()) +
           ", expected less than 2^31");
  }
  const double lease = request.lease_seconds();
  if (!(lease >= 0.0 && lease <= kMaxLeaseSeconds)) {
    Refuse("lease_seconds: got " + std::to_string(lease) + ", expected 0.." +
           std::to_string(static_cast<int>(kMaxLeaseSeconds)));
  }
  if (request.owner().size() > kMaxOwnerBytes) {
    Refuse("owner: got " + std::to_string(request.owner().size()) + " bytes, expected at most " +
           std::to_string(kMaxOwnerBytes));
  }
}

void CheckCompat(v1::Compat compat) {
  if (compat == v1::COMPAT_DEFAULT) return;
  if (compat == v1::COMPAT_STRICT) {
    throw RequestError(StatusCode::kUnimplemented,
                       "compat: STRICT is reserved and not built yet; use DEFAULT, its differences "
                       "from IR-SIM are listed in docs/differences.md");
  }
  Refuse("compat: got " + std::to_string(compat) + ", expected DEFAULT or STRICT");
}

Autoreset AutoresetOf(v1::AutoresetMode mode) {
  switch (mode) {
    case v1::AUTORESET_UNSPECIFIED:
    case v1::AUTORESET_NEXT_STEP:
      return Autoreset::kNextStep;
    case v1::AUTORESET_SAME_STEP:
      return Autoreset::kSameStep;
    case v1::AUTORESET_DISABLED:
      return Autoreset::kDisabled;
    default:
      Refuse("autoreset: got " + std::to_string(mode) +
             ", expected NEXT_STEP, SAME_STEP "
             "or DISABLED");
  }
}

std::uint64_t DrawSeed() {
  std::random_device entropy;
  return static_cast<std::uint64_t>(entropy()) << 32 | entropy();
}

VectorEnvOptions MakeEnvOptions(const v1::CreateBatchRequest& request, int default_threads) {
  VectorEnvOptions options;
  options.seed = request.has_seed() ? request.seed() : DrawSeed();
  options.slot_seeds.assign(request.slot_seeds().begin(), request.slot_seeds().end());
  options.autoreset = AutoresetOf(request.autoreset());
  options.threads = request.threads() == 0 ? default_threads : static_cast<int>(request.threads());
  options.max_episode_steps = static_cast<int>(request.max_episode_steps());
  return options;
}

// Either all counts are given, or none.
std::size_t CountOf(const v1::CreateBatchRequest& request, int position, bool counted) {
  if (counted) return request.scenarios(position).count();
  const auto mixes = static_cast<std::size_t>(request.scenarios_size());
  const std::size_t extra = static_cast<std::size_t>(position) < request.num_envs() % mixes ? 1 : 0;
  return request.num_envs() / mixes + extra;
}

}  // namespace

BatchFactory::BatchFactory(FactorySetup setup, ScenarioStore* scenarios)
    : setup_(std::move(setup)), scenarios_(scenarios), budget_(MemoryBudget::Make(setup_.limits)) {}

std::shared_ptr<Session> BatchFactory::Make(const v1::CreateBatchRequest& request,
                                            const std::string& batch_id) {
  CheckNumbers(request, setup_.limits);
  CheckCompat(request.compat());
  std::vector<ScenarioShare> shares = MakeShares(request);
  Task task = MakeTask(request);
  VectorEnvOptions env_options = MakeEnvOptions(request, setup_.threads);

  BatchFacts facts;
  facts.batch_id = batch_id;
  facts.owner = request.owner();
  facts.lease_seconds =
      request.lease_seconds() > 0.0 ? request.lease_seconds() : setup_.limits.lease_seconds;
  facts.threads = env_options.threads;
  facts.chunk_bytes = setup_.limits.chunk_bytes;
  facts.shares = shares;

  // Worlds are paid for before they are made; the width of a row is known only afterwards, so the
  // replies are paid for then. Leaving by an exception gives everything back.
  auto memory = budget_->Reserve(VectorEnv::EstimateBytes(shares, task), request.num_envs());
  auto env =
      std::make_unique<VectorEnv>(std::move(shares), std::move(task), std::move(env_options));
  SessionOptions options;
  options.plan = PlanReply(ShapeOf(env->description()), facts.chunk_bytes);
  memory->Extend(ReplyPool::kUsualReplies * options.plan.Bytes(), request.num_envs());
  options.lease = std::chrono::nanoseconds(static_cast<std::int64_t>(facts.lease_seconds * 1e9));
  options.clock = setup_.clock;
  options.spec = DescribeBatchSpec(*env, facts);
  return std::make_shared<Session>(std::move(options), std::move(env), std::move(memory));
}

std::vector<ScenarioShare> BatchFactory::MakeShares(const v1::CreateBatchRequest& request) const {
  if (request.scenarios_size() == 0) Refuse("scenarios: got none, expected at least one");
  if (request.scenarios_size() > kMaxMixes ||
      static_cast<std::uint32_t>(request.scenarios_size()) > request.num_envs()) {
    Refuse("scenarios: got " + std::to_string(request.scenarios_size()) +
           ", expected at most one per slot and " + std::to_string(kMaxMixes) + " together");
  }
  std::size_t given = 0;
  std::size_t sum = 0;
  for (const v1::ScenarioMix& mix : request.scenarios()) {
    given += mix.count() > 0 ? 1 : 0;
    sum += mix.count();
  }
  const auto mixes = static_cast<std::size_t>(request.scenarios_size());
  if (given != 0 && (given != mixes || sum != request.num_envs())) {
    Refuse("scenarios: counts sum to " + std::to_string(sum) + " with " +
           std::to_string(mixes - given) + " left out, expected all given and a sum of " +
           std::to_string(request.num_envs()) + ", or none given");
  }
  std::vector<ScenarioShare> shares;
  for (int i = 0; i < request.scenarios_size(); ++i) {
    shares.push_back(
        {scenarios_->Find(request.scenarios(i).scenario_id()), CountOf(request, i, given != 0)});
  }
  return shares;
}

Task BatchFactory::MakeTask(const v1::CreateBatchRequest& request) const {
  if (request.task_yaml().empty()) return DefaultTask();
  if (request.task_yaml().size() > setup_.limits.max_yaml_bytes) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "task_yaml: got " + std::to_string(request.task_yaml().size()) +
                           " bytes, limit " + std::to_string(setup_.limits.max_yaml_bytes) +
                           " (--max-yaml-bytes)");
  }
  RequireShort("task_name", request.task_name());
  const std::string name = request.task_name().empty() ? "task.yaml" : request.task_name();
  try {
    return LoadTask(request.task_yaml(), name);
  } catch (const SpecError& error) {
    throw RequestError(StatusCode::kInvalidArgument, "task " + DescribeFindings(error));
  }
}

}  // namespace planarium
