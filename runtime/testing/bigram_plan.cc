// Builds the plan in the order in which a step runs.
#include "runtime/testing/bigram_plan.h"

#include "runtime/testing/role_builder.h"

namespace mpc::runtime {
namespace {

class Builder : public RoleBuilder {
 public:
  Builder(const BigramOptions& options, plan::Plan* plan, const Axes& dp,
          const Axes& cp)
      : RoleBuilder(plan),
        options_(options),
        dp_(dp),
        cp_(cp),
        both_(Join(dp, cp)) {}

  void Build() {
    AddStates();
    AddPrologue();
    for (int64_t m = 0; m < options_.microbatches; ++m) AddMicrobatch(m);
    AddUpdate();
    Finish(/*slots=*/1);
  }

 private:
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

  void BeginEntry(const std::string& name, plan::Phase phase,
                  plan::Variant variant, int64_t microbatch) {
    Schedule(BeginList(name, phase, variant), microbatch, /*slot=*/0,
             /*load_batch=*/phase == plan::PHASE_FORWARD_BACKWARD);
  }

  plan::Slice Ones() const { return Of(plan::STATE_KIND_CONSTANT, "ones"); }
  int64_t LocalTokens() const {
    return kBatch * kSequence / options_.microbatches / SizeOf(both_);
  }

  void AddPrologue() {
    BeginEntry("prologue", plan::PHASE_PROLOGUE, plan::VARIANT_ONLY, 0);
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
    BeginEntry("microbatch", plan::PHASE_FORWARD_BACKWARD,
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
    BeginEntry("update", plan::PHASE_UPDATE, plan::VARIANT_ONLY, 0);
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
  const Axes dp_, cp_, both_;
};

}  // namespace

plan::Plan MakeBigramPlan(const BigramOptions& options) {
  plan::Plan plan =
      StartPlan("bigram", kVocabulary * kVocabulary, options.microbatches);
  const Axes dp = AddAxis(plan, "dp", options.dp);
  const Axes cp = AddAxis(plan, "cp", options.cp);
  Builder(options, &plan, dp, cp).Build();
  return plan;
}

}  // namespace mpc::runtime
