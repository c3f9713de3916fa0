//===- PartNames.h - what checkpoints call the parts of a model -*- C++ -*-===//

#ifndef MPC_FRONTENDS_MODEL_PARTNAMES_H
#define MPC_FRONTENDS_MODEL_PARTNAMES_H

#include "frontends/model/ModelSpec.h"

namespace mpc {

/// The names of a family's parts, as in its checkpoints on Hugging Face: a
/// parameter's without `.weight` or `.bias`. Those of the blocks go behind the
/// name of their layer. Locations are these names without `model`, and so are
/// the keys of dropout.
struct PartNames {
  /// In front of all but the head's.
  llvm::StringRef model;

  llvm::StringRef tokens, positions, tokenTypes;
  llvm::StringRef embeddingNorm, embeddingDropout;

  /// In front of the layer's number.
  llvm::StringRef layers;
  llvm::StringRef attention, attentionNorm, query, key, value;
  /// The location of query, key and value, where they are one part.
  llvm::StringRef fusedQueryKeyValue;
  llvm::StringRef attentionOutput, attentionDropout;
  llvm::StringRef feedForward, feedForwardNorm, expand, activation, contract;
  llvm::StringRef feedForwardDropout;

  llvm::StringRef finalNorm;
  llvm::StringRef headDense, headActivation, headNorm, head;
  /// Parameters, in full: a tied head has no weight.
  llvm::StringRef headBias;
};

PartNames getPartNames(const ModelSpec &spec);

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_PARTNAMES_H
