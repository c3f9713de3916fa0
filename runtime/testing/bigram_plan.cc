// Builds the plan in the order in which a step runs.
#include "runtime/testing/bigram_plan.h"

#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kVocabulary = 8;
constexpr int64_t kSequence = 4;
constexpr int64_t kBatch = 8;

using Sizes = std::vector<int64_t>;
using Axes = std::vector<uint32_t>;

class Builder {
 public:
  explicit Builder(const BigramOptions& options) : options_(options) {
    plan_.set_version(1);
    plan_.set_compiler_version("0.1.0");
    plan_.set_strategy("by hand");
    plan_.set_model_hash("bigram");
    plan_.set_model_name("bigram");
    plan_.set_parameter_count(kVocabulary * kVocabulary);
    AddAxis("dp", options.dp, dp_);
    AddAxis("cp", options.cp, cp_);
    both_ = dp_;
    both_.insert(both_.end(), cp_.begin(), cp_.end());
    plan::Training* training = plan_.mutable_training();
    training->set_sequence_length(kSequence);
    training->set_global_batch(kBatch);
    training->set_microbatches(options.microbatches);
    training->set_vocabulary(kVocabulary);
    plan::LearningRate* rate = training->mutable_learning_rate();
    rate->set_learning_rate(0.5);
    rate->set_min_learning_rate(0.25);
    rate->set_warmup_steps(2);
    rate->set_decay_steps(10);
    plan::Target* target = plan_.mutable_target();
    target->set_device(plan::DEVICE_KIND_CPU);
    target->set_triple("x86_64-unknown-linux-gnu");
    std::ifstream object(MPC_BIGRAM_KERNELS, std::ios::binary);
    target->set_object(std::string(std::istreambuf_iterator<char>(object), {}));
    plan_.add_roles();
  }

  plan::Plan Build() {
    AddStates();
    AddPrologue();
    for (int64_t m = 0; m < options_.microbatches; ++m) AddMicrobatch(m);
    AddUpdate();
    plan::Role& role = *plan_.mutable_roles(0);
    role.set_persistent_bytes(persistent_);
    role.set_slot_bytes(slot_);
    role.set_slots(1);
    role.set_transient_bytes(transient_);
    return std::move(plan_);
  }

 private:
  static uint64_t Take(uint64_t& used, const plan::Slice& slice) {
    const uint64_t offset = used;
    used += (SpanBytes(slice) + 63) / 64 * 64;
    return offset;
  }

  void AddAxis(const std::string& name, int64_t size, Axes& axes) {
    if (size == 1) return;
    axes = {static_cast<uint32_t>(plan_.mesh().axes_size())};
    plan::Mesh::Axis* axis = plan_.mutable_mesh()->add_axes();
    axis->set_name(name);
    axis->set_size(size);
  }

  int64_t SizeOf(const Axes& axes) const {
    int64_t size = 1;
    for (uint32_t axis : axes) size *= plan_.mesh().axes(axis).size();
    return size;
  }

  plan::Slice Transient(plan::DataType type, const Sizes& sizes) {
    plan::Slice slice;
    slice.set_region(plan::REGION_TRANSIENT);
    slice.set_type(type);
    for (int64_t size : sizes) slice.add_sizes(size);
    slice.set_offset_bytes(Take(transient_, slice));
    return slice;
  }

  // `split` has the axes of each dimension; missing ones are whole.
  plan::State& AddState(plan::StateKind kind, const std::string& name,
                        plan::DataType type, const Sizes& sizes,
                        std::vector<Axes> split = {}, const Axes& partial = {},
                        plan::Region region = plan::REGION_PERSISTENT) {
    plan::State& state = *plan_.mutable_roles(0)->add_states();
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

  plan::Slice Of(plan::StateKind kind, const std::string& name) const {
    for (const plan::State& state : plan_.roles(0).states())
      if (state.kind() == kind && state.name() == name) return state.slice();
    return {};
  }

  void AddStates() {
    const Axes storage = options_.zero ? dp_ : Axes{};
    const Sizes square = {kVocabulary, kVocabulary};
    auto* normal = AddState(plan::STATE_KIND_MASTER, "w", plan::DATA_TYPE_F32,
                            square, {storage})
                       .mutable_initial()
                       ->mutable_normal();
    normal->set_key("w");
    normal->set_standard_deviation(options_.standard_deviation);
    if (options_.adam) {
      for (plan::StateKind kind :
           {plan::STATE_KIND_MOMENT1, plan::STATE_KIND_MOMENT2})
        AddState(kind, "w", plan::DATA_TYPE_F32, square, {storage});
    }
    if (options_.zero) {
      AddState(plan::STATE_KIND_COMPUTE, "w", plan::DATA_TYPE_F32, square);
    }
    AddState(plan::STATE_KIND_ACCUMULATOR, "w", plan::DATA_TYPE_F32, square, {},
             both_);
    for (const char* name : {"loss", "grad_norm", "valid_tokens"})
      AddState(plan::STATE_KIND_METRIC, name, plan::DATA_TYPE_F32, {});
    AddState(plan::STATE_KIND_COUNTER, "step", plan::DATA_TYPE_I32, {});
    AddState(plan::STATE_KIND_INPUT_SCALAR, "learning_rate",
             plan::DATA_TYPE_F32, {});
    AddState(plan::STATE_KIND_INPUT_SCALAR, "seed", plan::DATA_TYPE_I32, {});
    AddState(plan::STATE_KIND_CARRY, "loss_sum", plan::DATA_TYPE_F32, {}, {},
             both_);
    AddState(plan::STATE_KIND_CONSTANT, "ones", plan::DATA_TYPE_F32,
             {kBatch * kSequence})
        .mutable_initial()
        ->set_constant(1);
    const int64_t rows = kBatch / options_.microbatches;
    AddBatch("all_labels", plan::BATCH_INPUT_LABELS,
             {options_.microbatches, rows, kSequence}, {{}, dp_, cp_},
             plan::REGION_PERSISTENT);
    AddBatch("ids", plan::BATCH_INPUT_IDS, {rows, kSequence}, {dp_, cp_},
             plan::REGION_SLOT);
    AddBatch("labels", plan::BATCH_INPUT_LABELS, {rows, kSequence}, {dp_, cp_},
             plan::REGION_SLOT);
  }

  void AddBatch(const std::string& name, plan::BatchInput input,
                const Sizes& sizes, const std::vector<Axes>& split,
                plan::Region region) {
    AddState(plan::STATE_KIND_BATCH, name, plan::DATA_TYPE_I32, sizes, split,
             {}, region)
        .set_batch_input(input);
  }

  // ------------------------------------------------------------- commands

  void BeginList(const std::string& name, plan::Phase phase,
                 plan::Variant variant, int64_t microbatch) {
    plan::Role& role = *plan_.mutable_roles(0);
    plan::ScheduleEntry& entry = *role.add_schedule();
    entry.set_list(role.lists_size());
    entry.set_microbatch(microbatch);
    entry.set_load_batch(phase == plan::PHASE_FORWARD_BACKWARD);
    list_ = role.add_lists();
    list_->set_name(name);
    list_->set_phase(phase);
    list_->set_variant(variant);
  }

  plan::Command& Add(const std::string& location) {
    plan::Command& command = *list_->add_commands();
    command.set_location(location);
    return command;
  }

  void Kernel(const std::string& symbol, int64_t extent,
              const std::vector<plan::Slice>& inputs,
              const std::vector<plan::Slice>& outputs) {
    const auto [place, is_new] = kernels_.emplace(
        std::make_pair(symbol, extent), plan_.target().kernels_size());
    if (is_new) {
      plan::Kernel& kernel = *plan_.mutable_target()->add_kernels();
      kernel.set_symbol(symbol);
      kernel.set_extent(extent);
      kernel.set_description(symbol);
    }
    plan::KernelCommand& command = *Add(symbol).mutable_kernel();
    command.set_kernel(place->second);
    for (const plan::Slice& slice : inputs) *command.add_inputs() = slice;
    for (const plan::Slice& slice : outputs) *command.add_outputs() = slice;
  }

  plan::GemmCommand& Gemm(const std::string& location, int64_t rows,
                          int64_t inner, int64_t columns, plan::Slice left,
                          plan::Slice right, plan::Slice destination) {
    plan::GemmCommand& gemm = *Add(location).mutable_gemm();
    gemm.set_rows(rows);
    gemm.set_inner(inner);
    gemm.set_columns(columns);
    *gemm.mutable_left() = std::move(left);
    *gemm.mutable_right() = std::move(right);
    *gemm.mutable_destination() = std::move(destination);
    return gemm;
  }

  // destination = (or +=) Σ left·right over `inner` elements.
  plan::GemmCommand& Dot(const std::string& location, int64_t inner,
                         plan::Slice left, plan::Slice right,
                         plan::Slice destination) {
    return Gemm(location, 1, inner, 1, Reshape(std::move(left), {1, inner}),
                Reshape(std::move(right), {inner, 1}),
                Reshape(std::move(destination), {1, 1}));
  }

  // The first elements of a dense slice in another shape.
  static plan::Slice Reshape(plan::Slice slice, const Sizes& sizes) {
    slice.clear_sizes();
    for (int64_t size : sizes) slice.add_sizes(size);
    return slice;
  }

  void Collective(plan::CollectiveKind kind, const Axes& axes,
                  const plan::Slice& source, const plan::Slice& destination) {
    if (axes.empty()) {
      plan::CopyCommand& copy = *Add("copy").mutable_copy();
      *copy.mutable_source() = source;
      *copy.mutable_destination() = destination;
      return;
    }
    const auto [place, is_new] =
        groups_.emplace(axes, static_cast<uint32_t>(plan_.groups_size()));
    if (is_new) {
      plan::Group& group = *plan_.add_groups();
      for (uint32_t axis : axes) group.add_axes(axis);
    }
    plan::CollectiveStartCommand& start =
        *Add("reduce").mutable_collective_start();
    start.set_kind(kind);
    if (kind != plan::COLLECTIVE_KIND_ALL_GATHER)
      start.set_reduction(plan::REDUCTION_SUM);
    start.set_group(place->second);
    *start.mutable_source() = source;
    *start.mutable_destination() = destination;
    Add("reduce").mutable_collective_wait();
  }

  void AllReduce(const Axes& axes, const plan::Slice& source,
                 const plan::Slice& destination) {
    Collective(plan::COLLECTIVE_KIND_ALL_REDUCE, axes, source, destination);
  }

  void Observe(const std::string& name, plan::StateKind kind,
               const std::string& location) {
    plan::Role& role = *plan_.mutable_roles(0);
    plan::Observable& observable = *role.add_observables();
    observable.set_name(name);
    observable.set_location(location);
    observable.set_schedule_entry(role.schedule_size() - 1);
    for (int i = 0; i < role.states_size(); ++i)
      if (role.states(i).kind() == kind && role.states(i).name() == name)
        observable.set_state(i);
  }

  void Fill(const plan::Slice& destination) {
    *Add("fill").mutable_fill()->mutable_destination() = destination;
  }

  plan::Slice Ones() const { return Of(plan::STATE_KIND_CONSTANT, "ones"); }
  plan::Slice Metric(const std::string& name) const {
    return Of(plan::STATE_KIND_METRIC, name);
  }
  int64_t LocalTokens() const {
    return kBatch * kSequence / options_.microbatches / SizeOf(both_);
  }

  void AddPrologue() {
    BeginList("prologue", plan::PHASE_PROLOGUE, plan::VARIANT_ONLY, 0);
    const int64_t tokens = LocalTokens() * options_.microbatches;
    const plan::Slice flags = Transient(plan::DATA_TYPE_F32, {tokens});
    const plan::Slice count = Transient(plan::DATA_TYPE_F32, {});
    Kernel("has_label", tokens, {Of(plan::STATE_KIND_BATCH, "all_labels")},
           {flags});
    Dot("count", tokens, flags, Ones(), count);
    AllReduce(both_, count, Metric("valid_tokens"));
    Observe("valid_tokens", plan::STATE_KIND_METRIC, "count");
    Fill(Of(plan::STATE_KIND_CARRY, "loss_sum"));
    if (options_.zero) {
      Collective(plan::COLLECTIVE_KIND_ALL_GATHER, dp_,
                 Of(plan::STATE_KIND_MASTER, "w"),
                 Of(plan::STATE_KIND_COMPUTE, "w"));
    }
  }

  void AddMicrobatch(int64_t microbatch) {
    const bool is_first = microbatch == 0;
    BeginList("microbatch", plan::PHASE_FORWARD_BACKWARD,
              is_first ? plan::VARIANT_FIRST : plan::VARIANT_LAST, microbatch);
    const int64_t tokens = LocalTokens();
    const Sizes table = {tokens, kVocabulary};
    const plan::Slice hot = Transient(plan::DATA_TYPE_F32, table);
    const plan::Slice logits = Transient(plan::DATA_TYPE_F32, table);
    const plan::Slice gradient = Transient(plan::DATA_TYPE_F32, table);
    const plan::Slice losses = Transient(plan::DATA_TYPE_F32, {tokens});
    Kernel("one_hot", tokens, {Of(plan::STATE_KIND_BATCH, "ids")}, {hot});
    Gemm("logits", tokens, kVocabulary, kVocabulary, hot,
         Of(options_.zero ? plan::STATE_KIND_COMPUTE : plan::STATE_KIND_MASTER,
            "w"),
         logits);
    Kernel(
        options_.loss_kernel, tokens,
        {logits, Of(plan::STATE_KIND_BATCH, "labels"), Metric("valid_tokens")},
        {gradient, losses});
    Dot("loss", tokens, losses, Ones(), Of(plan::STATE_KIND_CARRY, "loss_sum"))
        .set_accumulate(true);
    plan::GemmCommand& backward =
        Gemm("logits.backward", kVocabulary, tokens, kVocabulary, hot, gradient,
             Of(plan::STATE_KIND_ACCUMULATOR, "w"));
    backward.set_transpose_left(true);
    backward.set_accumulate(!is_first);
    if (microbatch == options_.microbatches - 1)
      Observe("w", plan::STATE_KIND_ACCUMULATOR, "logits.backward");
  }

  void AddUpdate() {
    BeginList("update", plan::PHASE_UPDATE, plan::VARIANT_ONLY, 0);
    AllReduce(both_, Of(plan::STATE_KIND_CARRY, "loss_sum"), Metric("loss"));
    const int64_t parts = options_.zero ? SizeOf(dp_) : 1;
    const int64_t elements = kVocabulary * kVocabulary / parts;
    const plan::Slice accumulator = Of(plan::STATE_KIND_ACCUMULATOR, "w");
    plan::Slice gradient =
        Transient(plan::DATA_TYPE_F32, {kVocabulary, kVocabulary});
    AllReduce(options_.omit_gradient_reduction ? Axes{}
              : options_.zero                  ? cp_
                                               : both_,
              accumulator, gradient);
    if (options_.zero) {
      const plan::Slice whole = gradient;
      gradient =
          Transient(plan::DATA_TYPE_F32, {kVocabulary / parts, kVocabulary});
      Collective(plan::COLLECTIVE_KIND_REDUCE_SCATTER, dp_, whole, gradient);
    }
    const plan::Slice square = Transient(plan::DATA_TYPE_F32, {});
    const plan::Slice sum = Transient(plan::DATA_TYPE_F32, {});
    Dot("grad_norm", elements, gradient, gradient, square);
    AllReduce(options_.zero ? dp_ : Axes{}, square, sum);
    Kernel("root", 1, {sum}, {Metric("grad_norm")});
    Observe("loss", plan::STATE_KIND_METRIC, "cross_entropy");
    Observe("grad_norm", plan::STATE_KIND_METRIC, "root");
    const plan::Slice w = Of(plan::STATE_KIND_MASTER, "w");
    const plan::Slice rate = Of(plan::STATE_KIND_INPUT_SCALAR, "learning_rate");
    const plan::Slice step = Of(plan::STATE_KIND_COUNTER, "step");
    Kernel("count_step", 1, {step}, {step});
    if (!options_.adam)
      return Kernel("sgd", elements, {gradient, rate, w}, {w});
    const plan::Slice m = Of(plan::STATE_KIND_MOMENT1, "w");
    const plan::Slice v = Of(plan::STATE_KIND_MOMENT2, "w");
    Kernel("adam", elements, {gradient, rate, step, m, v, w}, {m, v, w});
  }

  const BigramOptions options_;
  plan::Plan plan_;
  Axes dp_, cp_, both_;
  uint64_t persistent_ = 0, slot_ = 0, transient_ = 0;
  plan::CommandList* list_ = nullptr;
  std::map<std::pair<std::string, int64_t>, uint32_t> kernels_;
  std::map<Axes, uint32_t> groups_;
};

}  // namespace

plan::Plan MakeBigramPlan(const BigramOptions& options) {
  return Builder(options).Build();
}

}  // namespace mpc::runtime
