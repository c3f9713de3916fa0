#include "runtime/checker/stage_plan_for_test.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {
namespace {

enum Group { kStages, kReplicas, kAll };

class RoleBuilder {
 public:
  RoleBuilder(plan::Plan& plan, int stage, int stages,
              const std::vector<Pass>& passes)
      : role_(*plan.add_roles()),
        stage_(stage),
        is_first_(stage == 0),
        is_last_(stage == stages - 1),
        layer_(absl::StrCat("layer.", stage)) {
    role_.set_stage(stage);
    int under_way = 0, most = 0;
    for (const Pass& pass : passes) splits_ |= pass.kind == PassKind::kWeight;
    for (const Pass& pass : passes) {
      if (pass.kind == PassKind::kForward)
        most = std::max(most, ++under_way);
      else if (pass.kind == PassKind::kWeight || !splits_)
        --under_way;
    }
    role_.set_slots(most);
  }

  void Build(const std::vector<Pass>& passes) {
    AddStates();
    AddPrologue();
    AddForward();
    AddBackward("_first", plan::VARIANT_FIRST);
    AddBackward("", plan::VARIANT_MIDDLE);
    if (!is_first_) AddReceive("activation", 2 * (stage_ - 1), input_);
    if (!is_last_) AddSend("activation", 2 * stage_, output_);
    if (!is_last_) AddReceive("gradient", 2 * stage_ + 1, output_grad_);
    if (!is_first_) AddSend("gradient", 2 * (stage_ - 1) + 1, input_grad_);
    AddUpdate();
    Schedule("prologue", 0);
    for (const Pass& pass : passes) Run(pass);
    if (gradient_ >= 0 && !is_first_) Schedule("gradient_sent", gradient_);
    Schedule("update", 0);
    role_.set_persistent_bytes(bytes_[plan::REGION_PERSISTENT]);
    role_.set_slot_bytes(bytes_[plan::REGION_SLOT]);
    role_.set_transient_bytes(bytes_[plan::REGION_TRANSIENT]);
  }

 private:
  // ------------------------------------------------------------------ memory

  plan::Slice Take(plan::Region region, bool is_scalar = false) {
    plan::Slice slice;
    slice.set_region(region);
    slice.set_type(plan::DATA_TYPE_F32);
    if (!is_scalar) slice.add_sizes(16);
    slice.set_offset_bytes(bytes_[region]);
    bytes_[region] += 64;
    return slice;
  }

  plan::State& AddState(plan::StateKind kind, const std::string& name,
                        plan::Region region = plan::REGION_PERSISTENT,
                        bool is_scalar = false) {
    plan::State& state = *role_.add_states();
    state.set_kind(kind);
    state.set_name(name);
    state.set_type(plan::DATA_TYPE_F32);
    *state.mutable_slice() = Take(region, is_scalar);
    if (is_scalar) return state;
    state.add_global_sizes(16);
    state.add_logical_sizes(16);
    state.mutable_sharding()->add_dimensions();
    return state;
  }

  plan::Slice Add(plan::StateKind kind, const std::string& name,
                  plan::Region region = plan::REGION_PERSISTENT) {
    return AddState(kind, name, region).slice();
  }
  plan::Slice AddScalar(plan::StateKind kind, const std::string& name) {
    return AddState(kind, name, plan::REGION_PERSISTENT, true).slice();
  }

  plan::Slice AddBatch(const std::string& name, plan::BatchInput input) {
    plan::State& state =
        AddState(plan::STATE_KIND_BATCH, name, plan::REGION_SLOT);
    state.set_type(plan::DATA_TYPE_I32);
    state.mutable_slice()->set_type(plan::DATA_TYPE_I32);
    state.set_batch_input(input);
    return state.slice();
  }

  void AddStates() {
    const plan::Region slot = plan::REGION_SLOT;
    master_ = Add(plan::STATE_KIND_MASTER, layer_);
    moments_ = {Add(plan::STATE_KIND_MOMENT1, layer_),
                Add(plan::STATE_KIND_MOMENT2, layer_)};
    accumulator_ = Add(plan::STATE_KIND_ACCUMULATOR, layer_);
    rate_ = AddScalar(plan::STATE_KIND_INPUT_SCALAR, "learning_rate");
    loss_sum_ = AddScalar(plan::STATE_KIND_CARRY, "loss_sum");
    loss_ = AddScalar(plan::STATE_KIND_METRIC, "loss");
    tokens_ = AddScalar(plan::STATE_KIND_METRIC, "valid_tokens");
    input_ = is_first_ ? AddBatch("ids", plan::BATCH_INPUT_IDS)
                       : Add(plan::STATE_KIND_INCOMING, "input", slot);
    output_ = Add(plan::STATE_KIND_STASH, "output", slot);
    if (is_last_) labels_ = AddBatch("labels", plan::BATCH_INPUT_LABELS);
    output_grad_ = is_last_ ? Add(plan::STATE_KIND_STASH, "output_grad", slot)
                            : Add(plan::STATE_KIND_INCOMING, "output_grad",
                                  splits_ ? slot : plan::REGION_PERSISTENT);
    if (!is_first_) input_grad_ = Add(plan::STATE_KIND_OUTGOING, "input_grad");
  }

  // ---------------------------------------------------------------- commands

  void BeginList(const std::string& name, plan::Phase phase,
                 plan::Variant variant = plan::VARIANT_ONLY) {
    lists_[name] = role_.lists_size();
    list_ = role_.add_lists();
    list_->set_name(name);
    list_->set_phase(phase);
    list_->set_variant(variant);
  }

  plan::Command& Command(const std::string& location) {
    plan::Command& command = *list_->add_commands();
    command.set_location(location);
    return command;
  }

  void Kernel(const std::string& location,
              const std::vector<plan::Slice>& inputs,
              const std::vector<plan::Slice>& outputs) {
    plan::KernelCommand& kernel = *Command(location).mutable_kernel();
    for (const plan::Slice& slice : inputs) *kernel.add_inputs() = slice;
    for (const plan::Slice& slice : outputs) *kernel.add_outputs() = slice;
  }

  void Fill(const std::string& location, const plan::Slice& destination) {
    *Command(location).mutable_fill()->mutable_destination() = destination;
  }

  void StartReduce(const std::string& location, Group group, int handle,
                   const plan::Slice& source, const plan::Slice& destination) {
    auto& start = *Command(location).mutable_collective_start();
    start.set_kind(plan::COLLECTIVE_KIND_ALL_REDUCE);
    start.set_reduction(plan::REDUCTION_SUM);
    start.set_group(group);
    start.set_handle(handle);
    *start.mutable_source() = source;
    *start.mutable_destination() = destination;
  }

  void WaitReduce(const std::string& location, int handle) {
    Command(location).mutable_collective_wait()->set_handle(handle);
  }

  void AddPrologue() {
    BeginList("prologue", plan::PHASE_PROLOGUE);
    const plan::Slice count = Take(plan::REGION_TRANSIENT, true);
    Fill("count", count);
    StartReduce("count", kAll, 0, count, tokens_);
    WaitReduce("count", 0);
    Fill("loss_sum", loss_sum_);
  }

  void AddForward() {
    BeginList("forward", plan::PHASE_FORWARD, plan::VARIANT_MIDDLE);
    const plan::Slice hidden = Take(plan::REGION_TRANSIENT);
    Kernel(layer_ + ".in", {input_, master_}, {hidden});
    Kernel(layer_ + ".out", {hidden}, {output_});
    if (is_last_)
      Kernel("loss", {output_, labels_, tokens_, loss_sum_},
             {output_grad_, loss_sum_});
  }

  void AddWeight(plan::Variant variant) {
    plan::GemmCommand& gemm = *Command(layer_ + ".weight").mutable_gemm();
    *gemm.mutable_left() = input_;
    *gemm.mutable_right() = output_grad_;
    *gemm.mutable_destination() = accumulator_;
    gemm.set_accumulate(variant == plan::VARIANT_MIDDLE);
  }

  void AddBackward(const std::string& suffix, plan::Variant variant) {
    if (splits_) {
      BeginList("weight" + suffix, plan::PHASE_WEIGHT, variant);
      AddWeight(variant);
    }
    BeginList("backward" + suffix, plan::PHASE_BACKWARD, variant);
    if (!splits_) AddWeight(variant);
    if (!is_first_)
      Kernel(layer_ + ".input", {output_grad_, master_}, {input_grad_});
  }

  void AddUpdate() {
    BeginList("update", plan::PHASE_UPDATE);
    const plan::Slice gradient = Take(plan::REGION_TRANSIENT);
    const plan::Slice norm = Take(plan::REGION_TRANSIENT, true);
    const plan::Slice total = Take(plan::REGION_TRANSIENT, true);
    StartReduce("reduce", kReplicas, 0, accumulator_, gradient);
    WaitReduce("reduce", 0);
    Kernel("norm", {gradient}, {norm});
    StartReduce("norm", kStages, 1, norm, total);
    StartReduce("loss", kAll, 2, loss_sum_, loss_);
    WaitReduce("norm", 1);
    Kernel("adam", {gradient, total, rate_, moments_[0], moments_[1], master_},
           {moments_[0], moments_[1], master_});
    WaitReduce("loss", 2);
  }

  void AddSend(const std::string& message, int channel,
               const plan::Slice& source) {
    BeginList(message + "_send", plan::PHASE_TRANSFER);
    plan::SendStartCommand& start = *Command(message).mutable_send_start();
    start.set_channel(channel);
    *start.mutable_source() = source;
    BeginList(message + "_sent", plan::PHASE_TRANSFER);
    Command(message).mutable_send_wait()->set_channel(channel);
  }

  void AddReceive(const std::string& message, int channel,
                  const plan::Slice& destination) {
    BeginList(message + "_receive", plan::PHASE_TRANSFER);
    auto& start = *Command(message).mutable_receive_start();
    start.set_channel(channel);
    *start.mutable_destination() = destination;
    BeginList(message + "_received", plan::PHASE_TRANSFER);
    Command(message).mutable_receive_wait()->set_channel(channel);
  }

  // ---------------------------------------------------------------- schedule

  plan::ScheduleEntry& Schedule(const std::string& list, int microbatch) {
    plan::ScheduleEntry& entry = *role_.add_schedule();
    entry.set_list(lists_.at(list));
    entry.set_microbatch(microbatch);
    if (role_.slots() > 0) entry.set_slot(microbatch % role_.slots());
    return entry;
  }

  void Run(const Pass& pass) {
    switch (pass.kind) {
      case PassKind::kForward:
        return Forward(pass.microbatch);
      case PassKind::kBackward:
        return Backward(pass.microbatch);
      case PassKind::kWeight:
        Schedule(has_weight_ ? "weight" : "weight_first", pass.microbatch);
        has_weight_ = true;
    }
  }

  void Forward(int microbatch) {
    if (!is_first_) {
      Schedule("activation_receive", microbatch);
      Schedule("activation_received", microbatch);
    }
    Schedule("forward", microbatch).set_load_batch(is_first_ || is_last_);
    if (!is_last_) Schedule("activation_send", microbatch);
  }

  void Backward(int microbatch) {
    if (!is_last_) {
      Schedule("activation_sent", microbatch);
      Schedule("gradient_receive", microbatch);
      Schedule("gradient_received", microbatch);
    }
    if (!is_first_ && gradient_ >= 0) Schedule("gradient_sent", gradient_);
    Schedule(gradient_ < 0 ? "backward_first" : "backward", microbatch);
    if (!is_first_) Schedule("gradient_send", microbatch);
    gradient_ = microbatch;
  }

  plan::Role& role_;
  const int stage_;
  const bool is_first_, is_last_;
  const std::string layer_;
  std::map<plan::Region, uint64_t> bytes_;
  std::map<std::string, int> lists_;
  plan::CommandList* list_ = nullptr;
  /// The last microbatch that has been backward.
  int gradient_ = -1;
  bool splits_ = false;
  bool has_weight_ = false;
  plan::Slice master_, accumulator_, rate_, loss_sum_, loss_, tokens_;
  std::vector<plan::Slice> moments_;
  plan::Slice input_, output_, labels_, output_grad_, input_grad_;
};

void AddChannel(plan::Plan& plan, const std::string& what, int source,
                int destination) {
  plan::Channel& channel = *plan.add_channels();
  channel.set_name(absl::StrCat(what, " ", source, ">", destination));
  channel.set_source_stage(source);
  channel.set_destination_stage(destination);
}

}  // namespace

Table GPipeTable(int stages, int microbatches) {
  std::vector<Pass> passes;
  for (PassKind kind : {PassKind::kForward, PassKind::kBackward})
    for (int m = 0; m < microbatches; ++m) passes.push_back({kind, m});
  return Table(stages, passes);
}

Table OneForwardOneBackwardTable(int stages, int microbatches) {
  Table table(stages);
  for (int stage = 0; stage < stages; ++stage) {
    const int ahead = std::min(stages - stage - 1, microbatches);
    for (int m = 0; m < ahead; ++m)
      table[stage].push_back({PassKind::kForward, m});
    for (int m = 0; m < microbatches; ++m) {
      if (m + ahead < microbatches)
        table[stage].push_back({PassKind::kForward, m + ahead});
      table[stage].push_back({PassKind::kBackward, m});
    }
  }
  return table;
}

plan::Plan MakeStagePlan(const Table& table) {
  plan::Plan plan;
  plan.set_version(1);
  for (const auto& [name, size] :
       {std::make_pair("pp", table.size()), std::make_pair("dp", size_t{2})}) {
    plan.mutable_mesh()->add_axes()->set_name(name);
    plan.mutable_mesh()->mutable_axes()->rbegin()->set_size(size);
  }
  plan.add_groups()->add_axes(0);
  plan.add_groups()->add_axes(1);
  plan::Group& all = *plan.add_groups();
  all.add_axes(0);
  all.add_axes(1);
  int microbatches = 0;
  for (const Pass& pass : table.front())
    microbatches = std::max(microbatches, pass.microbatch + 1);
  plan.mutable_training()->set_microbatches(microbatches);
  const int stages = table.size();
  for (int stage = 0; stage + 1 < stages; ++stage) {
    AddChannel(plan, "activation", stage, stage + 1);
    AddChannel(plan, "gradient", stage + 1, stage);
  }
  for (int stage = 0; stage < stages; ++stage)
    RoleBuilder(plan, stage, stages, table[stage]).Build(table[stage]);
  return plan;
}

}  // namespace mpc::runtime
