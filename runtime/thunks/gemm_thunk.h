// GemmCommand: a matrix product.
#ifndef MPC_RUNTIME_THUNKS_GEMM_THUNK_H_
#define MPC_RUNTIME_THUNKS_GEMM_THUNK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

class GemmThunk : public Thunk {
 public:
  static absl::StatusOr<std::unique_ptr<Thunk>> Create(
      const plan::Plan& plan, const plan::CommandList& list,
      const plan::Command& command);

  std::vector<BufferUse> buffer_uses() const override;
  absl::Status Execute(const ThunkContext& context) const override;

 private:
  GemmThunk(const plan::Command& command, int64_t left_stride,
            int64_t right_stride, int64_t destination_stride);

  const int64_t left_stride_, right_stride_, destination_stride_;
  std::vector<GemmBatch> batch_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_GEMM_THUNK_H_
