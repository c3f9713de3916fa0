//===- Evaluator.h - runs functions of tfm and dist ops ---------*- C++ -*-===//
//
// The judge of shardings: no code of the runtime, no generated kernel. An op is
// its decomposition to linalg, interpreted; a collective is what its description
// says. All ranks run in lockstep.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_EVALUATOR_H
#define MPC_TEST_EXECUTION_EVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/execution/Layout.h"
#include <map>
#include <memory>

namespace mpc::execution {

class Program;

/// Evaluates ops and functions in one of three forms: the global view (the mesh
/// of one rank), sharded types with `dist.reshard`, or local types with
/// collectives. Errors are diagnostics of the op.
class Evaluator {
public:
  /// `random` makes the addends into which a reshard turns a whole value; null:
  /// the first rank keeps it.
  explicit Evaluator(dist::MeshAttr mesh, Random *random = nullptr);
  ~Evaluator();

  /// The results of one op for the operands' arrays.
  mlir::FailureOr<llvm::SmallVector<RankArrays>>
  evaluate(mlir::Operation *op, llvm::ArrayRef<const RankArrays *> operands);

  /// The results of a function for its arguments.
  mlir::FailureOr<llvm::SmallVector<RankArrays>>
  call(mlir::func::FuncOp function, llvm::ArrayRef<RankArrays> arguments);

private:
  mlir::FailureOr<llvm::SmallVector<RankArrays>>
  evaluateDecomposition(mlir::Operation *op,
                        llvm::ArrayRef<const RankArrays *> operands);
  RankArrays evaluateIota(mlir::Operation *op);
  mlir::FailureOr<RankArrays> evaluateReshard(mlir::Operation *op,
                                              const RankArrays &input);
  /// Gives each rank `combine(members, place)` of the members' inputs and its own
  /// place among them.
  RankArrays
  forGroups(mlir::Operation *op, const RankArrays &input,
            llvm::function_ref<Array(llvm::ArrayRef<const Array *>, int64_t)>
                combine);

  dist::MeshAttr mesh;
  Random *random;
  /// Compiled decompositions, by name, attributes and local types.
  std::map<std::vector<const void *>, std::unique_ptr<Program>> programs;
};

/// The evaluator of the global view.
Evaluator makeGlobalEvaluator(mlir::MLIRContext *context);

/// The results of a function in the global view.
mlir::FailureOr<llvm::SmallVector<Array>>
callGlobally(mlir::func::FuncOp function, llvm::ArrayRef<Array> arguments);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_EVALUATOR_H
