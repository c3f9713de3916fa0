// The frame of a kernel: its function, the scalars before the first row, and
// the loop over rows.
#include "passes/lowering/kernels/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mpc::kernels {

LLVM::LLVMFuncOp createKernelFunction(OpBuilder &builder, func::FuncOp kernel,
                                      KernelArguments &arguments) {
  MLIRContext *context = builder.getContext();
  Location loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64});
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, kernel.getName(), type);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  unsigned numInputs = kernel.getNumArguments();
  for (unsigned i = 0; i != numInputs + kernel.getNumResults(); ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer,
                                     entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value buffer = LLVM::LoadOp::create(builder, loc, pointer, slot);
    (i < numInputs ? arguments.inputs : arguments.outputs).push_back(buffer);
  }
  arguments.begin = entry->getArgument(1);
  arguments.end = entry->getArgument(2);
  Operation *end = LLVM::ReturnOp::create(builder, loc, ValueRange{});
  builder.setInsertionPoint(end);
  return function;
}

namespace {

/// Emits one part of a kernel.
class KernelEmitter {
public:
  KernelEmitter(const Schedule &schedule, const KernelArguments &arguments,
                OpBuilder &builder)
      : schedule(schedule), graph(schedule.graph), b(builder),
        loc(graph.function.getLoc()), lanes(builder, loc),
        arguments(arguments) {}

  LogicalResult emit();

private:
  void placeBuffers();
  LogicalResult emitPrologue();
  void storePrologue();
  LogicalResult emitRow(Value row);
  void findRow(Value row);

  const Schedule &schedule;
  const KernelGraph &graph;
  OpBuilder &b;
  Location loc;
  LaneBuilder lanes;
  /// Outputs and rows are those of the part.
  KernelArguments arguments;
  RowState state;
};

} // namespace

void KernelEmitter::placeBuffers() {
  unsigned count = graph.tensors.size();
  state.bases.resize(count);
  state.resultBases.resize(count);
  state.scalars.resize(count);
  state.rowIndex.resize(graph.numDims());
  Value scratch;
  if (schedule.scratchBytes > 0)
    scratch = LLVM::AllocaOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
        lanes.i64(schedule.scratchBytes), /*alignment=*/64);
  for (auto [index, tensor] : llvm::enumerate(graph.tensors)) {
    if (tensor.input)
      state.bases[index] = arguments.inputs[*tensor.input];
    for (unsigned output : tensor.outputs)
      state.resultBases[index].push_back(arguments.outputs[output]);
    switch (schedule.places[index]) {
    case Place::Scratch:
      state.bases[index] = lanes.address(
          b.getI8Type(), scratch, lanes.i64(schedule.scratchOffsets[index]));
      break;
    case Place::Output:
      state.bases[index] = state.resultBases[index].front();
      break;
    case Place::Scalar:
      if (tensor.input)
        state.scalars[index] = lanes.load(tensor.type.getElementType(),
                                          {state.bases[index], 0, Value()}, 1);
      break;
    case Place::Constant:
    case Place::Input:
    case Place::Register:
      break;
    }
  }
}

LogicalResult KernelEmitter::emitPrologue() {
  if (schedule.prologue.empty())
    return success();
  Group group;
  group.nodes = schedule.prologue;
  if (failed(emitNest(schedule, group, state, b)))
    return failure();
  storePrologue();
  return success();
}

/// The call that begins with the first row stores what is no row's.
void KernelEmitter::storePrologue() {
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        arguments.begin, lanes.i64(0));
  // A call for no rows at all changes nothing.
  Value isSome = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       arguments.begin, arguments.end);
  Value stores = arith::AndIOp::create(b, loc, isFirst, isSome);
  auto branch = scf::IfOp::create(b, loc, stores, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (unsigned node : schedule.prologue)
    for (const Access &result : graph.nodes[node].results)
      for (Value base : state.resultBases[result.tensor])
        lanes.store(state.scalars[result.tensor], {base, 0, Value()}, 1);
}

/// Sets the index of each dimension of the rows from the row's number.
void KernelEmitter::findRow(Value row) {
  auto takeLast = [&](int64_t count, bool isFirst) {
    if (isFirst)
      return row;
    Value size = lanes.i64(count);
    Value position = arith::RemUIOp::create(b, loc, row, size);
    row = arith::DivUIOp::create(b, loc, row, size);
    return position;
  };
  if (schedule.block) {
    auto [dim, size] = *schedule.block;
    int64_t extent = graph.extents[dim];
    Value number =
        takeLast(llvm::divideCeil(extent, size), schedule.rows.empty());
    Value first = arith::MulIOp::create(b, loc, number, lanes.i64(size));
    state.rowIndex[dim] = first;
    if (extent % size != 0) {
      Value rest = arith::SubIOp::create(b, loc, lanes.i64(extent), first);
      state.blockExtent = arith::MinSIOp::create(b, loc, rest, lanes.i64(size));
    }
  }
  for (unsigned dim : llvm::reverse(schedule.rows))
    state.rowIndex[dim] =
        takeLast(graph.extents[dim], dim == schedule.rows.front());
}

LogicalResult KernelEmitter::emitRow(Value row) {
  findRow(row);
  for (const Group &group : schedule.groups)
    if (failed(emitNest(schedule, group, state, b)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emit() {
  placeBuffers();
  if (failed(emitPrologue()))
    return failure();
  if (schedule.groups.empty())
    return success();
  LogicalResult result = success();
  scf::ForOp::create(b, loc, arguments.begin, arguments.end, lanes.i64(1),
                     ValueRange{},
                     [&](OpBuilder &nested, Location, Value row, ValueRange) {
                       OpBuilder::InsertionGuard guard(b);
                       b.restoreInsertionPoint(nested.saveInsertionPoint());
                       result = emitRow(row);
                       scf::YieldOp::create(b, loc);
                     });
  return result;
}

/// The arguments of a part: its outputs, and its rows of those of the call.
static KernelArguments argumentsOf(const KernelParts::Part &part,
                                   const KernelArguments &kernel,
                                   OpBuilder &b) {
  KernelArguments arguments = kernel;
  arguments.outputs.clear();
  for (unsigned result : part.results)
    arguments.outputs.push_back(kernel.outputs[result]);
  Location loc = func::FuncOp(part.function).getLoc();
  LaneBuilder lanes(b, loc);
  auto clamp = [&](Value row) -> Value {
    Value own = arith::SubIOp::create(b, loc, row, lanes.i64(part.firstRow));
    own = arith::MaxSIOp::create(b, loc, own, lanes.i64(0));
    return arith::MinSIOp::create(b, loc, own,
                                  lanes.i64(part.schedule.extent()));
  };
  if (part.owned) {
    arguments.begin = clamp(kernel.begin);
    arguments.end = clamp(kernel.end);
  }
  return arguments;
}

LogicalResult emitKernel(func::FuncOp kernel, const KernelParts &parts,
                         OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  KernelArguments arguments;
  createKernelFunction(builder, kernel, arguments);
  for (const KernelParts::Part &part : parts.getParts()) {
    KernelArguments own = argumentsOf(part, arguments, builder);
    if (failed(KernelEmitter(part.schedule, own, builder).emit()))
      return failure();
  }
  return success();
}

} // namespace mpc::kernels
