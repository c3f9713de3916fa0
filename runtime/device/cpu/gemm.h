// Matrix products on the threads of a rank.
#ifndef MPC_RUNTIME_DEVICE_CPU_GEMM_H_
#define MPC_RUNTIME_DEVICE_CPU_GEMM_H_

#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// See Device::Gemm. The destination is cut into one block a thread, along its
/// rows or its columns, never along `inner`: an element is one thread's sum. Of a
/// batch with a product for every thread each has whole ones.
void Gemm(const GemmArguments& arguments, ThreadPool& pool);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_GEMM_H_
