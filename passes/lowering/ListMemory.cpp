//===- ListMemory.cpp - the memory of the values of one function -*- C++ -*-===//

#include "passes/lowering/ListMemory.h"

#include "passes/lowering/AttentionWorkspace.h"
#include "passes/lowering/StepParts.h"

using namespace mlir;

namespace mpc {

ListMemory::ListMemory(func::FuncOp function, const StateTable &states)
    : function(function),
      end(function.getBody().front().getTerminator()), states(states),
      steps(function) {
  placeArguments();
  chooseHomes();
  // Homes are passed on to operands, so later ops come first.
  for (const Step &step : llvm::reverse(steps.getSteps()))
    if (!step.isWait)
      keepHomes(step);
  for (const Step &step : steps.getSteps())
    if (!step.isWait) {
      placeResults(step);
      reserveWorkspace(step);
    }
  transientBytes = assignOffsets(buffers, exec::kAlignment);
}

void ListMemory::placeArguments() {
  for (BlockArgument argument : function.getArguments()) {
    tfm::BindingAttr binding =
        tfm::getArgBinding(function, argument.getArgNumber());
    exec::SliceAttr state = states.getSlice(binding);
    places[argument] = {state};
    arguments[state].push_back(argument);
    // The first microbatch of the next step writes accumulators anew.
    bool isGradient = binding.getKind() == tfm::StateKind::Accumulator ||
                      binding.getKind() == tfm::StateKind::Gradient;
    exec::Variant variant = exec::getVariant(function).getValue();
    if (isGradient && (variant == exec::Variant::Only ||
                       variant == exec::Variant::Last))
      consumable.insert(state);
  }
  function.walk(
      [&](dist::IotaOp iota) { places[iota] = {states.getSlice(iota)}; });
}

void ListMemory::chooseHomes() {
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    exec::SliceAttr state =
        states.getSlice(tfm::getResultBinding(function, index));
    consumable.erase(state);
    if (!places.contains(value))
      homes.insert({value, state});
  }
}

/// Whether `result` may be written to a state: what began there is not read any
/// more, or by the same op and in a way that allows it.
bool ListMemory::canWrite(exec::SliceAttr state, OpResult result) const {
  Operation *op = result.getOwner();
  auto old = arguments.find(state);
  if (old == arguments.end())
    return true;
  return llvm::all_of(old->second, [&](Value argument) {
    return steps.getLastUse(argument) < steps.getBegin(op) ||
           (steps.isLastReader(op, argument) &&
            canShareMemory(op, argument, result));
  });
}

/// The first operand whose memory `result` may have, among those accepted.
Value ListMemory::findInput(OpResult result,
                            llvm::function_ref<bool(Value)> accept) const {
  Operation *op = result.getOwner();
  for (Value value : getReads(op))
    if (accept(value) && steps.isLastReader(op, value) &&
        canShareMemory(op, value, result))
      return value;
  return {};
}

/// Decides whether the results of a step are computed in their homes, and if so
/// hands each home to an operand that may be computed there, too.
void ListMemory::keepHomes(const Step &step) {
  for (OpResult result : step.op->getResults()) {
    exec::SliceAttr state = homes.lookup(result);
    if (!state)
      continue;
    if (!canWrite(state, result)) {
      homes.erase(result);
      continue;
    }
    Value input = findInput(result, [&](Value value) {
      return !places.contains(value) && !homes.contains(value);
    });
    if (input)
      homes[input] = state;
  }
}

void ListMemory::placeResults(const Step &step) {
  llvm::SmallDenseSet<Value, 4> taken;
  for (OpResult result : step.op->getResults()) {
    if (exec::SliceAttr state = homes.lookup(result)) {
      places[result] = {state};
      continue;
    }
    int64_t last =
        std::max(steps.getReadEnd(step.op), steps.getLastUse(result));
    Value input = findInput(result, [&](Value value) {
      exec::SliceAttr state = places.lookup(value).state;
      return !taken.contains(value) && (!state || consumable.contains(state));
    });
    if (!input) {
      int64_t bytes =
          exec::getByteSize(cast<RankedTensorType>(result.getType()));
      places[result] = {
          {}, addBuffer(bytes, steps.getBegin(step.op), last)};
      continue;
    }
    taken.insert(input);
    Place place = places.lookup(input);
    places[result] = place;
    if (!place.state)
      buffers[place.buffer].last = std::max(buffers[place.buffer].last, last);
  }
  // Operands live until the op has read them.
  for (Value value : getReads(step.op)) {
    Place place = places.lookup(value);
    if (!place.state)
      buffers[place.buffer].last =
          std::max(buffers[place.buffer].last, steps.getReadEnd(step.op));
  }
}

void ListMemory::reserveWorkspace(const Step &step) {
  int64_t bytes = getAttentionWorkspaceBytes(step.op);
  int64_t time = steps.getBegin(step.op);
  if (bytes > 0)
    workspaces[step.op] = addBuffer(bytes, time, time);
}

unsigned ListMemory::addBuffer(int64_t bytes, int64_t first, int64_t last) {
  buffers.push_back({bytes, first, last});
  return buffers.size() - 1;
}

// ----------------------------------------------------------------- answering

static exec::SliceAttr getTransient(const Lifetime &buffer,
                                    RankedTensorType type) {
  return exec::SliceAttr::get(exec::Region::Transient, buffer.offset, type);
}

exec::SliceAttr ListMemory::getSlice(Value value) const {
  Place place = places.lookup(value);
  if (place.state)
    return place.state;
  return getTransient(buffers[place.buffer],
                      cast<RankedTensorType>(value.getType()));
}

exec::SliceAttr ListMemory::getWorkspace(Operation *op) const {
  auto it = workspaces.find(op);
  if (it == workspaces.end())
    return {};
  const Lifetime &buffer = buffers[it->second];
  int64_t elements = llvm::divideCeil(buffer.bytes, sizeof(float));
  return getTransient(
      buffer, RankedTensorType::get(
                  elements, Float32Type::get(op->getContext())));
}

FailureOr<SmallVector<ListMemory::Copy>> ListMemory::getFinalCopies() const {
  SmallVector<Copy> fromState, fromTransient;
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    Copy copy{getSlice(value),
              states.getSlice(tfm::getResultBinding(function, index))};
    if (copy.source == copy.destination)
      continue;
    bool isState = copy.source.getRegion() != exec::Region::Transient;
    (isState ? fromState : fromTransient).push_back(copy);
  }
  // State is copied before anything else is written over it.
  llvm::SmallDenseSet<exec::SliceAttr, 4> written;
  for (const Copy &copy : fromState) {
    if (written.contains(copy.source))
      return end->emitOpError("exchanges pieces of state, which the memory plan "
                              "has no order of copies for");
    written.insert(copy.destination);
  }
  llvm::append_range(fromState, fromTransient);
  return fromState;
}

} // namespace mpc
