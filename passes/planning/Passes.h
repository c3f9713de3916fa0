//===- Passes.h - the planning phase ----------------------------*- C++ -*-===//

#ifndef MPC_PASSES_PLANNING_PASSES_H
#define MPC_PASSES_PLANNING_PASSES_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// Parts of a strategy that a user gave; the rest stays as it is.
struct StrategyOverrides {
  std::optional<int64_t> tp, dp, pp, microbatches, zero, chunks;
  std::optional<bool> sequenceParallel, strict, reference;
  /// Layers of each piece of the pipeline, in depth order.
  std::optional<std::vector<int64_t>> stages;
  std::optional<std::string> schedule;
  /// The text of a schedule file.
  std::optional<std::string> table;
  std::optional<std::string> recompute;
  std::optional<std::string> attention;

  /// These, over `other`.
  StrategyOverrides over(const StrategyOverrides &other) const;
};

/// The attribute that says `given`; what is not given has its default.
tfm::StrategyAttr makeStrategy(mlir::MLIRContext *context,
                               const StrategyOverrides &given);

/// Gives an imported module, before padding and strategy, the hash by which plans of
/// one model are known, unless it has one.
void hashModel(mlir::ModuleOp module);

#define GEN_PASS_DECL
#include "passes/planning/Passes.h.inc"

/// `mpc-set-strategy` with what the command line and a strategy file gave.
std::unique_ptr<mlir::Pass>
createSetStrategyPass(const StrategyOverrides &overrides);

/// Whether a strategy contradicts itself, whatever the model: one error at
/// `location`. Passes that read the attribute check it, since a person may have
/// written it.
mlir::LogicalResult verifyStrategy(tfm::StrategyAttr strategy,
                                   mlir::Location location);

/// The mesh of a strategy: axes `pp`, `dp` and `tp`, those of size 1 left out.
dist::MeshAttr getMesh(tfm::StrategyAttr strategy);

/// Registers the passes.
void registerPlanning();

} // namespace mpc

#endif // MPC_PASSES_PLANNING_PASSES_H
