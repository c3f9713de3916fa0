// Matrix products of bf16 and f16 on the threads of a rank.
#ifndef MPC_RUNTIME_DEVICE_CPU_NARROW_GEMM_H_
#define MPC_RUNTIME_DEVICE_CPU_NARROW_GEMM_H_

#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// See Device::Gemm; the factors are narrow floats. Blocks are widened and
/// multiplied in f32, in ascending order along `inner`; a narrow destination is
/// rounded once. The same bits for any number of threads. Each thread keeps 0.7 MB
/// to widen into, beside the arena, as BLAS libraries do.
void NarrowGemm(const GemmArguments& arguments, ThreadPool& pool);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_NARROW_GEMM_H_
