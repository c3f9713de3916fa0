// The facts of a plan as JSON; every key is documented in docs/inspect-json.md.
#include <nlohmann/json.hpp>

#include "runtime/inspect/names.h"
#include "runtime/inspect/summary.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

// Keeps keys in the order they are written here.
using Json = nlohmann::ordered_json;

Json ToJson(const ParameterSummary& parameter) {
  Json json = {{"name", parameter.name},
               {"logical_sizes", parameter.logical_sizes},
               {"padded_sizes", parameter.global_sizes},
               {"type", parameter.type},
               {"storage_sharding", parameter.storage_sharding},
               {"compute_sharding", parameter.compute_sharding}};
  json["gradient_sharding"] = parameter.gradient_sharding.empty()
                                  ? Json(nullptr)
                                  : Json(parameter.gradient_sharding);
  json["bytes_per_rank"] = parameter.bytes_per_rank;
  return json;
}

Json ToJson(const ListSummary& list) {
  return {
      {"name", list.name},         {"phase", list.phase},
      {"variant", list.variant},   {"runs_per_step", list.runs_per_step},
      {"commands", list.commands}, {"commands_by_kind", list.commands_by_kind}};
}

Json ToJson(const CollectiveSummary& collective) {
  Json json = {{"list", collective.list}, {"kind", collective.kind}};
  json["reduction"] =
      collective.reduction.empty() ? Json(nullptr) : Json(collective.reduction);
  json["axes"] = collective.axes;
  json["group_size"] = collective.group_size;
  json["count_per_step"] = collective.count_per_step;
  json["payload_bytes_per_step"] = collective.payload_bytes_per_step;
  return json;
}

Json ToJson(const ScheduleSummary& entry) {
  return {{"list", entry.list},
          {"microbatch", entry.microbatch},
          {"slot", entry.slot},
          {"load_batch", entry.load_batch}};
}

Json ToJson(const ChannelSummary& channel) {
  return {{"name", channel.name},
          {"source_stage", channel.source_stage},
          {"destination_stage", channel.destination_stage},
          {"messages_per_step", channel.messages_per_step},
          {"bytes_per_step", channel.bytes_per_step}};
}

Json ToJson(const MemorySummary& memory) {
  Json categories = Json::object();
  for (const MemoryCategory& category : memory.categories)
    categories[category.name] = category.bytes;
  return {{"arena_bytes", memory.arena_bytes},
          {"persistent_bytes", memory.persistent_bytes},
          {"slot_bytes", memory.slot_bytes},
          {"slots", memory.slots},
          {"transient_bytes", memory.transient_bytes},
          {"bytes_by_category", categories}};
}

template <typename T>
Json ToArray(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(ToJson(value));
  return array;
}

Json DescribeMasking(const plan::Training& training) {
  if (!training.has_masking()) return nullptr;
  const plan::Masking& masking = training.masking();
  Json json = {{"mask_token", masking.mask_token()},
               {"pad_token", nullptr},
               {"special_tokens", Json::array()},
               {"rate", masking.rate()},
               {"mask_share", masking.mask_share()},
               {"random_share", masking.random_share()}};
  if (masking.has_pad_token()) json["pad_token"] = masking.pad_token();
  for (int64_t token : masking.special_tokens())
    json["special_tokens"].push_back(token);
  return json;
}

}  // namespace

std::string PrintJson(const plan::Plan& plan, const PlanSummary& summary) {
  Json mesh = Json::array();
  for (const plan::Mesh::Axis& axis : plan.mesh().axes())
    mesh.push_back({{"name", axis.name()}, {"size", axis.size()}});
  const plan::Training& training = plan.training();
  const plan::LearningRate& rate = training.learning_rate();
  const plan::Target& target = plan.target();
  Json features = Json::array();
  for (const std::string& feature : target.cpu_features())
    features.push_back(feature);
  Json roles = Json::array();
  for (const RoleSummary& role : summary.roles) {
    roles.push_back({{"stage", role.stage},
                     {"memory", ToJson(role.memory)},
                     {"parameters", ToArray(role.parameters)},
                     {"lists", ToArray(role.lists)},
                     {"collectives", ToArray(role.collectives)},
                     {"schedule", ToArray(role.schedule)}});
  }
  Json remarks = Json::array();
  for (const plan::Remark& remark : plan.remarks())
    remarks.push_back(
        {{"location", remark.location()}, {"text", remark.text()}});
  Json json = {{"plan_version", plan.version()},
               {"compiler_version", plan.compiler_version()},
               {"model_name", plan.model_name()},
               {"model_hash", plan.model_hash()},
               {"parameter_count", plan.parameter_count()},
               {"strategy", plan.strategy()},
               {"mesh", mesh},
               {"ranks", RankCount(plan.mesh())},
               {"training",
                {{"sequence_length", training.sequence_length()},
                 {"global_batch", training.global_batch()},
                 {"microbatches", training.microbatches()},
                 {"vocabulary", training.vocabulary()},
                 {"masking", DescribeMasking(training)},
                 {"learning_rate", rate.learning_rate()},
                 {"min_learning_rate", rate.min_learning_rate()},
                 {"warmup_steps", rate.warmup_steps()},
                 {"decay_steps", rate.decay_steps()}}},
               {"target",
                {{"device", DeviceKindName(target.device())},
                 {"triple", target.triple()},
                 {"cpu_features", features},
                 {"kernels", target.kernels_size()},
                 {"object_bytes", target.object().size()}}},
               {"roles", roles},
               {"channels", ToArray(summary.channels)},
               {"remarks", remarks}};
  // A name that is not UTF-8 is shown with replacement characters.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mpc::runtime
