//===- Family.h - families of models of Hugging Face ------------*- C++ -*-===//
//
// One reader a family, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_HUGGINGFACE_FAMILY_H
#define MPC_FRONTENDS_HUGGINGFACE_FAMILY_H

#include "frontends/huggingface/Config.h"
#include "frontends/huggingface/ConfigReader.h"

namespace mpc {

/// Reads all of a file but model_type and architectures. Keys that no model of
/// the family reads are left to the caller; those of them that are of no
/// consequence are added to `harmless`.
using FamilyReader = mlir::LogicalResult (*)(ConfigReader &reader,
                                             SettingOrigins &origins,
                                             HuggingFaceModel &model,
                                             llvm::StringSet<> &harmless);

mlir::LogicalResult readGpt2(ConfigReader &reader, SettingOrigins &origins,
                             HuggingFaceModel &model,
                             llvm::StringSet<> &harmless);
mlir::LogicalResult readBert(ConfigReader &reader, SettingOrigins &origins,
                             HuggingFaceModel &model,
                             llvm::StringSet<> &harmless);
/// RoBERTa, and with norms in front of blocks RoBERTa-PreLayerNorm.
mlir::LogicalResult readRoberta(ConfigReader &reader, SettingOrigins &origins,
                                HuggingFaceModel &model,
                                llvm::StringSet<> &harmless);
mlir::LogicalResult readRobertaPreNorm(ConfigReader &reader,
                                       SettingOrigins &origins,
                                       HuggingFaceModel &model,
                                       llvm::StringSet<> &harmless);

/// A rate, or the like, and its default.
struct NumberKey {
  llvm::StringRef setting, key;
  double ModelSpec::*member;
  double initial;
};
mlir::LogicalResult readNumbers(ConfigReader &reader, SettingOrigins &origins,
                                llvm::ArrayRef<NumberKey> keys,
                                ModelSpec &spec);

/// Reads the activation of the given name, which is one of `legal`.
mlir::LogicalResult readActivation(ConfigReader &reader, llvm::StringRef key,
                                   llvm::ArrayRef<llvm::StringRef> legal,
                                   Activation &activation);

/// Those of the keys, with their defaults, that the file does not have.
std::vector<std::string>
listAssumed(const ConfigReader &reader,
            llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> keys);

/// Words as a message lists them: "a", "b" or "c".
std::string quoteAll(llvm::ArrayRef<llvm::StringRef> words);

} // namespace mpc

#endif // MPC_FRONTENDS_HUGGINGFACE_FAMILY_H
