// Constants in tensors of a rank's arena.
#ifndef MPC_RUNTIME_THUNKS_DEVICE_FILL_H_
#define MPC_RUNTIME_THUNKS_DEVICE_FILL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/device.h"

namespace mpc::runtime {

/// The bits of an element of `type` that holds `value`, those of a narrow float in
/// the lower half. An i32 takes integers of −2³¹ … 2³²−1, modulo 2³².
absl::StatusOr<uint32_t> FillBits(double value, plan::DataType type);

/// Sets all elements of a tensor to `bits`, of FillBits for its type.
void FillOnDevice(Device& device, const Tensor& destination, uint32_t bits);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_DEVICE_FILL_H_
