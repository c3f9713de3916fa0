//===- StateTable.cpp - where named state lies ------------------*- C++ -*-===//

#include "passes/lowering/StateTable.h"

#include "passes/lowering/StepParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mpc {

using exec::ListPhase;

/// Batch inputs of a whole step have names with this prefix.
static constexpr StringLiteral kStepPrefix = "step.";

static exec::StateKind convertKind(tfm::StateKind kind) {
  switch (kind) {
  case tfm::StateKind::Master:
    return exec::StateKind::Master;
  case tfm::StateKind::Moment1:
    return exec::StateKind::Moment1;
  case tfm::StateKind::Moment2:
    return exec::StateKind::Moment2;
  case tfm::StateKind::Accumulator:
    return exec::StateKind::Accumulator;
  case tfm::StateKind::Compute:
    return exec::StateKind::Compute;
  case tfm::StateKind::Batch:
    return exec::StateKind::Batch;
  case tfm::StateKind::InputScalar:
    return exec::StateKind::InputScalar;
  case tfm::StateKind::Counter:
    return exec::StateKind::Counter;
  case tfm::StateKind::Metric:
    return exec::StateKind::Metric;
  case tfm::StateKind::Carry:
    return exec::StateKind::Carry;
  case tfm::StateKind::Stash:
    return exec::StateKind::Stash;
  case tfm::StateKind::Incoming:
    return exec::StateKind::Incoming;
  case tfm::StateKind::Outgoing:
    return exec::StateKind::Outgoing;
  case tfm::StateKind::Gradient:
    return exec::StateKind::Gradient;
  }
  llvm_unreachable("state kind of another version");
}

static std::optional<exec::BatchInput> getBatchInput(StringRef name) {
  name.consume_front(kStepPrefix);
  return exec::symbolizeBatchInput(name);
}

// ---------------------------------------------------------------- collecting

LogicalResult StateTable::useMesh(Operation *op, RankedTensorType type) {
  dist::ShardingAttr sharding = dist::getSharding(type);
  if (!mesh)
    mesh = sharding.getMesh();
  if (mesh != sharding.getMesh())
    return op->emitOpError("has state over ")
           << sharding.getMesh() << " and over " << mesh
           << ", expected one mesh";
  return success();
}

/// The scale of a loss begins where the settings of training say.
static exec::InitialAttr getInitial(func::FuncOp function,
                                    tfm::BindingAttr binding) {
  if (binding.getKind() != tfm::StateKind::Counter ||
      binding.getName() != "loss_scale")
    return {};
  auto training = tfm::getTraining(function->getParentOfType<ModuleOp>());
  if (!training || !training.getLossScale())
    return {};
  return exec::InitialAttr::get(function.getContext(),
                                exec::InitialKind::Constant,
                                training.getLossScale(),
                                StringAttr::get(function.getContext()));
}

LogicalResult StateTable::add(func::FuncOp function, tfm::BindingAttr binding,
                              Type global, Location location) {
  if (!binding)
    return function.emitOpError(
        "has an argument or result without tfm.binding");
  auto type = dyn_cast_or_null<RankedTensorType>(global);
  if (!type || !dist::getSharding(type))
    return function.emitOpError("binds ")
           << binding << " without dist.global, the sharded type of the whole";
  if (failed(useMesh(function, type)))
    return failure();
  State state{convertKind(binding.getKind()),
              binding.getName(),
              type,
              location,
              /*slice=*/{},
              llvm::to_vector(type.getShape()),
              getInitial(function, binding),
              /*batchInput=*/std::nullopt};
  if (state.kind == exec::StateKind::Batch) {
    state.batchInput = getBatchInput(binding.getName());
    if (!state.batchInput)
      return function.emitOpError("binds the batch input ")
             << binding.getName()
             << ", expected ids, labels, positions, samples or token_types, or "
                "one of them after step.";
  }
  auto [it, isNew] = states.insert({binding, state});
  it->second.parts.insert(getStepPart(function));
  if (!isNew && it->second.type != type)
    return function.emitOpError("binds ")
           << binding << " to a " << type << ", elsewhere it is a "
           << it->second.type;
  return success();
}

LogicalResult StateTable::addBound(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (failed(add(function, tfm::getArgBinding(function, index),
                   dist::getGlobalArgType(function, index),
                   argument.getLoc())))
      return failure();
  }
  for (unsigned index = 0; index != function.getNumResults(); ++index)
    if (failed(add(function, tfm::getResultBinding(function, index),
                   dist::getGlobalResultType(function, index),
                   function.getLoc())))
      return failure();
  return success();
}

static bool isOfParameter(exec::StateKind kind) {
  return kind == exec::StateKind::Master || kind == exec::StateKind::Compute ||
         kind == exec::StateKind::Moment1 || kind == exec::StateKind::Moment2 ||
         kind == exec::StateKind::Accumulator ||
         kind == exec::StateKind::Gradient;
}

/// Logical shapes and initial values of the parameters; accumulators and moments
/// have the names and shapes of theirs.
void StateTable::addParameters(func::FuncOp function) {
  for (unsigned index = 0; index != function.getNumArguments(); ++index) {
    tfm::ParameterAttr parameter = tfm::getParameter(function, index);
    if (!parameter)
      continue;
    for (auto &[key, state] : states)
      if (state.name == parameter.getName() && isOfParameter(state.kind))
        state.logical.assign(parameter.getLogicalShape().begin(),
                             parameter.getLogicalShape().end());
    State &master = states.find(tfm::getArgBinding(function, index))->second;
    master.initial = exec::InitialAttr::get(
        function.getContext(),
        parameter.getInitial() == tfm::InitialKind::Normal
            ? exec::InitialKind::Normal
            : exec::InitialKind::Constant,
        Builder(function.getContext())
            .getF64FloatAttr(parameter.getValue().getValueAsDouble()),
        parameter.getName());
  }
}

/// Iotas that hold the same numbers share their memory.
static Attribute getKey(dist::IotaOp iota) {
  return ArrayAttr::get(iota.getContext(),
                        {iota.getGlobalAttr(), iota.getStartAttr()});
}

LogicalResult StateTable::addIotas(func::FuncOp function) {
  Builder builder(function.getContext());
  auto result = function.walk([&](dist::IotaOp iota) {
    TypeAttr global = iota.getGlobalAttr();
    if (!global || !dist::getSharding(global.getValue())) {
      iota.emitOpError("does not know its sharded type");
      return WalkResult::interrupt();
    }
    auto type = cast<RankedTensorType>(global.getValue());
    if (failed(useMesh(iota, type)))
      return WalkResult::interrupt();
    State state{
        exec::StateKind::Constant,
        builder.getStringAttr("iota_" + Twine(iotas)),
        type,
        iota.getLoc(),
        /*slice=*/{},
        llvm::to_vector(type.getShape()),
        exec::InitialAttr::get(
            function.getContext(), exec::InitialKind::Iota,
            builder.getF64FloatAttr(static_cast<int32_t>(iota.getStart())),
            builder.getStringAttr("")),
        /*batchInput=*/std::nullopt};
    iotas += states.insert({getKey(iota), state}).second;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// ------------------------------------------------------------------- sharing

/// What a prologue or a transfer returns as it got it is not copied: a master is
/// written in the update alone, when the compute copy has been read. Nor is a
/// value that is returned twice.
void StateTable::shareReturned(func::FuncOp function) {
  ListPhase phase = getStepPart(function).getPhase();
  if (phase != ListPhase::Prologue && phase != ListPhase::Transfer)
    return;
  llvm::DenseMap<Value, tfm::BindingAttr> owners;
  for (BlockArgument argument : function.getArguments())
    owners[argument] = tfm::getArgBinding(function, argument.getArgNumber());
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    tfm::BindingAttr binding = tfm::getResultBinding(function, index);
    if (binding.getKind() != tfm::StateKind::Compute &&
        binding.getKind() != tfm::StateKind::Outgoing)
      continue;
    auto [owner, isNew] = owners.insert({value, binding});
    if (!isNew && owner->second != binding &&
        states.find(owner->second)->second.type ==
            states.find(binding)->second.type)
      shared[binding] = owner->second;
  }
}

// ------------------------------------------------------------------- placing

/// Slots hold what a microbatch needs in more than one function: batch inputs of
/// one microbatch, what forward keeps, and what arrived and is kept.
bool StateTable::isInSlot(const State &state) {
  switch (state.kind) {
  case exec::StateKind::Batch:
    return !state.name.getValue().starts_with(kStepPrefix);
  case exec::StateKind::Stash:
    return true;
  case exec::StateKind::Incoming:
    return state.parts.size() > 1;
  default:
    return false;
  }
}

static int64_t placeAt(exec::SliceAttr &slice, exec::Region region,
                       RankedTensorType type, int64_t offset) {
  auto local = cast<RankedTensorType>(dist::getLocalType(type));
  slice = exec::SliceAttr::get(region, offset, local);
  return llvm::alignTo(offset + exec::getByteSize(local), exec::kAlignment);
}

/// Where the accumulators are that `gradient` is reduced from, if it fits there: they
/// are not needed any more.
exec::SliceAttr StateTable::findAccumulators(tfm::BindingAttr gradient,
                                             const State &state) const {
  auto accumulators = states.find(tfm::BindingAttr::get(
      gradient.getContext(), tfm::StateKind::Accumulator, gradient.getName()));
  if (accumulators == states.end() ||
      dist::getLocalType(accumulators->second.type) !=
          dist::getLocalType(state.type))
    return {};
  return accumulators->second.slice;
}

/// A slot is one piece's at a time: what belongs to one piece lies over what
/// belongs to others. Batch inputs do not: the loader writes all of them.
void StateTable::place() {
  llvm::MapVector<int64_t, SmallVector<State *>> ofPiece;
  int64_t common = 0;
  for (auto &[key, state] : states) {
    if (state.kind == exec::StateKind::Gradient)
      continue; // After the accumulators.
    if (!isInSlot(state)) {
      persistentBytes = placeAt(state.slice, exec::Region::Persistent,
                                state.type, persistentBytes);
      continue;
    }
    llvm::SmallSetVector<int64_t, 2> pieces;
    for (exec::PartAttr part : state.parts)
      pieces.insert(part.getPiece());
    if (pieces.size() == 1 && state.kind != exec::StateKind::Batch)
      ofPiece[pieces.front()].push_back(&state);
    else
      common = placeAt(state.slice, exec::Region::Slot, state.type, common);
  }
  for (auto &[key, state] : states)
    if (state.kind == exec::StateKind::Gradient &&
        !(state.slice = findAccumulators(cast<tfm::BindingAttr>(key), state)))
      persistentBytes = placeAt(state.slice, exec::Region::Persistent,
                                state.type, persistentBytes);
  slotBytes = common;
  for (auto &[piece, own] : ofPiece) {
    int64_t end = common;
    for (State *state : own)
      end = placeAt(state->slice, exec::Region::Slot, state->type, end);
    slotBytes = std::max(slotBytes, end);
  }
}

FailureOr<StateTable>
StateTable::create(ArrayRef<func::FuncOp> functions) {
  StateTable table;
  for (func::FuncOp function : functions)
    if (failed(table.addBound(function)) || failed(table.addIotas(function)))
      return failure();
  for (func::FuncOp function : functions)
    table.addParameters(function);
  for (func::FuncOp function : functions)
    table.shareReturned(function);
  table.states.remove_if(
      [&](const auto &entry) { return table.shared.count(entry.first); });
  table.place();
  return table;
}

exec::SliceAttr StateTable::getSlice(tfm::BindingAttr binding) const {
  for (auto owner = shared.find(binding); owner != shared.end();
       owner = shared.find(binding))
    binding = owner->second;
  return states.find(binding)->second.slice;
}

bool StateTable::hasSlotBatch() const {
  return llvm::any_of(states, [](const auto &entry) {
    return entry.second.kind == exec::StateKind::Batch &&
           isInSlot(entry.second);
  });
}

exec::SliceAttr StateTable::getSlice(dist::IotaOp iota) const {
  return states.find(getKey(iota))->second.slice;
}

void StateTable::emit(OpBuilder &builder) const {
  MLIRContext *context = builder.getContext();
  for (const auto &[key, state] : states) {
    exec::BatchInputAttr batchInput;
    if (state.batchInput)
      batchInput = exec::BatchInputAttr::get(context, *state.batchInput);
    exec::StateOp::create(
        builder, state.location,
        exec::StateKindAttr::get(context, state.kind), state.name,
        TypeAttr::get(state.type), builder.getDenseI64ArrayAttr(state.logical),
        state.slice, state.initial, batchInput);
  }
}

} // namespace mpc
