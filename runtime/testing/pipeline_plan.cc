// One role a stage, each in the order in which a step runs.
#include "runtime/testing/pipeline_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/testing/role_builder.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kLayers = 4;
/// Floats from one layer's square in the norm to the next: 64 bytes.
constexpr int64_t kSquareStride = 16;

/// The channel from a stage to the next one, and back to the one before it.
int ActivationChannel(int64_t stage) { return 2 * stage; }
int GradientChannel(int64_t stage) { return 2 * (stage - 1) + 1; }

std::string LayerName(int64_t layer) { return absl::StrCat("layer.", layer); }

class StageBuilder : public RoleBuilder {
 public:
  StageBuilder(const PipelineOptions& options, plan::Plan* plan, int64_t stage,
               const Axes& pp, const Axes& dp)
      : RoleBuilder(plan),
        options_(options),
        stage_(stage),
        pp_(pp),
        dp_(dp),
        first_layer_(stage * kLayers / options.stages),
        end_layer_((stage + 1) * kLayers / options.stages),
        rows_(kBatch / options.microbatches),
        tokens_(rows_ * kSequence / options.dp),
        slots_(std::min(options.microbatches, options.stages - stage)) {}

  void Build() {
    AddStates();
    AddPrologue();
    AddForward();
    AddBackward();
    AddTransfers();
    AddSteps();
    AddUpdate();
    Finish(slots_);
  }

 private:
  bool is_first() const { return stage_ == 0; }
  bool is_last() const { return stage_ == options_.stages - 1; }

  // ------------------------------------------------------------------ state

  void AddActivation(plan::StateKind kind, const std::string& name,
                     plan::Region region) {
    AddState(kind, name, plan::DATA_TYPE_F32, {rows_ * kSequence, kVocabulary},
             {dp_}, {}, region);
  }

  void AddStates() {
    const Sizes square = {kVocabulary, kVocabulary};
    for (int64_t layer = first_layer_; layer < end_layer_; ++layer) {
      const std::string name = LayerName(layer);
      auto* normal =
          AddState(plan::STATE_KIND_MASTER, name, plan::DATA_TYPE_F32, square)
              .mutable_initial()
              ->mutable_normal();
      normal->set_key(name);
      normal->set_standard_deviation(0.5);
      for (plan::StateKind kind :
           {plan::STATE_KIND_MOMENT1, plan::STATE_KIND_MOMENT2})
        AddState(kind, name, plan::DATA_TYPE_F32, square);
      AddState(plan::STATE_KIND_ACCUMULATOR, name, plan::DATA_TYPE_F32, square,
               {}, dp_);
    }
    for (const char* name : {"loss", "grad_norm", "valid_tokens"})
      AddState(plan::STATE_KIND_METRIC, name, plan::DATA_TYPE_F32, {});
    AddState(plan::STATE_KIND_COUNTER, "step", plan::DATA_TYPE_I32, {});
    AddState(plan::STATE_KIND_INPUT_SCALAR, "learning_rate",
             plan::DATA_TYPE_F32, {});
    AddState(plan::STATE_KIND_CARRY, "loss_sum", plan::DATA_TYPE_F32, {}, {},
             Join(pp_, dp_));
    AddState(plan::STATE_KIND_CONSTANT, "ones", plan::DATA_TYPE_F32,
             {kLayers * kSquareStride})
        .mutable_initial()
        ->set_constant(1);
    AddBatch("all_labels", plan::BATCH_INPUT_LABELS,
             {options_.microbatches, rows_, kSequence}, {{}, dp_},
             plan::REGION_PERSISTENT);
    if (is_first())
      AddBatch("ids", plan::BATCH_INPUT_IDS, {rows_, kSequence}, {dp_},
               plan::REGION_SLOT);
    if (is_last())
      AddBatch("labels", plan::BATCH_INPUT_LABELS, {rows_, kSequence}, {dp_},
               plan::REGION_SLOT);
    AddMessages();
  }

  // Backward reads the inputs of all layers, hence they lie in the slot.
  void AddMessages() {
    for (int64_t layer = first_layer_; layer < end_layer_; ++layer)
      AddActivation(layer == first_layer_ && !is_first()
                        ? plan::STATE_KIND_INCOMING
                        : plan::STATE_KIND_STASH,
                    Input(layer), plan::REGION_SLOT);
    if (!is_first())
      AddActivation(plan::STATE_KIND_OUTGOING, OutputGrad(first_layer_ - 1),
                    plan::REGION_PERSISTENT);
    if (is_last())
      return AddActivation(plan::STATE_KIND_STASH, OutputGrad(kLayers - 1),
                           plan::REGION_SLOT);
    AddActivation(plan::STATE_KIND_OUTGOING, Input(end_layer_),
                  plan::REGION_PERSISTENT);
    AddActivation(plan::STATE_KIND_INCOMING, OutputGrad(end_layer_ - 1),
                  plan::REGION_PERSISTENT);
  }

  static std::string Input(int64_t layer) {
    return absl::StrCat(LayerName(layer), ".input");
  }
  static std::string OutputGrad(int64_t layer) {
    return absl::StrCat(LayerName(layer), ".output_grad");
  }

  /// The state of that name among those that AddMessages adds.
  plan::Slice Activation(const std::string& name) const {
    for (plan::StateKind kind :
         {plan::STATE_KIND_STASH, plan::STATE_KIND_INCOMING,
          plan::STATE_KIND_OUTGOING})
      if (plan::Slice slice = Of(kind, name); slice.sizes_size() > 0)
        return slice;
    return {};
  }

  plan::Slice Ones() const { return Of(plan::STATE_KIND_CONSTANT, "ones"); }

  // --------------------------------------------------------------- commands

  void AddPrologue() {
    Schedule(BeginList("prologue", plan::PHASE_PROLOGUE, plan::VARIANT_ONLY));
    const int64_t tokens = tokens_ * options_.microbatches;
    const plan::Slice flags = Transient(plan::DATA_TYPE_F32, {tokens});
    const plan::Slice count = Transient(plan::DATA_TYPE_F32, {});
    Kernel("has_label", tokens, {Of(plan::STATE_KIND_BATCH, "all_labels")},
           {flags});
    Dot("count", tokens, flags, Ones(), count);
    AllReduce(dp_, count, Metric("valid_tokens"));
    Observe("valid_tokens", plan::STATE_KIND_METRIC, "count");
    Fill(Of(plan::STATE_KIND_CARRY, "loss_sum"));
    for (int64_t layer = first_layer_; layer < end_layer_; ++layer)
      Fill(Of(plan::STATE_KIND_ACCUMULATOR, LayerName(layer)));
  }

  void AddForward() {
    forward_ = BeginList("forward", plan::PHASE_FORWARD, plan::VARIANT_MIDDLE);
    if (is_first())
      Kernel("one_hot", tokens_, {Of(plan::STATE_KIND_BATCH, "ids")},
             {Activation(Input(0))});
    const plan::Slice logits =
        Transient(plan::DATA_TYPE_F32, {tokens_, kVocabulary});
    for (int64_t layer = first_layer_; layer < end_layer_; ++layer)
      Gemm(LayerName(layer), tokens_, kVocabulary, kVocabulary,
           Activation(Input(layer)),
           Of(plan::STATE_KIND_MASTER, LayerName(layer)),
           layer + 1 < kLayers ? Activation(Input(layer + 1)) : logits);
    if (!is_last()) return;
    const plan::Slice losses = Transient(plan::DATA_TYPE_F32, {tokens_});
    Kernel(
        "cross_entropy", tokens_,
        {logits, Of(plan::STATE_KIND_BATCH, "labels"), Metric("valid_tokens")},
        {Activation(OutputGrad(kLayers - 1)), losses});
    Dot("loss", tokens_, losses, Ones(), Of(plan::STATE_KIND_CARRY, "loss_sum"))
        .set_accumulate(true);
  }

  void AddBackward() {
    backward_ =
        BeginList("backward", plan::PHASE_BACKWARD, plan::VARIANT_MIDDLE);
    plan::Slice gradient = Activation(OutputGrad(end_layer_ - 1));
    for (int64_t layer = end_layer_ - 1; layer >= first_layer_; --layer) {
      const std::string location = LayerName(layer) + ".backward";
      plan::GemmCommand& weight = Gemm(
          location, kVocabulary, tokens_, kVocabulary, Activation(Input(layer)),
          gradient, Of(plan::STATE_KIND_ACCUMULATOR, LayerName(layer)));
      weight.set_transpose_left(true);
      weight.set_accumulate(true);
      if (layer == 0) return;
      const plan::Slice input_grad =
          layer > first_layer_
              ? Transient(plan::DATA_TYPE_F32, {tokens_, kVocabulary})
              : Activation(OutputGrad(layer - 1));
      Gemm(location, tokens_, kVocabulary, kVocabulary, gradient,
           Of(plan::STATE_KIND_MASTER, LayerName(layer)), input_grad)
          .set_transpose_right(true);
      gradient = input_grad;
    }
  }

  void AddUpdate() {
    Schedule(BeginList("update", plan::PHASE_UPDATE, plan::VARIANT_ONLY));
    AllReduce(Join(pp_, dp_), Of(plan::STATE_KIND_CARRY, "loss_sum"),
              Metric("loss"));
    // A row a layer: those of other stages stay 0 until the sum over stages,
    // which therefore is exact.
    const Sizes rows = {kLayers, kSquareStride};
    const plan::Slice squares = Transient(plan::DATA_TYPE_F32, rows);
    const plan::Slice all_squares = Transient(plan::DATA_TYPE_F32, rows);
    Fill(squares);
    for (int64_t layer = first_layer_; layer < end_layer_; ++layer)
      AddLayerUpdate(layer, squares);
    AllReduce(pp_, squares, all_squares);
    const plan::Slice sum = Transient(plan::DATA_TYPE_F32, {});
    Dot("grad_norm", kLayers * kSquareStride, all_squares, Ones(), sum);
    Kernel("root", 1, {sum}, {Metric("grad_norm")});
    Observe("loss", plan::STATE_KIND_METRIC, "cross_entropy");
    Observe("grad_norm", plan::STATE_KIND_METRIC, "root");
  }

  void AddLayerUpdate(int64_t layer, const plan::Slice& squares) {
    const std::string name = LayerName(layer);
    const int64_t elements = kVocabulary * kVocabulary;
    const plan::Slice gradient =
        Transient(plan::DATA_TYPE_F32, {kVocabulary, kVocabulary});
    const bool is_wrong =
        options_.omit_gradient_reduction && layer == kLayers - 1;
    AllReduce(is_wrong ? Axes{} : dp_, Of(plan::STATE_KIND_ACCUMULATOR, name),
              gradient);
    plan::Slice square = squares;
    square.set_offset_bytes(squares.offset_bytes() +
                            layer * kSquareStride * sizeof(float));
    Dot("grad_norm", elements, gradient, gradient, square);
    const plan::Slice step = Of(plan::STATE_KIND_COUNTER, "step");
    if (layer == first_layer_) Kernel("count_step", 1, {step}, {step});
    const plan::Slice m = Of(plan::STATE_KIND_MOMENT1, name);
    const plan::Slice v = Of(plan::STATE_KIND_MOMENT2, name);
    const plan::Slice w = Of(plan::STATE_KIND_MASTER, name);
    Kernel("adam", elements,
           {gradient, Of(plan::STATE_KIND_INPUT_SCALAR, "learning_rate"), step,
            m, v, w},
           {m, v, w});
  }

  // --------------------------------------------------------------- schedule

  /// The lists that move one kind of message.
  struct Transfer {
    int start = -1;
    int wait = -1;
  };

  int BeginTransfer(const std::string& name) {
    return BeginList(name, plan::PHASE_TRANSFER, plan::VARIANT_ONLY);
  }

  Transfer AddSend(const std::string& message, int channel) {
    Transfer send;
    send.start = BeginTransfer("send");
    plan::SendStartCommand& start = *Add(message).mutable_send_start();
    start.set_channel(channel);
    *start.mutable_source() = Activation(message);
    send.wait = BeginTransfer("sent");
    Add(message).mutable_send_wait()->set_channel(channel);
    return send;
  }

  Transfer AddReceive(const std::string& message, int channel) {
    Transfer receive;
    receive.start = BeginTransfer("receive");
    plan::ReceiveStartCommand& start = *Add(message).mutable_receive_start();
    start.set_channel(channel);
    *start.mutable_destination() = Activation(message);
    receive.wait = BeginTransfer("received");
    Add(message).mutable_receive_wait()->set_channel(channel);
    return receive;
  }

  void AddTransfers() {
    if (!is_first()) {
      activation_in_ =
          AddReceive(Input(first_layer_), ActivationChannel(stage_ - 1));
      gradient_out_ =
          AddSend(OutputGrad(first_layer_ - 1), GradientChannel(stage_));
    }
    if (!is_last()) {
      activation_out_ = AddSend(Input(end_layer_), ActivationChannel(stage_));
      gradient_in_ =
          AddReceive(OutputGrad(end_layer_ - 1), GradientChannel(stage_ + 1));
    }
  }

  void Run(int list, int64_t microbatch, bool load_batch = false) {
    if (list >= 0) Schedule(list, microbatch, microbatch % slots_, load_batch);
  }

  // An outgoing message is waited for when its memory is needed again.
  void Forward(int64_t microbatch) {
    Run(activation_in_.start, microbatch);
    if (microbatch > 0) Run(activation_out_.wait, microbatch - 1);
    Run(activation_in_.wait, microbatch);
    Run(forward_, microbatch, /*load_batch=*/is_first() || is_last());
    Run(activation_out_.start, microbatch);
  }

  void Backward(int64_t microbatch) {
    if (microbatch > 0) Run(gradient_out_.wait, microbatch - 1);
    Run(gradient_in_.wait, microbatch);
    Run(backward_, microbatch);
    Run(gradient_out_.start, microbatch);
  }

  // The gradient of a microbatch may arrive during the forward before it.
  void AddSteps() {
    const int64_t microbatches = options_.microbatches;
    const int64_t ahead = slots_ - 1;
    for (int64_t m = 0; m < ahead; ++m) Forward(m);
    for (int64_t m = 0; m < microbatches; ++m) {
      Run(gradient_in_.start, m);
      if (m + ahead < microbatches) Forward(m + ahead);
      Backward(m);
    }
    for (int64_t layer = end_layer_ - 1; layer >= first_layer_; --layer)
      Observe(LayerName(layer), plan::STATE_KIND_ACCUMULATOR,
              LayerName(layer) + ".backward");
    Run(activation_out_.wait, microbatches - 1);
    Run(gradient_out_.wait, microbatches - 1);
  }

  const PipelineOptions options_;
  const int64_t stage_;
  const Axes pp_, dp_;
  const int64_t first_layer_, end_layer_;
  /// Of a microbatch: sequences of all ranks, tokens of one.
  const int64_t rows_, tokens_;
  const int64_t slots_;
  int forward_ = -1, backward_ = -1;
  Transfer activation_in_, activation_out_, gradient_in_, gradient_out_;
};

void AddChannel(plan::Plan& plan, const std::string& what, int64_t source,
                int64_t destination) {
  plan::Channel& channel = *plan.add_channels();
  channel.set_name(absl::StrCat(what, " ", source, ">", destination));
  channel.set_source_stage(source);
  channel.set_destination_stage(destination);
}

}  // namespace

plan::Plan MakePipelinePlan(const PipelineOptions& options) {
  plan::Plan plan = StartPlan("pipeline", kLayers * kVocabulary * kVocabulary,
                              options.microbatches);
  const Axes pp = AddAxis(plan, "pp", options.stages);
  const Axes dp = AddAxis(plan, "dp", options.dp);
  for (int64_t stage = 0; stage + 1 < options.stages; ++stage) {
    AddChannel(plan, "activation", stage, stage + 1);
    AddChannel(plan, "gradient", stage + 1, stage);
  }
  for (int64_t stage = 0; stage < options.stages; ++stage)
    StageBuilder(options, &plan, stage, pp, dp).Build();
  return plan;
}

}  // namespace mpc::runtime
