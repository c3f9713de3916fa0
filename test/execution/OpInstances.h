//===- OpInstances.h - an example of every op -------------------*- C++ -*-===//
//
// The ops that the proofs of rules and gradients build, with operands that are
// legal for them.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_OPINSTANCES_H
#define MPC_TEST_EXECUTION_OPINSTANCES_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/execution/Array.h"
#include <ostream>

namespace mpc::execution {

/// `types` and `attributes` as in the op's assembly; sizes divide by 6, so that a
/// dimension can be split over two axes of different sizes.
struct OpInstance {
  llvm::StringLiteral op;
  llvm::StringLiteral types;
  llvm::StringLiteral attributes;
};

llvm::ArrayRef<OpInstance> getOpInstances();

/// A context in which instances can be built, decomposed and evaluated.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// An instance in a function of its operands that returns its results.
class BuiltInstance {
public:
  BuiltInstance(mlir::MLIRContext *context, const OpInstance &instance);

  mlir::func::FuncOp getFunction() const;
  mlir::Operation *getOp() const;

  /// Random operands that are legal for the op.
  llvm::SmallVector<Array> makeOperands(Random &random) const;

  bool isFloat(unsigned operand) const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Names the op and its types, for messages.
std::string describe(const OpInstance &instance);
/// The same, as GoogleTest asks for it.
void PrintTo(const OpInstance &instance, std::ostream *os);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_OPINSTANCES_H
