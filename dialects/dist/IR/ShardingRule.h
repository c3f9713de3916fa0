//===- ShardingRule.h - one rule per op, many consumers ---------*- C++ -*-===//
//
// The rule of an op says which of its dimensions are the same loop. Propagation,
// verifier, partitioner, cost model and documentation all read it.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_DIST_IR_SHARDINGRULE_H
#define MPC_DIALECTS_DIST_IR_SHARDINGRULE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace mpc {

/// What splitting a factor means to the op that owns it.
enum class FactorKind {
  Parallel, ///< Operands and results split alike; nothing to combine.
  Sum,      ///< Results without the factor become partial sums.
  Max,      ///< Results without the factor become partial maxima.
  Whole,    ///< Cannot be split.
};

/// The dimension correspondence of an op, written
///
///     x: b s k, w: o k -> y: b s o | reduce k | linear x; w
///
/// One name for each dimension of each operand and result; the same name is the
/// same factor (a loop of the op), with one size. Scalars have no names. Clauses
/// after the bar:
///   - `reduce k`: summed where a result lacks it; `max k`: maximum likewise;
///   - `whole k`: cannot be split; all other factors are parallel;
///   - `linear x; w` or `linear a b`: the linear groups. The op is jointly linear
///     in the operands of a group when all other operands are held fixed.
///
/// What makes the shardings of an op's types right:
///   - C1 a factor is split over the same axes, in order, wherever it occurs;
///   - C2 an axis splits at most one factor;
///   - C3 a whole factor is not split;
///   - C4 a partial operand is in a linear group, all of that group is partial
///     over the same axes, no factor is split over them and no other group is
///     partial over them; a partial maximum is consumed only by a reshard;
///   - C5 a result is partial over exactly the axes of the reduce and max factors
///     that it lacks, and those carried by C4;
///   - C6 sizes divide.
struct ShardingRule {
  struct Factor {
    std::string name;
    FactorKind kind = FactorKind::Parallel;
  };
  struct Tensor {
    std::string name;
    /// The factor of each dimension, as an index into `factors`.
    llvm::SmallVector<unsigned, 4> dims;

    bool has(unsigned factor) const;
  };

  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<Tensor, 4> operands, results;
  /// Operand numbers.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 2> linearGroups;

  /// Parses the notation above; asserts that it is well formed, since rules are
  /// written by the author of an op.
  static ShardingRule parse(llvm::StringRef text);

  /// The linear group of an operand, if it is in one.
  std::optional<unsigned> getLinearGroup(unsigned operand) const;
};

/// The rule of an op that implements ShardingRuleOpInterface. Parsed once for
/// each text and kept for the life of the process. Thread-safe.
const ShardingRule &getShardingRule(mlir::Operation *op);

/// The rule text of an op all of whose listed tensors have the same dimensions
/// d0 d1 …: `a: d0 d1, b: d0 d1 -> y: d0 d1`.
std::string getPointwiseRule(llvm::ArrayRef<llvm::StringRef> operands,
                             llvm::ArrayRef<llvm::StringRef> results,
                             int64_t rank, llvm::StringRef clauses = "");

/// `count` factor names: prefix0 prefix1 …, separated by spaces.
std::string getFactorNames(llvm::StringRef prefix, int64_t count);

namespace detail {
/// Sizes against the rule, then, if the types are sharded, C1 to C6.
mlir::LogicalResult verifyShardingRule(mlir::Operation *op);
} // namespace detail

} // namespace mpc

#include "dialects/interfaces/ShardingRuleOpInterface.h.inc"

#endif // MPC_DIALECTS_DIST_IR_SHARDINGRULE_H
