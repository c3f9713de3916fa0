// SendWaitCommand and ReceiveWaitCommand: end what MessageStartThunk began.
#ifndef MPC_RUNTIME_THUNKS_MESSAGE_WAIT_THUNK_H_
#define MPC_RUNTIME_THUNKS_MESSAGE_WAIT_THUNK_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

class MessageWaitThunk : public Thunk {
 public:
  static absl::StatusOr<std::unique_ptr<Thunk>> Create(
      const plan::Plan& plan, const plan::CommandList& list,
      const plan::Command& command);

  /// None: the start may be in another list and another slot, so only the
  /// schedule knows the message.
  std::vector<BufferUse> buffer_uses() const override { return {}; }
  absl::Status Execute(const ThunkContext& context) const override;

 private:
  using Thunk::Thunk;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_MESSAGE_WAIT_THUNK_H_
