//===- ExecStructure.cpp - verifiers of roles, state, lists -----*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace mpc::exec {

LogicalResult KernelOp::verify() {
  int64_t extent = getExtent();
  if (extent < 1) // C1
    return emitOpError("has extent ") << extent << ", expected at least 1";
  return success();
}

LogicalResult ChannelOp::verify() {
  int64_t source = getSourceStage(), destination = getDestinationStage();
  if (source < 0 || destination < 0 || source == destination) // C1
    return emitOpError("goes from stage ")
           << source << " to " << destination << ", expected two stages";
  return success();
}

// ------------------------------------------------------------------ role

/// The bytes of each region of a role.
static int64_t getRegionBytes(RoleOp role, Region region) {
  switch (region) {
  case Region::Persistent:
    return role.getPersistentBytes();
  case Region::Slot:
    return role.getSlots() == 0 ? 0 : role.getSlotBytes();
  case Region::Transient:
    return role.getTransientBytes();
  }
  llvm_unreachable("region of another version");
}

/// Every slice among the attributes of `op` lies in its region. [C2]
static LogicalResult verifySlices(RoleOp role, Operation *op) {
  LogicalResult result = success();
  for (NamedAttribute attribute : op->getAttrDictionary())
    attribute.getValue().walk([&](SliceAttr slice) {
      int64_t bytes = getRegionBytes(role, slice.getRegion());
      if (slice.getOffset() + slice.getSpanBytes() <= bytes)
        return WalkResult::advance();
      InFlightDiagnostic diagnostic = op->emitOpError("has slice ")
                                      << slice << ", which ends behind the "
                                      << bytes << " bytes of its region";
      diagnostic.attachNote(role.getLoc()) << "in this role";
      result = failure();
      return WalkResult::interrupt();
    });
  return result;
}

LogicalResult RoleOp::verifyRegions() {
  const uint64_t sizes[] = {getPersistentBytes(), getSlotBytes(), getSlots(),
                            getTransientBytes()};
  for (int64_t size : sizes)
    if (size < 0) // C1
      return emitOpError("has size ") << size << ", expected at least 0";
  llvm::DenseSet<std::pair<int, StringAttr>> states;
  int64_t runs = 0;
  for (Operation &op : getBody().front()) {
    if (auto list = dyn_cast<ListOp>(op)) {
      for (Operation &command : list.getBody().front())
        if (failed(verifySlices(*this, &command)))
          return failure();
    } else if (auto state = dyn_cast<StateOp>(op)) {
      if (failed(verifySlices(*this, state)))
        return failure();
      if (!states.insert({(int)state.getKind(), state.getNameAttr()}).second)
        return state.emitOpError("is a second ")
               << stringifyStateKind(state.getKind()) << " "
               << state.getNameAttr(); // C3
    } else if (auto run = dyn_cast<RunOp>(op)) {
      ++runs;
      if (run.getSlot() > 0 && run.getSlot() >= getSlots()) // C6
        return run.emitOpError("uses slot ")
               << run.getSlot() << ", there are " << getSlots();
    }
  }
  for (auto observe : getOps<ObserveOp>()) {
    if (!states.contains({(int)observe.getKind(), observe.getStateAttr()}))
      return observe.emitOpError("observes ") // C4
             << stringifyStateKind(observe.getKind()) << " "
             << observe.getStateAttr() << ", which the role does not have";
    int64_t entry = observe.getEntry();
    if (entry < 0 || entry >= runs) // C5
      return observe.emitOpError("is final after entry ")
             << entry << " of the schedule, which has " << runs;
  }
  return success();
}

LogicalResult StateOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type)
    return emitOpError("has type ") << getType() << ", expected a tensor";
  if (getSlice().getType() != dist::getLocalType(type)) // C1
    return emitOpError("lies at ")
           << getSlice() << ", expected a " << dist::getLocalType(type);
  bool isBatch = getKind() == StateKind::Batch;
  bool isStash = getKind() == StateKind::Stash;
  bool mayBeInSlot =
      isBatch || isStash || getKind() == StateKind::Incoming;
  Region region = getSlice().getRegion();
  if (getSlice().getRowStride() != 0 || region == Region::Transient ||
      (region == Region::Slot ? !mayBeInSlot : isStash)) // C2
    return emitOpError("lies at ")
           << getSlice() << ", expected a dense "
           << (isStash       ? "slice of the slot"
               : mayBeInSlot ? "persistent slice or one of the slot"
                             : "persistent slice");
  if ((int64_t)getLogical().size() != type.getRank()) // C3
    return emitOpError("has ")
           << getLogical().size() << " logical sizes, its type is " << type;
  for (auto [logical, size] : llvm::zip_equal(getLogical(), type.getShape()))
    if (logical < 1 || logical > size) // C3
      return emitOpError("has logical size ")
             << logical << ", expected 1 to " << size;
  if (isBatch != getBatchInput().has_value()) // C4
    return emitOpError(isBatch ? "is a batch input that is not loaded"
                               : "is loaded, expected a batch input");
  return success();
}

// -------------------------------------------------------- lists, schedule

LogicalResult ListOp::verifyRegions() {
  llvm::DenseMap<int64_t, StartOp> pending;
  for (Operation &op : getBody().front()) {
    if (!isa<GemmOp, AttentionOp, AttentionGradOp, LaunchOp, StartOp, WaitOp,
             ShardOp, KeepOnFirstOp, CopyOp, FillOp, SendStartOp, SendWaitOp,
             ReceiveStartOp, ReceiveWaitOp>(op)) // C1
      return op.emitOpError("is not a command");
    if (auto start = dyn_cast<StartOp>(op)) {
      if (!pending.try_emplace(start.getHandle(), start).second) // C2
        return start.emitOpError("uses handle ")
               << start.getHandle() << ", which is under way";
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      if (!pending.erase(wait.getHandle())) // C2
        return wait.emitOpError("waits for handle ")
               << wait.getHandle() << ", which is not under way";
    }
  }
  for (auto [handle, start] : pending) // C2
    return start.emitOpError("starts handle ")
           << handle << ", which is not waited for";
  return success();
}

LogicalResult RunOp::verify() {
  int64_t microbatch = getMicrobatch(), slot = getSlot();
  if (microbatch < 0 || slot < 0) // C2
    return emitOpError("has microbatch ")
           << microbatch << " and slot " << slot << ", expected at least 0";
  return success();
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<ListOp>(*this, getListAttr()))
    return success();
  return emitOpError("runs ")
         << getListAttr() << ", which is no exec.list of the role"; // C1
}

} // namespace mpc::exec
