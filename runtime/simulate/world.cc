// Ranks are devices of the same number.
#include "runtime/simulate/world.h"

#include <algorithm>

#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

bool SpansStages(const plan::Mesh& mesh, const plan::Group& group) {
  return std::any_of(
      group.axes().begin(), group.axes().end(),
      [&](uint32_t axis) { return mesh.axes(axis).name() == kPipelineAxis; });
}

}  // namespace

SimulatedWorld::SimulatedWorld(const plan::Plan& plan,
                               const cluster::Pricing& pricing, bool fold)
    : plan_(plan), pricing_(pricing), fold_(fold) {
  const int64_t ranks = fold ? StageCount(plan.mesh()) : RankCount(plan.mesh());
  for (int64_t rank = 0; rank < ranks; ++rank)
    stages_.push_back(fold ? rank : StageOfRank(plan, rank));
  std::vector<int> all_stages(stages_);
  for (const plan::Group& group : plan.groups()) {
    auto& members = members_.emplace_back();
    const bool spans = SpansStages(plan.mesh(), group);
    for (int64_t rank = 0; rank < ranks; ++rank)
      members.push_back(!fold   ? GroupMembers(plan.mesh(), group, rank)
                        : spans ? all_stages
                                : std::vector<int>{static_cast<int>(rank)});
  }
}

int SimulatedWorld::PeerOf(const plan::Channel& channel, int rank) const {
  const int stage = stages_[rank] == static_cast<int>(channel.source_stage())
                        ? channel.destination_stage()
                        : channel.source_stage();
  return fold_ ? stage : RankOfStage(plan_.mesh(), rank, stage);
}

cluster::TransferParts SimulatedWorld::MessageParts(
    const plan::Channel& channel, int rank, int64_t bytes) const {
  if (!fold_)
    return pricing_.MessageParts(
        bytes, rank,
        RankOfStage(plan_.mesh(), rank, channel.destination_stage()));
  // The stage's ranks are equal but for where nodes end between them.
  const int64_t ranks = RankCount(plan_.mesh());
  cluster::TransferParts slowest;
  for (int64_t other = 0; other < ranks; ++other) {
    if (StageOfRank(plan_, other) != stages_[rank]) continue;
    cluster::TransferParts parts = pricing_.MessageParts(
        bytes, other,
        RankOfStage(plan_.mesh(), other, channel.destination_stage()));
    if (parts.total() > slowest.total()) slowest = std::move(parts);
  }
  return slowest;
}

}  // namespace mpc::runtime
