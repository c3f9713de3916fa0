//===- ReadSpec.cpp - jobs, training settings, strategies as text -*- C++ -*-=//

#include "frontends/spec/ReadSpec.h"
#include "frontends/spec/TextFormat.h"
#include "frontends/spec/spec.pb.h"

using namespace mlir;

namespace mpc {
namespace {

/// An enum value that is none of the message's, or the unspecified one.
template <typename Message>
LogicalResult refuseValue(const Message &message, const std::string &field,
                          const SettingOrigins &origins) {
  const google::protobuf::FieldDescriptor *descriptor =
      message.GetDescriptor()->FindFieldByName(field);
  int number = message.GetReflection()->GetEnumValue(message, descriptor);
  const google::protobuf::EnumDescriptor *values = descriptor->enum_type();
  const google::protobuf::EnumValueDescriptor *value =
      values->FindValueByNumber(number);
  return origins.emitError(field)
         << " is " << (value ? value->name() : std::to_string(number))
         << ", expected " << listValues(values);
}

// -------------------------------------------------------------------- model

LogicalResult readActivation(const spec::Model &message, ModelSpec &model,
                             const SettingOrigins &origins) {
  if (!message.has_activation())
    return success();
  switch (message.activation()) {
  case spec::Model::GELU_TANH:
    model.activation = Activation::GeluTanh;
    return success();
  case spec::Model::GELU:
    model.activation = Activation::Gelu;
    return success();
  case spec::Model::RELU:
    model.activation = Activation::Relu;
    return success();
  case spec::Model::SILU:
    model.activation = Activation::Silu;
    return success();
  default:
    return refuseValue(message, "activation", origins);
  }
}

LogicalResult readNorm(const spec::Model &message, ModelSpec &model,
                       const SettingOrigins &origins) {
  if (!message.has_norm())
    return success();
  switch (message.norm()) {
  case spec::Model::NONE:
    model.norm = Norm::None;
    return success();
  case spec::Model::PRE:
    model.norm = Norm::Pre;
    return success();
  case spec::Model::POST:
    model.norm = Norm::Post;
    return success();
  default:
    return refuseValue(message, "norm", origins);
  }
}

LogicalResult readObjective(const spec::Model &message, ModelSpec &model,
                            const SettingOrigins &origins) {
  if (!message.has_objective())
    return success();
  switch (message.objective()) {
  case spec::Model::CAUSAL_LM:
    return success();
  case spec::Model::MASKED_LM:
    model.objective = Objective::MaskedLm;
    model.family = Family::Bert;
    return success();
  default:
    return refuseValue(message, "objective", origins);
  }
}

LogicalResult readLoss(const spec::Model &message, ModelSpec &model,
                       const SettingOrigins &origins) {
  if (!message.has_loss())
    return success();
  switch (message.loss()) {
  case spec::Model::CROSS_ENTROPY:
    model.loss = Loss::CrossEntropy;
    return success();
  case spec::Model::LABEL_LOGIT:
    model.loss = Loss::LabelLogit;
    return success();
  default:
    return refuseValue(message, "loss", origins);
  }
}

/// A size whose absence means something must not be written as 0.
LogicalResult readOptionalSize(StringRef setting, bool given, int64_t value,
                               int64_t &size, const SettingOrigins &origins) {
  if (!given)
    return success();
  if (value < 1)
    return origins.emitError(setting)
           << " is " << value << ", expected at least 1";
  size = value;
  return success();
}

LogicalResult checkRequired(const spec::Model &message, Location place) {
  const google::protobuf::Reflection *reflection = message.GetReflection();
  for (const char *name :
       {"layers", "hidden", "heads", "vocabulary", "positions"})
    if (!reflection->HasField(message,
                              message.GetDescriptor()->FindFieldByName(name)))
      return emitError(place)
             << "model has no " << name << ", which is required";
  return success();
}

LogicalResult readModel(const spec::Model &message, Location place,
                        ModelSpec &model, const SettingOrigins &origins) {
  if (failed(checkRequired(message, place)))
    return failure();
  model.layers = message.layers();
  model.hidden = message.hidden();
  model.heads = message.heads();
  model.vocabulary = message.vocabulary();
  model.positions = message.positions();
  model.ffn = 4 * std::clamp<int64_t>(model.hidden, 0, INT32_MAX);
  if (message.has_name())
    model.name = message.name();
  if (failed(readOptionalSize("kv_heads", message.has_kv_heads(),
                              message.kv_heads(), model.kvHeads, origins)) ||
      failed(readOptionalSize("head_dim", message.has_head_dim(),
                              message.head_dim(), model.headDim, origins)) ||
      failed(readOptionalSize("ffn", message.has_ffn(), message.ffn(),
                              model.ffn, origins)) ||
      failed(readActivation(message, model, origins)) ||
      failed(readNorm(message, model, origins)) ||
      failed(readObjective(message, model, origins)) ||
      failed(readLoss(message, model, origins)))
    return failure();
  if (message.has_norm_epsilon())
    model.normEpsilon = message.norm_epsilon();
  if (message.has_initializer_range())
    model.initializerRange = message.initializer_range();
  model.embeddingDropout = message.embedding_dropout();
  model.attentionDropout = message.attention_dropout();
  model.residualDropout = message.residual_dropout();
  if (message.has_tied_embedding())
    model.tiedEmbedding = message.tied_embedding();
  if (message.has_bias())
    model.bias = message.bias();
  model.firstPosition = message.first_position();
  model.tokenTypes = message.token_types();
  model.embeddingNorm = message.embedding_norm();
  model.headTransform = message.head_transform();
  model.headActivation = model.activation;
  model.headBias = message.head_bias();
  return success();
}

// ----------------------------------------------------------------- training

LogicalResult readOptimizer(const spec::Training &message,
                            TrainingSpec &training,
                            const SettingOrigins &origins) {
  if (!message.has_optimizer())
    return success();
  switch (message.optimizer()) {
  case spec::Training::SGD:
    training.optimizer = tfm::OptimizerKind::Sgd;
    return success();
  case spec::Training::ADAMW:
    training.optimizer = tfm::OptimizerKind::AdamW;
    return success();
  default:
    return refuseValue(message, "optimizer", origins);
  }
}

LogicalResult readPrecision(const spec::Training &message,
                            TrainingSpec &training,
                            const SettingOrigins &origins) {
  if (!message.has_precision())
    return success();
  switch (message.precision()) {
  case spec::Training::F32:
    training.precision = tfm::Precision::F32;
    return success();
  case spec::Training::BF16:
    training.precision = tfm::Precision::BF16;
    return success();
  case spec::Training::F16:
    training.precision = tfm::Precision::F16;
    return success();
  default:
    return refuseValue(message, "precision", origins);
  }
}

LogicalResult readTraining(const spec::Training &message,
                           TrainingSpec &training,
                           const SettingOrigins &origins) {
#define MPC_READ(field, member)                                                \
  if (message.has_##field())                                                   \
    training.member = message.field();
  MPC_READ(sequence_length, sequenceLength)
  MPC_READ(global_batch, globalBatch)
  MPC_READ(learning_rate, learningRate)
  MPC_READ(min_learning_rate, minLearningRate)
  MPC_READ(warmup_steps, warmupSteps)
  MPC_READ(decay_steps, decaySteps)
  MPC_READ(beta1, beta1)
  MPC_READ(beta2, beta2)
  MPC_READ(epsilon, epsilon)
  MPC_READ(weight_decay, weightDecay)
  MPC_READ(clip_norm, clipNorm)
  MPC_READ(dropout, dropout)
  MPC_READ(vocabulary_multiple, vocabularyMultiple)
  MPC_READ(loss_scale, lossScale)
  MPC_READ(loss_scale_window, lossScaleWindow)
  MPC_READ(mask_token, tokens.mask)
  MPC_READ(pad_token, tokens.pad)
#undef MPC_READ
  training.tokens.special.assign(message.special_tokens().begin(),
                                 message.special_tokens().end());
  if (failed(readPrecision(message, training, origins)))
    return failure();
  return readOptimizer(message, training, origins);
}

// ----------------------------------------------------------------- strategy

FailureOr<StrategyOverrides> readStrategy(const spec::Strategy &message,
                                          const SettingOrigins &origins) {
  StrategyOverrides settings;
  int64_t zero = 0;
  auto readSize = [&](StringRef name, bool given, int64_t value,
                      std::optional<int64_t> &out) {
    int64_t size = 1;
    if (failed(readOptionalSize(name, given, value, size, origins)))
      return failure();
    if (given)
      out = size;
    return success();
  };
  if (failed(readSize("tp", message.has_tp(), message.tp(), settings.tp)) ||
      failed(readSize("dp", message.has_dp(), message.dp(), settings.dp)) ||
      failed(readSize("pp", message.has_pp(), message.pp(), settings.pp)) ||
      failed(readSize("chunks", message.has_chunks(), message.chunks(),
                      settings.chunks)) ||
      failed(readSize("microbatches", message.has_microbatches(),
                      message.microbatches(), settings.microbatches)))
    return failure();
  if (message.has_zero()) {
    zero = message.zero();
    if (zero != 0 && zero != 1)
      return origins.emitError("zero") << " is " << zero << ", expected 0 or 1";
    settings.zero = zero;
  }
  if (message.has_sequence_parallel())
    settings.sequenceParallel = message.sequence_parallel();
  if (message.has_strict())
    settings.strict = message.strict();
  if (message.stages_size() != 0)
    settings.stages =
        std::vector<int64_t>(message.stages().begin(), message.stages().end());
  if (message.has_recompute())
    settings.recompute = message.recompute();
  if (message.has_attention())
    settings.attention = message.attention();
  if (message.has_schedule())
    settings.schedule = message.schedule();
  return settings;
}

} // namespace

// ------------------------------------------------------------------- public

FailureOr<StrategyOverrides> parseStrategy(llvm::MemoryBufferRef file,
                                           MLIRContext *context) {
  spec::Strategy message;
  FieldPlaces places;
  if (failed(parseText(file, context, message, places)))
    return failure();
  SettingOrigins origins(
      FileLineColLoc::get(context, file.getBufferIdentifier(), 1, 1));
  recordOrigins(file, message, places, origins);
  return readStrategy(message, origins);
}

LogicalResult readTraining(llvm::MemoryBufferRef file, SettingOrigins &origins,
                           TrainingSpec &training) {
  spec::Training message;
  FieldPlaces places;
  if (failed(parseText(file, origins.getContext(), message, places)))
    return failure();
  recordOrigins(file, message, places, origins);
  return readTraining(message, training, origins);
}

FailureOr<JobSpec> readJob(llvm::MemoryBufferRef file,
                           SettingOrigins &origins) {
  spec::Job message;
  FieldPlaces places;
  MLIRContext *context = origins.getContext();
  if (failed(parseText(file, context, message, places)))
    return failure();
  if (!message.has_model())
    return emitError(
               FileLineColLoc::get(context, file.getBufferIdentifier(), 1, 1))
           << "job has no model, which is required";
  const google::protobuf::Descriptor *descriptor = message.GetDescriptor();
  auto record = [&](const google::protobuf::Message &part,
                    const std::string &name) {
    if (const FieldPlaces *inner =
            places.GetTreeForNested(descriptor->FindFieldByName(name), -1))
      recordOrigins(file, part, *inner, origins);
  };
  record(message.model(), "model");
  record(message.training(), "training");
  record(message.strategy(), "strategy");

  JobSpec job;
  if (failed(readModel(message.model(),
                       getPlace(file, context, places, "model", descriptor),
                       job.model, origins)) ||
      failed(readTraining(message.training(), job.training, origins)))
    return failure();
  if (!message.has_strategy())
    return job;
  FailureOr<StrategyOverrides> strategy =
      readStrategy(message.strategy(), origins);
  if (failed(strategy))
    return failure();
  job.strategy = *strategy;
  return job;
}

} // namespace mpc
