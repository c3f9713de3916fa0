//===- Propagation.h - shardings of a function, by claims -------*- C++ -*-===//
//
// The policy by which shardings spread from pins over a function.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_SHARDING_PROPAGATION_H
#define MPC_PASSES_SHARDING_PROPAGATION_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mpc {

/// The sharding of each piece of state that is known so far.
using BindingShardings = llvm::DenseMap<tfm::BindingAttr, dist::ShardingAttr>;

/// Decides, in a side table, the sharding of every value of a function and of
/// every use; then writes types and reshards once.
///
///  1. Every dimension of an op's operands, and of results that are wanted in some
///     sharding, is a claim on a factor. Claims have a strength: types of parameters
///     and of their gradients (3), pins (2), derived (1).
///  2. The strongest claim comes first (ties: more axes, results, operand order). An
///     axis goes to one factor; a factor keeps the longest free prefix of its claim.
///     Results take it, operands are resharded at use.
///  3. A partial sum is carried only through contractions, add, accumulate and scale,
///     where all of a linear group is partial alike. If a use cannot carry it, it is
///     reduced once: with one use, there, into the type wanted there; with
///     several, before the first, into the sharding of the use that lets the
///     reduction scatter, or else of the first. A sum of scalars is joined over all
///     axes of its terms, so that one reduction serves them all.
///  4. An accumulator has the dimensions of its parameter's compute type and the
///     partial axes of the gradient as it arises.
///     A dimension that no operand claims is split as the first use wants it.
///  5. What is wanted of a value that is used once (by a pin, an accumulator, a
///     result) is wanted of its operands too, back through pointwise ops.
class Propagation {
public:
  /// `known` gives the shardings of state; those that this function defines are
  /// added when it is written.
  Propagation(mlir::func::FuncOp function, dist::MeshAttr mesh,
              BindingShardings &known)
      : function(function), mesh(mesh), known(known) {}

  /// Decides and writes. Fails with a diagnostic if an op has no rule.
  mlir::LogicalResult run();

private:
  enum Strength { Derived = 1, Pinned = 2, Parameter = 3 };

  using Axes = llvm::ArrayRef<mlir::StringAttr>;

  /// What is decided about a value.
  struct Info {
    dist::ShardingAttr sharding;
    Strength strength = Derived;
    /// Set if the value is reduced before its first use: what all uses see.
    dist::ShardingAttr reduced;

    dist::ShardingAttr seen() const { return reduced ? reduced : sharding; }
  };
  /// A sharding that somebody downstream would like a value to have.
  struct Wish {
    dist::ShardingAttr sharding;
    Strength strength;
  };
  struct Claim {
    Strength strength;
    bool isResult;
    unsigned operand, factor;
    dist::AxesAttr axes;
  };

  void collectWishes();
  void wish(mlir::Value value, dist::ShardingAttr sharding, Strength strength);
  mlir::LogicalResult decideArguments();
  mlir::LogicalResult decide(mlir::Operation *op);
  mlir::LogicalResult decideByRule(mlir::Operation *op);
  void decideReturn(mlir::Operation *op);
  /// What is decided about a piece of state so far; null if nothing is.
  dist::ShardingAttr getStateSharding(tfm::BindingAttr binding);
  /// The axes of each factor of `op`, and which axes are taken.
  llvm::SmallVector<dist::AxesAttr>
  assignFactors(mlir::Operation *op, const ShardingRule &rule,
                llvm::SmallSetVector<mlir::StringAttr, 4> &taken);
  /// The partial axes with which each operand of `op` is used.
  llvm::SmallVector<llvm::SmallVector<mlir::StringAttr>>
  carryPartials(mlir::Operation *op, const ShardingRule &rule,
                llvm::SmallSetVector<mlir::StringAttr, 4> taken);
  /// Records the sharding in which `op` uses its operand.
  void use(mlir::Operation *op, unsigned operand, dist::ShardingAttr sharding);
  /// Records the sharding of a result and decides whether and how it is reduced
  /// before its first use.
  void define(mlir::Value value, dist::ShardingAttr sharding, Strength strength);
  void decideReduction(mlir::Value value, Info &info);

  void write();
  mlir::Value getAs(mlir::Value value, dist::ShardingAttr sharding,
                    mlir::Operation *user);

  mlir::func::FuncOp function;
  dist::MeshAttr mesh;
  BindingShardings &known;

  llvm::DenseMap<mlir::Value, Wish> wishes;
  llvm::DenseMap<mlir::Value, Info> infos;
  llvm::DenseMap<mlir::OpOperand *, dist::ShardingAttr> uses;
  /// The shardings in which values are used, of this round and of the last.
  using UsesOfValue =
      llvm::DenseMap<mlir::Value, llvm::SmallVector<dist::ShardingAttr>>;
  UsesOfValue lastUses, previousUses;
  /// (value, axis) pairs that some use cannot carry, found so far.
  llvm::DenseSet<std::pair<mlir::Value, mlir::StringAttr>> eager;
  bool foundEager = false;
  /// Some result has a dimension that no operand claims.
  bool followsUses = false;

  /// Reshards that exist: a gather is repeated in another phase, a reduction never.
  llvm::DenseMap<std::tuple<mlir::Value, dist::ShardingAttr, int>, mlir::Value>
      reshards;
};

} // namespace mpc

#endif // MPC_PASSES_SHARDING_PROPAGATION_H
