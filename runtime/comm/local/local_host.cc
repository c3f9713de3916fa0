#include "runtime/comm/local/local_host.h"

#include <vector>

#include "runtime/comm/check_world.h"
#include "runtime/comm/local/local_world.h"

namespace mpc::runtime {
namespace {

class LocalHost : public RankHost {
 public:
  int processes() const override { return 1; }
  int process() const override { return 0; }
  std::vector<int> RanksOfThisProcess(int ranks) const override {
    return AllRanks(ranks);
  }
  std::vector<int> RanksOfThisMachine(int ranks) const override {
    return RanksOfThisProcess(ranks);
  }
  absl::StatusOr<std::vector<std::unique_ptr<World>>> CreateWorlds(
      int ranks) override {
    return CreateLocalWorlds(ranks);
  }
  bool speaks() const override { return true; }
  void Fail(const absl::Status& status) override {}
  absl::Status Finish() override { return absl::OkStatus(); }
};

}  // namespace

absl::StatusOr<std::unique_ptr<RankHost>> CreateLocalHost(
    const RankHostOptions& options) {
  return std::make_unique<LocalHost>();
}

}  // namespace mpc::runtime
