#include "runtime/comm/mpi/mpi_host.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/mpi/mpi_process.h"
#include "runtime/comm/mpi/mpi_world.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

class MpiHost : public RankHost {
 public:
  explicit MpiHost(std::unique_ptr<MpiProcess> process)
      : process_(std::move(process)) {}

  int processes() const override { return process_->size(); }
  int process() const override { return process_->rank(); }
  std::vector<int> RanksOfThisProcess(int ranks) const override {
    return {process_->rank()};
  }
  std::vector<int> RanksOfThisMachine(int ranks) const override {
    return process_->ranks_of_this_machine();
  }
  absl::StatusOr<std::vector<std::unique_ptr<World>>> CreateWorlds(
      int ranks) override {
    if (ranks != processes())
      return absl::InvalidArgumentError(
          absl::StrCat("the plan has ", ranks, ranks == 1 ? " rank" : " ranks",
                       ", mpirun has started ", processes(),
                       processes() == 1 ? " process" : " processes",
                       "; expected mpirun -n ", ranks));
    std::vector<std::unique_ptr<World>> worlds;
    worlds.push_back(
        CreateMpiWorld(process_.get(), process_->NewWorld(), ranks));
    return worlds;
  }
  bool speaks() const override { return process_->watch().speaks(); }
  void Fail(const absl::Status& status) override {
    process_->watch().FailEverywhere(status);
  }
  absl::Status Finish() override { return process_->Finish(); }

 private:
  const std::unique_ptr<MpiProcess> process_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RankHost>> CreateMpiHost(
    const RankHostOptions& options) {
  MPC_ASSIGN_OR_RETURN(auto process,
                       MpiProcess::Start(Watch::Seconds(options.stall_timeout),
                                         options.end_process));
  return std::make_unique<MpiHost>(std::move(process));
}

}  // namespace mpc::runtime
