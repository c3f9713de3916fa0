#ifndef MPC_RUNTIME_DEVICE_CPU_BLAS_H_
#define MPC_RUNTIME_DEVICE_CPU_BLAS_H_

namespace mpc::runtime {

/// Tells the BLAS to compute in the thread that calls it. Every function that
/// calls the BLAS does this first; all calls but the first cost nothing.
/// Thread-safe.
void UseBlasInCallingThread();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_BLAS_H_
