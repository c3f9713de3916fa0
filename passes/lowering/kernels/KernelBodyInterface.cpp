// The dispatch of KernelBodyOpInterface.
#include "passes/lowering/kernels/KernelBodyInterface.h"

#include "passes/lowering/kernels/KernelBodyInterface.cpp.inc"
