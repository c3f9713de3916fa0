#include "runtime/comm/local/local_communicator.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "runtime/comm/combine.h"
#include "runtime/comm/reduce_pieces.h"
#include "runtime/comm/tensor_pieces.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Members' shares of an all-reduce begin at such multiples, so that no two
/// write to one cache line.
constexpr int64_t kShareAlignment = 64;

class LocalCommunicator : public Communicator {
 public:
  LocalCommunicator(std::shared_ptr<LocalHub> hub,
                    std::shared_ptr<LocalGroup> group, int index)
      : hub_(std::move(hub)), group_(std::move(group)), index_(index) {}

  int rank() const override { return index_; }
  int size() const override { return group_->size(); }
  absl::Status Start(uint32_t handle, const Collective& collective) override;
  absl::Status Wait(uint32_t handle) override;

 private:
  const Collective& CollectiveOf(int member) const {
    return group_->posted(member).collective();
  }
  Piece WholeSource(int member) const {
    return PieceOf(CollectiveOf(member).source, 0, 0, 1);
  }

  void Run(const Collective& collective);
  void AllReduce(const Collective& collective);
  void AllGather(const Collective& collective);
  void ReduceScatter(const Collective& collective);
  void AllToAll(const Collective& collective);

  // Keeps the group's failures, which it refers to.
  const std::shared_ptr<LocalHub> hub_;
  const std::shared_ptr<LocalGroup> group_;
  const int index_;
  std::vector<uint32_t> pending_;
};

void LocalCommunicator::AllReduce(const Collective& c) {
  // Each member combines a share for all: nobody else reads or writes it, hence
  // source and destination may be the same.
  std::vector<Piece> sources, destinations;
  for (int i = 0; i < size(); ++i) {
    sources.push_back(WholeSource(i));
    destinations.push_back(PieceOf(CollectiveOf(i).destination, 0, 0, 1));
  }
  const int64_t bytes = sources[0].bytes();
  const int64_t share = (bytes / size() + kShareAlignment - 1) /
                        kShareAlignment * kShareAlignment;
  const int64_t begin = std::min(bytes, share * index_);
  const int64_t end =
      index_ == size() - 1 ? bytes : std::min(bytes, begin + share);
  ReducePieces(sources, destinations, CombinerOf(c.source.type, c.reduction),
               begin, end);
}

void LocalCommunicator::AllGather(const Collective& c) {
  for (int i = 0; i < size(); ++i)
    CopyPiece(WholeSource(i),
              PieceOf(c.destination, c.destination_dimension, i, size()));
}

void LocalCommunicator::ReduceScatter(const Collective& c) {
  std::vector<Piece> sources;
  for (int i = 0; i < size(); ++i)
    sources.push_back(
        PieceOf(CollectiveOf(i).source, c.source_dimension, index_, size()));
  ReducePieces(sources, {PieceOf(c.destination, 0, 0, 1)},
               CombinerOf(c.source.type, c.reduction), 0, sources[0].bytes());
}

void LocalCommunicator::AllToAll(const Collective& c) {
  for (int i = 0; i < size(); ++i)
    CopyPiece(
        PieceOf(CollectiveOf(i).source, c.source_dimension, index_, size()),
        PieceOf(c.destination, c.destination_dimension, i, size()));
}

void LocalCommunicator::Run(const Collective& c) {
  switch (c.kind) {
    case plan::COLLECTIVE_KIND_ALL_REDUCE:
      return AllReduce(c);
    case plan::COLLECTIVE_KIND_ALL_GATHER:
      return AllGather(c);
    case plan::COLLECTIVE_KIND_REDUCE_SCATTER:
      return ReduceScatter(c);
    case plan::COLLECTIVE_KIND_ALL_TO_ALL:
      return AllToAll(c);
    default:
      return;
  }
}

absl::Status LocalCommunicator::Start(uint32_t handle,
                                      const Collective& collective) {
  if (std::find(pending_.begin(), pending_.end(), handle) != pending_.end())
    return absl::FailedPreconditionError(
        absl::StrFormat("collective %d is under way", handle));
  MPC_RETURN_IF_ERROR(group_->PostCollective(index_, collective));
  Run(collective);
  MPC_RETURN_IF_ERROR(group_->Meet(index_));
  pending_.push_back(handle);
  return absl::OkStatus();
}

absl::Status LocalCommunicator::Wait(uint32_t handle) {
  const auto place = std::find(pending_.begin(), pending_.end(), handle);
  if (place == pending_.end())
    return absl::FailedPreconditionError(
        absl::StrFormat("collective %d has not been started", handle));
  pending_.erase(place);
  return hub_->failed() ? hub_->failure() : absl::OkStatus();
}

}  // namespace

std::unique_ptr<Communicator> CreateLocalCommunicator(
    std::shared_ptr<LocalHub> hub, std::shared_ptr<LocalGroup> group,
    int index) {
  return std::make_unique<LocalCommunicator>(std::move(hub), std::move(group),
                                             index);
}

}  // namespace mpc::runtime
