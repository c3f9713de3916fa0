//===- RuleHarness.h - a rule against what its op computes ------*- C++ -*-===//
//
// A rule claims that an op may run on pieces. The harness reads the rule, lays the
// op's factors on small meshes in every way that it allows, runs the local form on
// every simulated rank and compares what the ranks hold with the global op.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_RULEHARNESS_H
#define MPC_TEST_EXECUTION_RULEHARNESS_H

#include "test/execution/Evaluator.h"
#include "test/execution/OpInstances.h"

namespace mpc::execution {

/// One way to lay an op on a mesh.
struct Arrangement {
  dist::MeshAttr mesh;
  /// The axes that split each factor, and over which each linear group is partial.
  llvm::SmallVector<dist::AxesAttr> axesOf, partialOf;

  /// The sharding of operand `number`, or of a result: by the rule, C1 to C5.
  dist::ShardingAttr getOperand(const ShardingRule &rule,
                                unsigned number) const;
  dist::ShardingAttr getResult(const ShardingRule &rule, unsigned number) const;

  /// True if a factor that is whole is split.
  bool splitsWhole(const ShardingRule &rule) const;
};

/// All of them, on meshes of one and two axes: an axis is unused, splits a factor,
/// or is one over which a linear group is partial; two axes on one factor stand
/// in either order.
std::vector<Arrangement> enumerateArrangements(mlir::MLIRContext *context,
                                               const ShardingRule &rule);

/// An instance whose types are sharded as arranged. Nothing has verified it.
class ShardedInstance {
public:
  ShardedInstance(const BuiltInstance &instance, const ShardingRule &rule,
                  const Arrangement &arrangement);
  ~ShardedInstance() { op->destroy(); }
  ShardedInstance(const ShardedInstance &) = delete;

  mlir::Operation *getOp() const { return op; }
  /// The operands' types, then the results'.
  unsigned getTensorCount() const;
  mlir::RankedTensorType getType(unsigned tensor) const;
  void setSharding(unsigned tensor, dist::ShardingAttr sharding);

  /// What the op's verifier says to its types; empty if it accepts them.
  std::string verify() const;

private:
  mlir::Block block;
  mlir::Operation *op;
};

class RuleHarness {
public:
  /// Judges `rule`, which need not be the op's own.
  RuleHarness(const BuiltInstance &instance, const ShardingRule &rule);

  /// The first arrangement under which ranks compute something else than the
  /// global op, in words; empty if there is none.
  std::string findWrongResult();

  /// Operands, one or two, in which the op is linear although no group says so;
  /// empty if there are none.
  std::string findUndeclaredLinearity();

private:
  std::string check(const Arrangement &arrangement);
  bool isLinearIn(llvm::ArrayRef<unsigned> operands);
  llvm::SmallVector<Array> evaluateGlobally(llvm::ArrayRef<Array> operands);

  const BuiltInstance &instance;
  const ShardingRule &rule;
  Random random{20240607};
  Evaluator evaluator;
  llvm::SmallVector<Array> operands, expected;
};

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_RULEHARNESS_H
