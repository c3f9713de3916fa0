//===- ModelSpec.h - a model and its training, as plain data ----*- C++ -*-===//
//
// What every front end produces and the builder reads: the settings of
// spec.proto, resolved. The initial values here are the defaults that tools
// print.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_MODEL_MODELSPEC_H
#define MPC_FRONTENDS_MODEL_MODELSPEC_H

#include "dialects/transformer/IR/Transformer.h"
#include "frontends/model/SettingOrigins.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mpc {

enum class Activation { GeluTanh, Gelu, Relu, Silu };
enum class Norm { None, Pre, Post };
enum class Objective { CausalLm, MaskedLm };
/// Whose names the parts have.
enum class Family { Gpt2, Bert, Roberta };
enum class Loss { CrossEntropy, LabelLogit };

/// The tokens that masked language modelling treats in a way of their own.
struct TokenSpec {
  std::optional<int64_t> mask, pad;
  std::vector<int64_t> special;
};

/// A model of the GPT-2 or the BERT shape. Sizes are those of spec.proto; 0
/// where a required one was not given.
struct ModelSpec {
  std::string name = "model";
  int64_t layers = 0;
  int64_t hidden = 0;
  /// 0: blocks have no attention.
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  int64_t ffn = 0;
  int64_t vocabulary = 0;
  /// 0: no position table.
  int64_t positions = 0;
  /// The row of the position table that a sequence begins with.
  int64_t firstPosition = 0;
  /// 0: no table.
  int64_t tokenTypes = 0;
  Objective objective = Objective::CausalLm;
  Family family = Family::Gpt2;
  Activation activation = Activation::GeluTanh;
  Norm norm = Norm::Pre;
  double normEpsilon = 1e-5;
  double initializerRange = 0.02;
  double embeddingDropout = 0;
  double attentionDropout = 0;
  double residualDropout = 0;
  bool tiedEmbedding = true;
  bool bias = true;
  bool embeddingNorm = false;
  bool headTransform = false;
  /// Of the transform.
  Activation headActivation = Activation::GeluTanh;
  bool headBias = false;
  /// The family's own, which training settings override.
  TokenSpec tokens;
  Loss loss = Loss::CrossEntropy;
  /// Whether scores are divided by the root of the head size, and by the
  /// number of the layer, from 1.
  bool scaleByHeadDim = true;
  bool scaleByLayer = false;
};

struct TrainingSpec {
  /// Absent: the model's positions.
  std::optional<int64_t> sequenceLength;
  int64_t globalBatch = 8;
  tfm::OptimizerKind optimizer = tfm::OptimizerKind::AdamW;
  double learningRate = 6e-4;
  /// Absent: a tenth of `learningRate`.
  std::optional<double> minLearningRate;
  int64_t warmupSteps = 100;
  int64_t decaySteps = 10000;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weightDecay = 0.1;
  double clipNorm = 1;
  /// Absent: the model's own rates.
  std::optional<double> dropout;
  int64_t vocabularyMultiple = 1;
  tfm::Precision precision = tfm::Precision::F32;
  /// Of f16 alone. Absent: 65536.
  std::optional<double> lossScale;
  int64_t lossScaleWindow = 2000;
  /// Absent, or empty: the model's own.
  TokenSpec tokens;
};

/// Lets the training settings override the model's (dropout, special tokens)
/// and fills in those whose default is the model's (sequence length), then
/// checks everything: sizes, rates, divisibility. The first mistake is reported
/// where `origins` has it.
mlir::LogicalResult resolve(ModelSpec &model, TrainingSpec &training,
                            const SettingOrigins &origins);

/// The module that the training pipeline starts from: `@forward` with the
/// settings of training, and `strategy` unless it is null. Both specs are
/// resolved.
///
/// Parameters are named as Hugging Face names them. Matrices start normal with
/// `initializer_range`, those that write to the residual stream divided by
/// sqrt(2 · layers) unless norms follow the blocks; norms start at 1, biases at
/// 0. Weight decay applies to matrices, all tables included, not to norms and
/// biases.
mlir::OwningOpRef<mlir::ModuleOp> buildModel(mlir::MLIRContext *context,
                                             const ModelSpec &model,
                                             const TrainingSpec &training,
                                             tfm::StrategyAttr strategy);

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_MODELSPEC_H
