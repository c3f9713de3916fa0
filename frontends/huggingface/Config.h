//===- Config.h - models from Hugging Face's config.json --------*- C++ -*-===//

#ifndef MPC_FRONTENDS_HUGGINGFACE_CONFIG_H
#define MPC_FRONTENDS_HUGGINGFACE_CONFIG_H

#include "frontends/model/ModelSpec.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc {

struct HuggingFaceModel {
  ModelSpec spec;
  /// What the file does not say and the family has a default for, each as
  /// `key = value`.
  std::vector<std::string> assumed;
};

/// Reads a config.json of a known family. What changes the model is either
/// carried over or refused by name; other keys that no such model reads get a
/// warning. Sizes and rates are not checked yet. Records in `origins` what the
/// file calls each setting.
mlir::FailureOr<HuggingFaceModel>
readHuggingFaceConfig(llvm::MemoryBufferRef file, SettingOrigins &origins);

} // namespace mpc

#endif // MPC_FRONTENDS_HUGGINGFACE_CONFIG_H
