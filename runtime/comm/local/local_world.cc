#include "runtime/comm/local/local_world.h"

#include "runtime/comm/check_world.h"
#include "runtime/comm/local/hub.h"
#include "runtime/comm/local/local_channel.h"
#include "runtime/comm/local/local_communicator.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

class LocalWorld : public World {
 public:
  LocalWorld(std::shared_ptr<LocalHub> hub, int rank)
      : hub_(std::move(hub)), rank_(rank) {}
  ~LocalWorld() override { hub_->Leave(rank_); }

  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }

  absl::StatusOr<std::unique_ptr<Communicator>> Split(
      absl::Span<const int> members) override;
  absl::StatusOr<std::unique_ptr<ChannelEnd>> OpenChannel(
      const ChannelId& id) override;
  absl::Status Barrier() override;
  absl::StatusOr<std::string> Broadcast(absl::string_view bytes,
                                        int root) override;
  absl::StatusOr<std::vector<std::string>> Gather(absl::string_view bytes,
                                                  int root) override;
  void Abort(const absl::Status& status) override { hub_->Fail(rank_, status); }

 private:
  const std::shared_ptr<LocalHub> hub_;
  const int rank_;
  int splits_ = 0;
};

absl::StatusOr<std::unique_ptr<Communicator>> LocalWorld::Split(
    absl::Span<const int> members) {
  MPC_ASSIGN_OR_RETURN(const int index, IndexInGroup(members, *this));
  return CreateLocalCommunicator(hub_, hub_->FindGroup(splits_++, members),
                                 index);
}

absl::StatusOr<std::unique_ptr<ChannelEnd>> LocalWorld::OpenChannel(
    const ChannelId& id) {
  MPC_RETURN_IF_ERROR(CheckChannel(id, *this));
  return CreateLocalChannelEnd(
      hub_, hub_->FindChannel(id),
      rank_ == id.source ? ChannelSide::kSource : ChannelSide::kDestination);
}

absl::Status LocalWorld::Barrier() {
  MPC_RETURN_IF_ERROR(
      hub_->everyone().PostOther(rank_, Posted::Kind::kBarrier, "", 0));
  return hub_->everyone().Meet(rank_);
}

absl::StatusOr<std::string> LocalWorld::Broadcast(absl::string_view bytes,
                                                  int root) {
  MPC_RETURN_IF_ERROR(CheckRoot(root, *this));
  MPC_RETURN_IF_ERROR(hub_->everyone().PostOther(
      rank_, Posted::Kind::kBroadcast, rank_ == root ? bytes : "", root));
  std::string result = hub_->everyone().posted(root).bytes();
  MPC_RETURN_IF_ERROR(hub_->everyone().Meet(rank_));
  return result;
}

absl::StatusOr<std::vector<std::string>> LocalWorld::Gather(
    absl::string_view bytes, int root) {
  MPC_RETURN_IF_ERROR(CheckRoot(root, *this));
  MPC_RETURN_IF_ERROR(
      hub_->everyone().PostOther(rank_, Posted::Kind::kGather, bytes, root));
  std::vector<std::string> result;
  if (rank_ == root)
    for (int i = 0; i < size(); ++i)
      result.push_back(hub_->everyone().posted(i).bytes());
  MPC_RETURN_IF_ERROR(hub_->everyone().Meet(rank_));
  return result;
}

}  // namespace

std::vector<std::unique_ptr<World>> CreateLocalWorlds(int size) {
  auto hub = std::make_shared<LocalHub>(size);
  std::vector<std::unique_ptr<World>> worlds;
  for (int rank = 0; rank < size; ++rank)
    worlds.push_back(std::make_unique<LocalWorld>(hub, rank));
  return worlds;
}

}  // namespace mpc::runtime
