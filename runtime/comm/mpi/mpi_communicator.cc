#include "runtime/comm/mpi/mpi_communicator.h"

#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(std::unique_ptr<MpiGroup> group, CompletedCounts* completed)
      : group_(std::move(group)), completed_(completed) {}
  ~MpiCommunicator() override {
    (*completed_)[group_->stream()] = group_->completed();
  }

  int rank() const override { return group_->index(); }
  int size() const override { return group_->size(); }
  absl::Status Start(uint32_t handle, const Collective& collective) override;
  absl::Status Wait(uint32_t handle) override;

 private:
  const std::unique_ptr<MpiGroup> group_;
  CompletedCounts* const completed_;
  /// By handle: how many operations of the group are complete when it is.
  std::map<uint32_t, uint64_t> pending_;
};

absl::Status MpiCommunicator::Start(uint32_t handle,
                                    const Collective& collective) {
  if (pending_.count(handle) > 0)
    return absl::FailedPreconditionError(
        absl::StrFormat("collective %d is under way", handle));
  MPC_ASSIGN_OR_RETURN(const uint64_t count, group_->Begin(collective));
  pending_[handle] = count;
  return absl::OkStatus();
}

absl::Status MpiCommunicator::Wait(uint32_t handle) {
  const auto found = pending_.find(handle);
  if (found == pending_.end())
    return absl::FailedPreconditionError(
        absl::StrFormat("collective %d has not been started", handle));
  const uint64_t count = found->second;
  pending_.erase(found);
  return group_->Await(count);
}

}  // namespace

std::unique_ptr<Communicator> CreateMpiCommunicator(
    std::unique_ptr<MpiGroup> group, CompletedCounts* completed) {
  return std::make_unique<MpiCommunicator>(std::move(group), completed);
}

}  // namespace mpc::runtime
