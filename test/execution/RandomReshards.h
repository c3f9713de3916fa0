//===- RandomReshards.h - reshards that nobody would write ------*- C++ -*-===//

#ifndef MPC_TEST_EXECUTION_RANDOMRESHARDS_H
#define MPC_TEST_EXECUTION_RANDOMRESHARDS_H

#include "mlir/IR/BuiltinOps.h"
#include "test/execution/Array.h"

namespace mpc::execution {

/// Adds, at random, what a careless pass could leave in a sharded module, and does
/// not change what it computes: reshards made twice, operands that come by way of
/// another sharding, pointwise ops in a sharding that nobody wants.
void detourAtRandom(mlir::ModuleOp module, Random &random);

/// The bits that a rank sends for all reshards of a module.
int64_t getBitsSent(mlir::ModuleOp module);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_RANDOMRESHARDS_H
