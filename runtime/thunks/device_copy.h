// Copies of tensors and of pieces of them within a rank's arena.
#ifndef MPC_RUNTIME_THUNKS_DEVICE_COPY_H_
#define MPC_RUNTIME_THUNKS_DEVICE_COPY_H_

#include "runtime/comm/tensor_pieces.h"
#include "runtime/device/device.h"

namespace mpc::runtime {

/// Copies a piece to all of a tensor, whose sizes are those of the piece.
void CopyOnDevice(Device& device, const Piece& source,
                  const Tensor& destination);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_DEVICE_COPY_H_
