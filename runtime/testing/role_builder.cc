#include "runtime/testing/role_builder.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

/// A place behind what is used.
uint64_t Take(uint64_t& used, const plan::Slice& slice) {
  const uint64_t offset = used;
  used += (SpanBytes(slice) + 63) / 64 * 64;
  return offset;
}

/// The first elements of a dense slice in another shape.
plan::Slice Reshape(plan::Slice slice, const Sizes& sizes) {
  slice.clear_sizes();
  for (int64_t size : sizes) slice.add_sizes(size);
  return slice;
}

/// The plan's kernel of that symbol and extent, added if it is new.
uint32_t FindKernel(plan::Target& target, const std::string& symbol,
                    int64_t extent) {
  for (int i = 0; i < target.kernels_size(); ++i)
    if (target.kernels(i).symbol() == symbol &&
        target.kernels(i).extent() == extent)
      return i;
  plan::Kernel& kernel = *target.add_kernels();
  kernel.set_symbol(symbol);
  kernel.set_extent(extent);
  kernel.set_description(symbol);
  return target.kernels_size() - 1;
}

uint32_t FindGroup(plan::Plan& plan, const Axes& axes) {
  for (int i = 0; i < plan.groups_size(); ++i)
    if (Axes(plan.groups(i).axes().begin(), plan.groups(i).axes().end()) ==
        axes)
      return i;
  *plan.add_groups()->mutable_axes() = {axes.begin(), axes.end()};
  return plan.groups_size() - 1;
}

}  // namespace

plan::Plan StartPlan(const std::string& model, int64_t parameter_count,
                     int64_t microbatches) {
  plan::Plan plan;
  plan.set_version(1);
  plan.set_compiler_version("0.1.0");
  plan.set_strategy("by hand");
  plan.set_model_hash(model);
  plan.set_model_name(model);
  plan.set_parameter_count(parameter_count);
  plan::Training* training = plan.mutable_training();
  training->set_sequence_length(kSequence);
  training->set_global_batch(kBatch);
  training->set_microbatches(microbatches);
  training->set_vocabulary(kVocabulary);
  plan::LearningRate* rate = training->mutable_learning_rate();
  rate->set_learning_rate(0.5);
  rate->set_min_learning_rate(0.25);
  rate->set_warmup_steps(2);
  rate->set_decay_steps(10);
  plan::Target* target = plan.mutable_target();
  target->set_device(plan::DEVICE_KIND_CPU);
  target->set_triple("x86_64-unknown-linux-gnu");
  std::ifstream object(MPC_BIGRAM_KERNELS, std::ios::binary);
  target->set_object(std::string(std::istreambuf_iterator<char>(object), {}));
  return plan;
}

Axes AddAxis(plan::Plan& plan, const std::string& name, int64_t size) {
  if (size == 1) return {};
  plan::Mesh::Axis* axis = plan.mutable_mesh()->add_axes();
  axis->set_name(name);
  axis->set_size(size);
  return {static_cast<uint32_t>(plan.mesh().axes_size() - 1)};
}

Axes Join(Axes major, const Axes& minor) {
  major.insert(major.end(), minor.begin(), minor.end());
  return major;
}

RoleBuilder::RoleBuilder(plan::Plan* plan)
    : plan_(plan), stage_(plan->roles_size()) {
  plan->add_roles()->set_stage(stage_);
}

int64_t RoleBuilder::SizeOf(const Axes& axes) const {
  int64_t size = 1;
  for (uint32_t axis : axes) size *= plan_->mesh().axes(axis).size();
  return size;
}

plan::Slice RoleBuilder::Transient(plan::DataType type, const Sizes& sizes) {
  plan::Slice slice;
  slice.set_region(plan::REGION_TRANSIENT);
  slice.set_type(type);
  for (int64_t size : sizes) slice.add_sizes(size);
  slice.set_offset_bytes(Take(transient_, slice));
  return slice;
}

plan::State& RoleBuilder::AddState(plan::StateKind kind,
                                   const std::string& name, plan::DataType type,
                                   const Sizes& sizes, std::vector<Axes> split,
                                   const Axes& partial, plan::Region region) {
  plan::State& state = *role().add_states();
  state.set_kind(kind);
  state.set_name(name);
  state.set_type(type);
  plan::Slice& slice = *state.mutable_slice();
  slice.set_region(region);
  slice.set_type(type);
  split.resize(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    state.add_global_sizes(sizes[d]);
    state.add_logical_sizes(sizes[d]);
    slice.add_sizes(sizes[d] / SizeOf(split[d]));
    auto* dimension = state.mutable_sharding()->add_dimensions();
    for (uint32_t axis : split[d]) dimension->add_axes(axis);
  }
  for (uint32_t axis : partial)
    state.mutable_sharding()->add_partial_axes(axis);
  if (!partial.empty())
    state.mutable_sharding()->set_reduction(plan::REDUCTION_SUM);
  slice.set_offset_bytes(
      Take(region == plan::REGION_SLOT ? slot_ : persistent_, slice));
  return state;
}

void RoleBuilder::AddBatch(const std::string& name, plan::BatchInput input,
                           const Sizes& sizes, const std::vector<Axes>& split,
                           plan::Region region) {
  AddState(plan::STATE_KIND_BATCH, name, plan::DATA_TYPE_I32, sizes, split, {},
           region)
      .set_batch_input(input);
}

plan::Slice RoleBuilder::Of(plan::StateKind kind,
                            const std::string& name) const {
  for (const plan::State& state : role().states())
    if (state.kind() == kind && state.name() == name) return state.slice();
  return {};
}

plan::Slice RoleBuilder::Metric(const std::string& name) const {
  return Of(plan::STATE_KIND_METRIC, name);
}

int RoleBuilder::BeginList(const std::string& name, plan::Phase phase,
                           plan::Variant variant) {
  plan::CommandList& list = *role().add_lists();
  list.set_name(name);
  list.set_phase(phase);
  list.set_variant(variant);
  return role().lists_size() - 1;
}

plan::Command& RoleBuilder::Add(const std::string& location) {
  plan::Command& command =
      *role().mutable_lists(role().lists_size() - 1)->add_commands();
  command.set_location(location);
  return command;
}

void RoleBuilder::Kernel(const std::string& symbol, int64_t extent,
                         const std::vector<plan::Slice>& inputs,
                         const std::vector<plan::Slice>& outputs) {
  plan::KernelCommand& command = *Add(symbol).mutable_kernel();
  command.set_kernel(FindKernel(*plan_->mutable_target(), symbol, extent));
  for (const plan::Slice& slice : inputs) *command.add_inputs() = slice;
  for (const plan::Slice& slice : outputs) *command.add_outputs() = slice;
}

plan::GemmCommand& RoleBuilder::Gemm(const std::string& location, int64_t rows,
                                     int64_t inner, int64_t columns,
                                     plan::Slice left, plan::Slice right,
                                     plan::Slice destination) {
  plan::GemmCommand& gemm = *Add(location).mutable_gemm();
  gemm.set_rows(rows);
  gemm.set_inner(inner);
  gemm.set_columns(columns);
  *gemm.mutable_left() = std::move(left);
  *gemm.mutable_right() = std::move(right);
  *gemm.mutable_destination() = std::move(destination);
  return gemm;
}

plan::GemmCommand& RoleBuilder::Dot(const std::string& location, int64_t inner,
                                    plan::Slice left, plan::Slice right,
                                    plan::Slice destination) {
  return Gemm(location, 1, inner, 1, Reshape(std::move(left), {1, inner}),
              Reshape(std::move(right), {inner, 1}),
              Reshape(std::move(destination), {1, 1}));
}

void RoleBuilder::Collective(plan::CollectiveKind kind, const Axes& axes,
                             const plan::Slice& source,
                             const plan::Slice& destination) {
  if (axes.empty()) {
    plan::CopyCommand& copy = *Add("copy").mutable_copy();
    *copy.mutable_source() = source;
    *copy.mutable_destination() = destination;
    return;
  }
  plan::CollectiveStartCommand& start =
      *Add("reduce").mutable_collective_start();
  start.set_kind(kind);
  if (kind != plan::COLLECTIVE_KIND_ALL_GATHER)
    start.set_reduction(plan::REDUCTION_SUM);
  start.set_group(FindGroup(*plan_, axes));
  *start.mutable_source() = source;
  *start.mutable_destination() = destination;
  Add("reduce").mutable_collective_wait();
}

void RoleBuilder::AllReduce(const Axes& axes, const plan::Slice& source,
                            const plan::Slice& destination) {
  Collective(plan::COLLECTIVE_KIND_ALL_REDUCE, axes, source, destination);
}

void RoleBuilder::Fill(const plan::Slice& destination) {
  *Add("fill").mutable_fill()->mutable_destination() = destination;
}

void RoleBuilder::Schedule(int list, int64_t microbatch, int64_t slot,
                           bool load_batch) {
  plan::ScheduleEntry& entry = *role().add_schedule();
  entry.set_list(list);
  entry.set_microbatch(microbatch);
  entry.set_slot(slot);
  entry.set_load_batch(load_batch);
}

void RoleBuilder::Observe(const std::string& name, plan::StateKind kind,
                          const std::string& location) {
  plan::Observable& observable = *role().add_observables();
  observable.set_name(name);
  observable.set_location(location);
  observable.set_schedule_entry(role().schedule_size() - 1);
  for (int i = 0; i < role().states_size(); ++i)
    if (role().states(i).kind() == kind && role().states(i).name() == name)
      observable.set_state(i);
}

void RoleBuilder::Finish(int64_t slots) {
  role().set_persistent_bytes(persistent_);
  role().set_slot_bytes(slot_);
  role().set_slots(slots);
  role().set_transient_bytes(transient_);
}

}  // namespace mpc::runtime
