//===- CheckModel.cpp - what a model and its training must satisfy -*- C++
//-*-=//
//
// Sizes are bounded so that no later product of them overflows 64 bits, and
// ids, positions and sample numbers fit the 32 bits of batch inputs.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/CheckTokens.h"
#include "frontends/model/SpellNumber.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace mpc {
namespace {

constexpr int64_t kMaxIndex = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxWidth = int64_t(1) << 24;
constexpr int64_t kMaxLayers = 10000;
/// Of all parameters, and of the largest activation.
constexpr uint64_t kMaxElements = uint64_t(1) << 50;
constexpr double kMaxLossScale = 1 << 24;

struct SizeBound {
  StringRef setting;
  int64_t value, least, most;
};

LogicalResult checkBound(const SizeBound &bound,
                         const SettingOrigins &origins) {
  if (bound.value >= bound.least && bound.value <= bound.most)
    return success();
  return origins.emitError(bound.setting)
         << " is " << bound.value << ", expected " << bound.least << " to "
         << bound.most;
}

/// Half-open ranges: `least` is legal, `most` is not. What is computed with is
/// the nearest f32, so that has to be legal too.
struct RateBound {
  StringRef setting;
  double value, least, most;
};

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

LogicalResult checkBound(const RateBound &bound,
                         const SettingOrigins &origins) {
  const double rounded = static_cast<float>(bound.value);
  const bool vanishes = rounded == 0 && bound.value != 0;
  auto isLegal = [&](double value) {
    return value >= bound.least && value < bound.most;
  };
  if (isLegal(bound.value) && isLegal(rounded) && !vanishes)
    return success();
  InFlightDiagnostic error = origins.emitError(bound.setting);
  error << " is " << spellNumber(bound.value);
  if (isLegal(bound.value))
    error << ", which rounds to " << spellNumber(rounded) << " in f32";
  if (vanishes && isLegal(bound.value))
    return error << ", expected 0 or a number that f32 can hold";
  error << ", expected a finite number of at least "
        << spellNumber(bound.least);
  if (bound.most != kUnbounded)
    error << " and below " << spellNumber(bound.most);
  return error;
}

/// Of what is added under a root or to a divisor.
LogicalResult checkPositive(StringRef setting, double value,
                            const SettingOrigins &origins) {
  if (value > 0)
    return success();
  return origins.emitError(setting)
         << " is " << spellNumber(value) << ", expected a positive number";
}

template <typename Bound>
LogicalResult checkAll(ArrayRef<Bound> bounds, const SettingOrigins &origins) {
  for (const Bound &bound : bounds)
    if (failed(checkBound(bound, origins)))
      return failure();
  return success();
}

LogicalResult checkSizes(const ModelSpec &model,
                         const SettingOrigins &origins) {
  return checkAll<SizeBound>({{"layers", model.layers, 1, kMaxLayers},
                              {"hidden", model.hidden, 1, kMaxWidth},
                              {"heads", model.heads, 0, kMaxWidth},
                              {"ffn", model.ffn, 1, 4 * kMaxWidth},
                              {"vocabulary", model.vocabulary, 1, kMaxIndex},
                              {"positions", model.positions, 0, kMaxIndex},
                              {"token_types", model.tokenTypes, 0, kMaxIndex},
                              {"first_position", model.firstPosition, 0,
                               std::max<int64_t>(model.positions - 1, 0)}},
                             origins);
}

LogicalResult checkNorms(const ModelSpec &model,
                         const SettingOrigins &origins) {
  if (model.norm != Norm::None || !model.embeddingNorm)
    return success();
  return origins.emitError("embedding_norm")
         << " is true, but " << origins.getName("norm")
         << " is NONE; expected a model with norms";
}

LogicalResult checkRates(const ModelSpec &model,
                         const SettingOrigins &origins) {
  if (failed(checkPositive("norm_epsilon", model.normEpsilon, origins)))
    return failure();
  return checkAll<RateBound>(
      {{"norm_epsilon", model.normEpsilon, 0, 1},
       {"initializer_range", model.initializerRange, 0, kUnbounded},
       {"embedding_dropout", model.embeddingDropout, 0, 1},
       {"attention_dropout", model.attentionDropout, 0, 1},
       {"residual_dropout", model.residualDropout, 0, 1}},
      origins);
}

/// Fills in kvHeads and headDim, and checks that heads fit.
LogicalResult resolveHeads(ModelSpec &model, const SettingOrigins &origins) {
  if (model.heads == 0)
    return success();
  if (model.kvHeads == 0)
    model.kvHeads = model.heads;
  if (failed(checkBound(SizeBound{"kv_heads", model.kvHeads, 1, model.heads},
                        origins)))
    return failure();
  if (model.heads % model.kvHeads != 0)
    return origins.emitError("heads")
           << " " << model.heads << " is not divisible by "
           << origins.getName("kv_heads") << " " << model.kvHeads;
  if (model.headDim == 0) {
    if (model.hidden % model.heads != 0)
      return origins.emitError("hidden")
             << " " << model.hidden << " is not divisible by "
             << origins.getName("heads") << " " << model.heads
             << ", and no head size is given";
    model.headDim = model.hidden / model.heads;
  }
  return checkBound(SizeBound{"head_dim", model.headDim, 1, kMaxWidth},
                    origins);
}

uint64_t product(ArrayRef<int64_t> sizes) {
  uint64_t result = 1;
  for (int64_t size : sizes)
    result = llvm::SaturatingMultiply<uint64_t>(result, size);
  return result;
}

/// The largest tensor and all parameters together stay within kMaxElements.
LogicalResult checkTotals(const ModelSpec &model, const TrainingSpec &training,
                          const SettingOrigins &origins) {
  uint64_t query = product({model.heads, model.headDim});
  uint64_t widest =
      std::max<uint64_t>({uint64_t(model.hidden), uint64_t(model.ffn), query});
  // Six matrices a layer, none larger than this.
  uint64_t layers = llvm::SaturatingMultiply(
      product({model.layers, model.hidden, 6}), widest);
  uint64_t tables = llvm::SaturatingMultiply<uint64_t>(
      model.hidden,
      2 * uint64_t(model.vocabulary) + model.positions + model.tokenTypes);
  if (llvm::SaturatingAdd(layers, tables) > kMaxElements)
    return origins.emitError("hidden")
           << " " << model.hidden << " with " << origins.getName("layers")
           << " " << model.layers << " and " << origins.getName("vocabulary")
           << " " << model.vocabulary << " makes more than 2^50 parameters";
  uint64_t row = std::max<uint64_t>(widest, model.vocabulary);
  uint64_t tokens = product({training.globalBatch, *training.sequenceLength});
  if (llvm::SaturatingMultiply(tokens, row) > kMaxElements)
    return origins.emitError("global_batch")
           << " " << training.globalBatch << " with "
           << origins.getName("sequence_length") << " "
           << *training.sequenceLength
           << " makes activations of more than 2^50 elements";
  return success();
}

/// Scales that are powers of two change no bit of what does not overflow.
LogicalResult checkLossScale(const TrainingSpec &training,
                             const SettingOrigins &origins) {
  if (!training.lossScale)
    return success();
  double scale = *training.lossScale;
  if (training.precision != tfm::Precision::F16)
    return origins.emitError("loss_scale")
           << " is given with precision "
           << stringifyPrecision(training.precision) << ", expected f16";
  int exponent = 0;
  if (!(scale >= 1 && scale <= kMaxLossScale) ||
      std::frexp(scale, &exponent) != 0.5)
    return origins.emitError("loss_scale")
           << " is " << spellNumber(scale)
           << ", expected a power of two from 1 to " << int64_t(kMaxLossScale);
  return success();
}

LogicalResult checkTraining(const TrainingSpec &training,
                            const SettingOrigins &origins) {
  if (failed(checkAll<SizeBound>(
          {{"sequence_length", *training.sequenceLength, 1, kMaxIndex},
           {"global_batch", training.globalBatch, 1, kMaxIndex},
           {"warmup_steps", training.warmupSteps, 0, kMaxIndex},
           {"decay_steps", training.decaySteps, 0, kMaxIndex},
           {"vocabulary_multiple", training.vocabularyMultiple, 1, kMaxWidth},
           {"loss_scale_window", training.lossScaleWindow, 1, kMaxIndex}},
          origins)) ||
      failed(checkAll<RateBound>(
          {{"learning_rate", training.learningRate, 0, kUnbounded},
           {"min_learning_rate", *training.minLearningRate, 0, kUnbounded},
           {"beta1", training.beta1, 0, 1},
           {"beta2", training.beta2, 0, 1},
           {"epsilon", training.epsilon, 0, kUnbounded},
           {"weight_decay", training.weightDecay, 0, kUnbounded},
           {"clip_norm", training.clipNorm, 0, kUnbounded}},
          origins)))
    return failure();
  if (failed(checkPositive("epsilon", training.epsilon, origins)))
    return failure();
  if (failed(checkLossScale(training, origins)))
    return failure();
  if (*training.minLearningRate > training.learningRate)
    return origins.emitError("min_learning_rate")
           << " " << spellNumber(*training.minLearningRate)
           << " exceeds learning_rate " << spellNumber(training.learningRate);
  if (training.decaySteps != 0 && training.decaySteps < training.warmupSteps)
    return origins.emitError("decay_steps")
           << " " << training.decaySteps << " is less than warmup_steps "
           << training.warmupSteps
           << "; the cosine would end before the warm-up does";
  return success();
}

} // namespace

LogicalResult resolve(ModelSpec &model, TrainingSpec &training,
                      const SettingOrigins &origins) {
  if (failed(checkSizes(model, origins)) ||
      failed(checkRates(model, origins)) ||
      failed(resolveHeads(model, origins)) ||
      failed(checkNorms(model, origins)) ||
      failed(resolveTokens(model, training, origins)))
    return failure();
  if (training.dropout) {
    if (failed(
            checkBound(RateBound{"dropout", *training.dropout, 0, 1}, origins)))
      return failure();
    model.embeddingDropout = model.attentionDropout = model.residualDropout =
        *training.dropout;
  }
  if (!training.minLearningRate)
    training.minLearningRate = training.learningRate / 10;
  const int64_t longest = model.positions - model.firstPosition;
  if (!training.sequenceLength) {
    if (model.positions == 0)
      return origins.emitError("sequence_length")
             << " is missing, and the model has no positions to take it from";
    training.sequenceLength = longest;
  }
  if (failed(checkTraining(training, origins)))
    return failure();
  if (training.precision == tfm::Precision::F16 && !training.lossScale)
    training.lossScale = 65536;
  if (model.positions != 0 && *training.sequenceLength > longest) {
    InFlightDiagnostic error =
        emitError(origins.getLocation("sequence_length"));
    error << "sequence length " << *training.sequenceLength << " exceeds "
          << origins.getName("positions") << " " << model.positions;
    if (model.firstPosition != 0)
      error << ", of which the first " << model.firstPosition
            << " are not for tokens";
    return error;
  }
  return checkTotals(model, training, origins);
}

} // namespace mpc
