// SendStartCommand and ReceiveStartCommand: begin a message of a channel.
#ifndef MPC_RUNTIME_THUNKS_MESSAGE_START_THUNK_H_
#define MPC_RUNTIME_THUNKS_MESSAGE_START_THUNK_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

class MessageStartThunk : public Thunk {
 public:
  static absl::StatusOr<std::unique_ptr<Thunk>> Create(
      const plan::Plan& plan, const plan::CommandList& list,
      const plan::Command& command);

  std::vector<BufferUse> buffer_uses() const override;
  absl::Status Execute(const ThunkContext& context) const override;

 private:
  using Thunk::Thunk;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_MESSAGE_START_THUNK_H_
