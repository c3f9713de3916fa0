// CollectiveWaitCommand: ends what CollectiveStartThunk began.
#ifndef MPC_RUNTIME_THUNKS_COLLECTIVE_WAIT_THUNK_H_
#define MPC_RUNTIME_THUNKS_COLLECTIVE_WAIT_THUNK_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

class CollectiveWaitThunk : public Thunk {
 public:
  static absl::StatusOr<std::unique_ptr<Thunk>> Create(
      const plan::Plan& plan, const plan::CommandList& list,
      const plan::Command& command);

  std::vector<BufferUse> buffer_uses() const override;
  absl::Status Execute(const ThunkContext& context) const override;

 private:
  CollectiveWaitThunk(const plan::Command& command,
                      const plan::CollectiveStartCommand& start)
      : Thunk(command), start_(start) {}

  /// Owned by the plan.
  const plan::CollectiveStartCommand& start_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_COLLECTIVE_WAIT_THUNK_H_
