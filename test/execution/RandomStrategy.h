//===- RandomStrategy.h - shardings that nobody would choose ----*- C++ -*-===//

#ifndef MPC_TEST_EXECUTION_RANDOMSTRATEGY_H
#define MPC_TEST_EXECUTION_RANDOMSTRATEGY_H

#include "dialects/dist/IR/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "test/execution/Array.h"

namespace mpc::execution {

/// A mesh of 2 to 16 ranks with one to four axes.
dist::MeshAttr makeRandomMesh(mlir::MLIRContext *context, Random &random);

/// Gives each axis, in random order, to a dimension that it still divides, to the
/// partial axes if that is allowed, or to nothing.
dist::ShardingAttr makeRandomSharding(mlir::RankedTensorType type,
                                      dist::MeshAttr mesh, bool mayBePartial,
                                      Random &random);

/// Pins, at random, parameters, moments, accumulators, batch inputs and values of
/// a training step, some of them to partial sums. Sizes divide; nothing else is
/// seen to.
void pinAtRandom(mlir::ModuleOp step, dist::MeshAttr mesh, Random &random);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_RANDOMSTRATEGY_H
