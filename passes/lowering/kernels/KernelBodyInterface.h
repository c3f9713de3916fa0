// C++ of KernelBodyInterface.td.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE_H
#define MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "passes/lowering/kernels/KernelBodyInterface.h.inc"

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELBODYINTERFACE_H
