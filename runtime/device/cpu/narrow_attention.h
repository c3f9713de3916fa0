// Attention on bf16 and f16, and its gradient.
#ifndef MPC_RUNTIME_DEVICE_CPU_NARROW_ATTENTION_H_
#define MPC_RUNTIME_DEVICE_CPU_NARROW_ATTENTION_H_

#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// See Device::Attention and Device::AttentionGrad: operands are widened into the
/// workspace, computed in f32, and what comes out is rounded.
void NarrowAttention(const AttentionArguments& arguments, ThreadPool& pool);
void NarrowAttentionGrad(const AttentionGradArguments& arguments,
                         ThreadPool& pool);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_NARROW_ATTENTION_H_
