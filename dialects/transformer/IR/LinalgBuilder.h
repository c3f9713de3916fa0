//===- LinalgBuilder.h - linalg ops from index notation --------*- C++ -*-===//
//
// Builds the linalg ops of a decomposition from the dimensions of their
// operands.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_TRANSFORMER_IR_LINALGBUILDER_H
#define MPC_DIALECTS_TRANSFORMER_IR_LINALGBUILDER_H

#include "dialects/transformer/IR/ScalarMath.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mpc::tfm {

/// The loops that index a tensor's dimensions, by number.
using Dims = llvm::SmallVector<unsigned>;

/// first, first + 1, ..., last - 1.
Dims dimsBetween(unsigned first, unsigned last);

/// Builds ops on tensors. Loops are numbered; in the short forms they are
/// single letters, as in "bsh, h -> bsh": those of the result first, then the
/// others in the order of the operands. A loop that the result lacks is a
/// reduction. Bodies compute in f32 where tensors have a narrower float type, and
/// so do reductions: what they give is rounded once.
class LinalgBuilder {
public:
  using Body = llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)>;
  using BodyOfMany =
      llvm::function_ref<llvm::SmallVector<Scalar>(llvm::ArrayRef<Scalar>)>;
  /// Joins an element with what earlier elements gave.
  using Join = Scalar (*)(Scalar, Scalar);

  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(loc, builder) {}

  /// result[...] = body(operands[...]).
  mlir::Value map(llvm::StringRef notation, mlir::ValueRange operands,
                  mlir::Type resultType, Body body);
  mlir::Value map(llvm::ArrayRef<Dims> dims, mlir::ValueRange operands,
                  mlir::Type resultType, Body body);
  /// Of several results, each with all the loops in order.
  llvm::SmallVector<mlir::Value> mapMany(llvm::ArrayRef<Dims> dims,
                                         mlir::ValueRange operands,
                                         mlir::TypeRange resultTypes,
                                         BodyOfMany body);

  /// result[...] = body(operands[...]) summed over the loops that it lacks.
  mlir::Value sum(llvm::StringRef notation, mlir::ValueRange operands,
                  mlir::Type resultType, Body body);
  mlir::Value sum(llvm::ArrayRef<Dims> dims, mlir::ValueRange operands,
                  mlir::Type resultType, Body body);
  /// The largest instead of the sum; -inf of nothing.
  mlir::Value largest(llvm::StringRef notation, mlir::ValueRange operands,
                      mlir::Type resultType, Body body);

  /// In a body: the current iteration of a loop, as an index.
  Scalar loopIndex(unsigned loop);
  /// In a body: the element of `tensor` at `indices`.
  Scalar extract(mlir::Value tensor, llvm::ArrayRef<Scalar> indices);
  /// In a body: constants, an index and an f32.
  Scalar index(int64_t value);
  Scalar number(double value);

  mlir::ImplicitLocOpBuilder &builder() { return b; }

private:
  mlir::Value reduce(llvm::ArrayRef<Dims> dims, mlir::ValueRange operands,
                     mlir::Type resultType, double start, Join join, Body body);
  llvm::SmallVector<mlir::Value>
  generic(llvm::ArrayRef<Dims> dims, mlir::ValueRange operands,
          mlir::ValueRange inits,
          llvm::function_ref<llvm::SmallVector<Scalar>(llvm::ArrayRef<Scalar>,
                                                       llvm::ArrayRef<Scalar>)>
              body);

  mlir::ImplicitLocOpBuilder b;
};

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_LINALGBUILDER_H
