//===- Representative.h - the model at a depth that is cheap ----*- C++ -*-===//
//
// The search prices what the compiler really makes: a model of few layers goes
// through all phases, machine code apart, for every way to split a layer.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_SEARCH_REPRESENTATIVE_H
#define MPC_PASSES_SEARCH_REPRESENTATIVE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/search/Parts.h"
#include <string>

namespace mpc::search {

/// One way to split a layer: all that its commands depend on.
struct Seed {
  int64_t tp = 1;
  bool sequenceParallel = false;
  /// Sequences a microbatch.
  int64_t microbatchSize = 1;
  /// Weight gradients have passes of their own.
  bool splitsWeights = false;
  /// As in the strategy.
  std::string attention = "fused";
  int64_t dp = 1, zero = 0;
  bool strict = false;

  bool operator<(const Seed &other) const;
};

/// A model whose layers are all equal, cut to few of them.
class Representative {
public:
  /// Fails, with an error, where `model`, as imported, has no layers or these differ.
  static mlir::FailureOr<Representative> create(mlir::ModuleOp model);

  int64_t getLayers() const { return layers; }
  int64_t getGlobalBatch() const { return globalBatch; }

  /// What the compiler makes of the seed. The microbatch size times `dp` divides the
  /// global batch. Where the compiler refuses, `reason` is its error.
  mlir::FailureOr<Parts> expand(const Seed &seed, std::string &reason) const;

private:
  Representative() = default;
  mlir::LogicalResult expand(const Seed &seed, llvm::ArrayRef<Recompute> modes,
                             Parts &parts) const;

  mlir::OwningOpRef<mlir::ModuleOp> model;
  /// Of the whole model, and of this one.
  int64_t layers = 0, kept = 0;
  int64_t globalBatch = 0;
};

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_REPRESENTATIVE_H
