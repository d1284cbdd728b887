#include "server/describe.h"

#include <span>
#include <string_view>

#include "env/term_registry.h"
#include "physics/ray_caster.h"
#include "server/reply.h"
#include "server/status.h"

namespace planarium {
namespace {

// Equal tags give equal bits: IEEE double without contraction and the project's own functions.
// Raise the number when a change of arithmetic changes results.
constexpr const char* kFloatingPointTag = "ieee754-1";

// Abilities that a client may ask for by name.
constexpr std::string_view kFeatures[] = {"attach",        "builtin_policy", "episode_exact",
                                          "partial_reset", "render",         "reward_terms",
                                          "world_state"};

std::string Pack(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

v1::TensorSpec ObservationSpecOf(const EnvDescription& env) {
  v1::TensorSpec spec;
  spec.set_name("observation");
  spec.set_dtype(v1::DTYPE_F32);
  spec.add_shape(static_cast<std::uint32_t>(env.observation_width));
  spec.set_low(Pack(env.observation_low));
  spec.set_high(Pack(env.observation_high));
  for (const ColumnBlock& block : env.columns) {
    v1::ColumnBlock* out = spec.add_columns();
    out->set_term(block.term);
    out->set_start(static_cast<std::uint32_t>(block.start));
    out->set_width(static_cast<std::uint32_t>(block.width));
    out->set_unit(block.unit);
    for (const std::string& label : block.labels) out->add_labels(label);
  }
  return spec;
}

v1::TensorSpec ActionSpecOf(const VectorEnv& env) {
  const EnvDescription& description = env.description();
  const auto width = static_cast<std::size_t>(description.action_width);
  const std::vector<float> low(width, -1.0f);
  const std::vector<float> high(width, 1.0f);

  v1::TensorSpec spec;
  spec.set_name("action");
  spec.set_dtype(v1::DTYPE_F32);
  spec.add_shape(static_cast<std::uint32_t>(width));
  spec.set_low(Pack(low));
  spec.set_high(Pack(high));
  v1::ColumnBlock* block = spec.add_columns();
  block->set_term("action." + env.task().action.kind);
  block->set_width(static_cast<std::uint32_t>(width));
  block->set_unit("-");
  for (const std::string& label : description.action_labels) block->add_labels(label);
  return spec;
}

v1::LidarSpec LidarSpecOf(const Lidar2d& lidar, std::size_t agent, int sensor) {
  const Lidar2dOptions& options = lidar.options();
  const std::span<const double> angles = lidar.beams().angles();
  v1::LidarSpec spec;
  spec.set_agent(static_cast<std::uint32_t>(agent));
  spec.set_sensor(static_cast<std::uint32_t>(sensor));
  spec.set_number(static_cast<std::uint32_t>(lidar.beams().number()));
  spec.set_range_min(options.range_min);
  spec.set_range_max(options.range_max);
  spec.set_angles(std::string(reinterpret_cast<const char*>(angles.data()), angles.size_bytes()));
  for (const double value : {options.offset.x, options.offset.y, options.offset.theta}) {
    spec.add_offset(value);
  }
  return spec;
}

void AddLidars(const VectorEnv& env, v1::BatchSpec* spec) {
  for (std::size_t agent = 0; agent < env.description().num_agents; ++agent) {
    const int object = env.agent_object(0, agent);
    const auto& sensors = env.scenario(0).plans[static_cast<std::size_t>(object)].sensors;
    for (int sensor = 0; sensor < static_cast<int>(sensors.size()); ++sensor) {
      const auto* lidar =
          dynamic_cast<const Lidar2d*>(sensors[static_cast<std::size_t>(sensor)].get());
      if (lidar != nullptr) *spec->add_lidars() = LidarSpecOf(*lidar, agent, sensor);
    }
  }
}

void AddFacts(const BatchFacts& facts, v1::BatchSpec* spec) {
  spec->set_batch_id(facts.batch_id);
  spec->set_owner(facts.owner);
  spec->set_lease_seconds(facts.lease_seconds);
  spec->set_threads(static_cast<std::uint32_t>(facts.threads));
  for (const ScenarioShare& share : facts.shares) {
    spec->add_scenario_ids(share.scenario->content_hash);
    spec->add_scenario_names(share.scenario->name);
  }
}

v1::AutoresetMode ModeOf(Autoreset autoreset) {
  switch (autoreset) {
    case Autoreset::kNextStep:
      return v1::AUTORESET_NEXT_STEP;
    case Autoreset::kSameStep:
      return v1::AUTORESET_SAME_STEP;
    case Autoreset::kDisabled:
      return v1::AUTORESET_DISABLED;
  }
  return v1::AUTORESET_UNSPECIFIED;
}

const char* ParamTypeName(ParamType type) {
  switch (type) {
    case ParamType::kBool:
      return "bool";
    case ParamType::kNumber:
      return "number";
    case ParamType::kInteger:
      return "integer";
    case ParamType::kText:
      return "text";
    case ParamType::kNumbers:
      return "numbers";
  }
  return "";
}

v1::CatalogueEntry DescribeRow(const CatalogueRow& row) {
  v1::CatalogueEntry entry;
  entry.set_kind(std::string(row.kind));
  entry.set_name(std::string(row.name));
  entry.set_doc(std::string(row.doc));
  for (const ParamSchema& schema : row.params) {
    v1::ParamDoc* param = entry.add_params();
    param->set_name(std::string(schema.name));
    param->set_type(ParamTypeName(schema.type));
    param->set_default_value(std::string(schema.default_text));
    param->set_unit(std::string(schema.unit));
    param->set_doc(std::string(schema.doc));
  }
  return entry;
}

}  // namespace

v1::BatchSpec DescribeBatchSpec(const VectorEnv& env, const BatchFacts& facts) {
  const EnvDescription& description = env.description();
  v1::BatchSpec spec;
  AddFacts(facts, &spec);
  spec.set_num_envs(static_cast<std::uint32_t>(description.num_envs));
  spec.set_num_agents(static_cast<std::uint32_t>(description.num_agents));
  for (const std::string& name : description.agent_names) spec.add_agent_names(name);
  *spec.mutable_observation() = ObservationSpecOf(description);
  *spec.mutable_action() = ActionSpecOf(env);
  spec.set_autoreset(ModeOf(description.autoreset));
  spec.set_seed(description.seed);
  spec.set_step_time(description.step_time);
  spec.set_max_episode_steps(static_cast<std::uint32_t>(description.max_episode_steps));
  for (const std::string& name : description.reward_terms) spec.add_reward_terms(name);
  for (const std::string& name : description.termination_names) spec.add_termination_names(name);
  spec.set_task_yaml(TaskToYaml(env.task()));
  spec.set_bytes_per_world(description.bytes_per_world);
  spec.set_total_bytes(description.total_bytes);
  AddLidars(env, &spec);

  const ReplyPlan plan = PlanReply(ShapeOf(description), facts.chunk_bytes);
  spec.mutable_chunk()->set_rows_per_part(static_cast<std::uint32_t>(plan.rows_per_part));
  spec.mutable_chunk()->set_parts(static_cast<std::uint32_t>(plan.parts));
  return spec;
}

v1::BatchSpec ShortBatchSpec(const v1::BatchSpec& spec) {
  v1::BatchSpec brief = spec;
  for (v1::TensorSpec* tensor : {brief.mutable_observation(), brief.mutable_action()}) {
    tensor->clear_low();
    tensor->clear_high();
    for (v1::ColumnBlock& block : *tensor->mutable_columns()) block.clear_labels();
  }
  for (v1::LidarSpec& lidar : *brief.mutable_lidars()) lidar.clear_angles();
  brief.clear_task_yaml();
  return brief;
}

v1::Diagnostic DescribeDiagnostic(const Diagnostic& diagnostic) {
  v1::Diagnostic out;
  switch (diagnostic.severity) {
    case Severity::kNote:
      out.set_severity(v1::Diagnostic::NOTE);
      break;
    case Severity::kWarning:
      out.set_severity(v1::Diagnostic::WARNING);
      break;
    case Severity::kError:
      out.set_severity(v1::Diagnostic::ERROR);
      break;
  }
  out.set_file(diagnostic.file);
  out.set_line(diagnostic.line);
  out.set_column(diagnostic.column);
  out.set_key_path(diagnostic.key_path);
  out.set_message(diagnostic.message);
  out.set_hint(diagnostic.hint);
  return out;
}

v1::Limits DescribeLimits(const ServerLimits& limits) {
  v1::Limits out;
  out.set_max_receive_bytes(limits.max_receive_bytes);
  out.set_max_yaml_bytes(limits.max_yaml_bytes);
  out.set_max_worlds_per_batch(limits.max_worlds);
  out.set_max_batches(limits.max_batches);
  out.set_max_world_bytes(limits.max_memory);
  out.set_chunk_bytes(limits.chunk_bytes);
  out.set_lease_seconds(limits.lease_seconds);
  out.set_max_status_bytes(kMaxStatusBytes);
  out.set_max_scenarios(limits.max_scenarios);
  return out;
}

v1::ServerInfo DescribeServer(const ServerLimits& limits, const std::string& version, int threads) {
  v1::ServerInfo info;
  info.set_version(version);
  info.set_protocol_major(kProtocolMajor);
  info.set_protocol_minor(kProtocolMinor);
  for (const std::string_view feature : kFeatures) info.add_features(std::string(feature));
  *info.mutable_limits() = DescribeLimits(limits);
  info.set_threads(static_cast<std::uint32_t>(threads));
  info.set_ray_kernel(RayKernelName());
  info.set_floating_point(kFloatingPointTag);
  for (const CatalogueRow& row : Catalogue()) *info.add_catalogue() = DescribeRow(row);
  return info;
}

}  // namespace planarium
