// Attention without a stored score matrix, and its gradient, on the threads of a
// rank (Dao et al., FlashAttention, 2022).
#ifndef MPC_RUNTIME_DEVICE_CPU_ATTENTION_H_
#define MPC_RUNTIME_DEVICE_CPU_ATTENTION_H_

#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// See Device::Attention. The sum over keys runs in tiles of kTileKeys, in
/// ascending order, whatever the number of threads.
void Attention(const AttentionArguments& arguments, ThreadPool& pool);

/// See Device::AttentionGrad. One thread computes all of a key-value head of a
/// sample.
void AttentionGrad(const AttentionGradArguments& arguments, ThreadPool& pool);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_ATTENTION_H_
