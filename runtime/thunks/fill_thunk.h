// FillCommand: a constant in every element.
#ifndef MPC_RUNTIME_THUNKS_FILL_THUNK_H_
#define MPC_RUNTIME_THUNKS_FILL_THUNK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

class FillThunk : public Thunk {
 public:
  static absl::StatusOr<std::unique_ptr<Thunk>> Create(
      const plan::Plan& plan, const plan::CommandList& list,
      const plan::Command& command);

  std::vector<BufferUse> buffer_uses() const override;
  absl::Status Execute(const ThunkContext& context) const override;

 private:
  FillThunk(const plan::Command& command, uint32_t bits)
      : Thunk(command), bits_(bits) {}

  const uint32_t bits_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_FILL_THUNK_H_
