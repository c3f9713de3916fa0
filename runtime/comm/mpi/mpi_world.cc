#include "runtime/comm/mpi/mpi_world.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/check_world.h"
#include "runtime/comm/mpi/engine.h"
#include "runtime/comm/mpi/mpi_channel.h"
#include "runtime/comm/mpi/mpi_communicator.h"
#include "runtime/comm/mpi/mpi_group.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Streams: that of all ranks, then groups by their split, then channels by
/// their number.
constexpr uint32_t kFirstChannel = Engine::kStreams / 2;

class MpiWorld : public World {
 public:
  MpiWorld(MpiProcess* process, int number, int size)
      : size_(size),
        engine_(process, number),
        everyone_(&engine_, AllRanks(size), process->rank(), 0) {}
  ~MpiWorld() override;

  int rank() const override { return engine_.rank(); }
  int size() const override { return size_; }

  absl::StatusOr<std::unique_ptr<Communicator>> Split(
      absl::Span<const int> members) override;
  absl::StatusOr<std::unique_ptr<ChannelEnd>> OpenChannel(
      const ChannelId& id) override;
  absl::Status Barrier() override;
  absl::StatusOr<std::string> Broadcast(absl::string_view bytes,
                                        int root) override;
  absl::StatusOr<std::vector<std::string>> Gather(absl::string_view bytes,
                                                  int root) override;
  void Abort(const absl::Status& status) override {
    engine_.watch().Fail(engine_.world(), rank(), status);
  }

 private:
  absl::Status Run(Posted::Kind kind, absl::string_view bytes, int root);

  const int size_;
  Engine engine_;
  MpiGroup everyone_;
  /// How much the groups and channels completed which have gone already.
  CompletedCounts completed_;
  uint32_t splits_ = 0;
};

MpiWorld::~MpiWorld() {
  completed_[0] = everyone_.completed();
  engine_.watch().Leave(engine_.world(), completed_);
}

absl::StatusOr<std::unique_ptr<Communicator>> MpiWorld::Split(
    absl::Span<const int> members) {
  MPC_ASSIGN_OR_RETURN(const int index, IndexInGroup(members, *this));
  if (++splits_ >= kFirstChannel)
    return absl::ResourceExhaustedError("a world has at most 8191 groups");
  return CreateMpiCommunicator(
      std::make_unique<MpiGroup>(
          &engine_, std::vector<int>(members.begin(), members.end()), index,
          splits_),
      &completed_);
}

absl::StatusOr<std::unique_ptr<ChannelEnd>> MpiWorld::OpenChannel(
    const ChannelId& id) {
  MPC_RETURN_IF_ERROR(CheckChannel(id, *this));
  if (id.number < 0 || id.number >= static_cast<int>(kFirstChannel))
    return absl::ResourceExhaustedError("a world has at most 8192 channels");
  return CreateMpiChannelEnd(&engine_, id, kFirstChannel + id.number,
                             &completed_);
}

absl::Status MpiWorld::Run(Posted::Kind kind, absl::string_view bytes,
                           int root) {
  MPC_ASSIGN_OR_RETURN(const uint64_t count,
                       everyone_.Begin(kind, bytes, root));
  return everyone_.Await(count);
}

absl::Status MpiWorld::Barrier() { return Run(Posted::Kind::kBarrier, "", 0); }

absl::StatusOr<std::string> MpiWorld::Broadcast(absl::string_view bytes,
                                                int root) {
  MPC_RETURN_IF_ERROR(CheckRoot(root, *this));
  MPC_RETURN_IF_ERROR(
      Run(Posted::Kind::kBroadcast, rank() == root ? bytes : "", root));
  return std::move(everyone_.received()[root]);
}

absl::StatusOr<std::vector<std::string>> MpiWorld::Gather(
    absl::string_view bytes, int root) {
  MPC_RETURN_IF_ERROR(CheckRoot(root, *this));
  MPC_RETURN_IF_ERROR(Run(Posted::Kind::kGather, bytes, root));
  if (rank() != root) return std::vector<std::string>();
  std::vector<std::string> result(size_);
  result.swap(everyone_.received());
  return result;
}

}  // namespace

std::unique_ptr<World> CreateMpiWorld(MpiProcess* process, int number,
                                      int size) {
  return std::make_unique<MpiWorld>(process, number, size);
}

}  // namespace mpc::runtime
