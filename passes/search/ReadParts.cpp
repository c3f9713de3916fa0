//===- ReadParts.cpp - parts of a model from their commands -----*- C++ -*-===//

#include "passes/search/ReadParts.h"
#include "dialects/exec/IR/Exec.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace mpc::search {
namespace {

Phase getPhase(exec::ListPhase phase) {
  switch (phase) {
  case exec::ListPhase::Prologue:
    return Phase::kPrologue;
  case exec::ListPhase::Forward:
  case exec::ListPhase::ForwardBackward:
    return Phase::kForward;
  case exec::ListPhase::Backward:
    return Phase::kBackward;
  case exec::ListPhase::Weight:
    return Phase::kWeight;
  case exec::ListPhase::Update:
  case exec::ListPhase::Transfer:
    break;
  }
  return Phase::kUpdate;
}

cluster::CollectiveKind getKind(exec::CollectiveKind kind) {
  switch (kind) {
  case exec::CollectiveKind::AllReduce:
    return cluster::CollectiveKind::kAllReduce;
  case exec::CollectiveKind::AllGather:
    return cluster::CollectiveKind::kAllGather;
  case exec::CollectiveKind::ReduceScatter:
    return cluster::CollectiveKind::kReduceScatter;
  case exec::CollectiveKind::AllToAll:
    break;
  }
  return cluster::CollectiveKind::kAllToAll;
}

/// How well a variant stands for the microbatches of a step.
int getRank(exec::Variant variant) {
  switch (variant) {
  case exec::Variant::Middle:
    return 3;
  case exec::Variant::Last:
    return 2;
  case exec::Variant::Only:
    return 1;
  case exec::Variant::First:
    break;
  }
  return 0;
}

int64_t getBytes(exec::SliceAttr slice) {
  return exec::getByteSize(slice.getType());
}

Command readStart(exec::StartOp start) {
  Command command;
  command.kind = Command::Kind::kStart;
  command.handle = start.getHandle();
  command.transfer.kind = getKind(start.getKind());
  command.transfer.bytes =
      std::max(getBytes(start.getSource()), getBytes(start.getDestination()));
  command.isOverData = llvm::any_of(
      start.getAxes().getNames(),
      [](StringAttr axis) { return axis.getValue() == "dp"; });
  return command;
}

Commands readList(exec::ListOp list) {
  Commands commands;
  for (Operation &op : list.getBody().front()) {
    Command command;
    if (auto computing = dyn_cast<CostOpInterface>(op)) {
      command.work = computing.getWork();
    } else if (auto start = dyn_cast<exec::StartOp>(op)) {
      // Scalars over the stages are of the representative's own making.
      if (llvm::any_of(start.getAxes().getNames(), [](StringAttr axis) {
            return axis.getValue() == "pp";
          }))
        continue;
      command = readStart(start);
    } else if (auto wait = dyn_cast<exec::WaitOp>(op)) {
      command.kind = Command::Kind::kWait;
      command.handle = wait.getHandle();
    } else {
      continue;
    }
    commands.push_back(command);
  }
  return commands;
}

class PartReader {
public:
  explicit PartReader(exec::RoleOp role) : role(role) {}

  Part read() {
    readLists();
    readMemory();
    return std::move(part);
  }

private:
  void readLists() {
    std::array<int, kPhases> ranks;
    ranks.fill(-1);
    for (auto list : role.getOps<exec::ListOp>()) {
      if (list.getPhase() == exec::ListPhase::Transfer)
        continue;
      Commands commands = readList(list);
      Phase phase = getPhase(list.getPhase());
      bool isBackward = phase == Phase::kBackward || phase == Phase::kWeight;
      for (const Command &command : commands)
        if (command.kind == Command::Kind::kStart && command.isOverData &&
            phase != Phase::kUpdate)
          (isBackward ? part.reductions : part.gathers).push_back(command);
      int rank = getRank(list.getVariant());
      if (rank <= ranks[int(phase)])
        continue;
      ranks[int(phase)] = rank;
      part.lists[int(phase)] = std::move(commands);
    }
  }

  void readMemory() {
    Memory &memory = part.memory;
    memory.slot = role.getSlotBytes();
    memory.transient = role.getTransientBytes();
    for (auto state : role.getOps<exec::StateOp>()) {
      int64_t bytes = getBytes(state.getSlice());
      bool isNeighbour = state.getName().starts_with("activation") ||
                         state.getName().starts_with("cotangent");
      if (state.getKind() == exec::StateKind::Outgoing &&
          state.getName().starts_with("activation"))
        part.activationBytes += bytes;
      if (state.getSlice().getRegion() != exec::Region::Persistent)
        continue;
      if (state.getKind() == exec::StateKind::Batch)
        memory.batch += bytes;
      else if (isNeighbour)
        memory.channels += bytes;
    }
    memory.states =
        role.getPersistentBytes() - memory.batch - memory.channels;
  }

  exec::RoleOp role;
  Part part;
};

/// What both ends hold of one parameter, of which a stage that is both needs one:
/// copies, and messages between them.
void readTied(exec::RoleOp first, exec::RoleOp last, Parts &parts) {
  llvm::StringSet<> names;
  for (auto state : first.getOps<exec::StateOp>()) {
    if (state.getKind() == exec::StateKind::Master)
      names.insert(state.getName());
    if (state.getKind() == exec::StateKind::Incoming &&
        state.getName().starts_with("gradients")) {
      parts.tiedBytes += getBytes(state.getSlice());
      parts.last.memory.tied += getBytes(state.getSlice());
    }
  }
  for (auto state : last.getOps<exec::StateOp>())
    if (names.contains(state.getName()))
      parts.last.memory.tied += getBytes(state.getSlice());
}

} // namespace

void readParts(ModuleOp module, ArrayRef<Recompute> modes, Parts &parts) {
  SmallVector<exec::RoleOp> roles(module.getOps<exec::RoleOp>());
  parts.tiedBytes = 0;
  parts.first = PartReader(roles.front()).read();
  parts.last = PartReader(roles.back()).read();
  for (auto [index, mode] : llvm::enumerate(modes))
    parts.layer[int(mode)] = PartReader(roles[index + 1]).read();
  readTied(roles.front(), roles.back(), parts);
}

} // namespace mpc::search
