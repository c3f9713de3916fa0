// The bodies of a group's nodes: operations on one iteration or on a vector of
// them, and the memory that they read and write.
#include "passes/lowering/kernels/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mpc::kernels {

void relaxFloats(Operation *op, bool mayContract) {
  auto floats = dyn_cast<arith::ArithFastMathInterface>(op);
  // Conversions have no flags unless they were given some.
  if (!floats || !floats.getFastMathFlagsAttr())
    return;
  arith::FastMathFlags flags = floats.getFastMathFlagsAttr().getValue();
  if (mayContract)
    flags = flags | arith::FastMathFlags::contract;
  // Where x86 has an instruction, it orders neither zeros.
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    flags = flags | arith::FastMathFlags::nsz;
  op->setAttr(floats.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool NestEmitter::isInMemory(const Access &read) const {
  unsigned result;
  Place place = schedule.places[read.tensor];
  return place != Place::Constant && place != Place::Scalar &&
         !producerInGroup(read, result);
}

ArrayRef<int64_t> NestEmitter::stridesOf(const Access &access) const {
  if (schedule.places[access.tensor] == Place::Scratch)
    return schedule.scratchStrides[access.tensor];
  return access.strides;
}

void NestEmitter::addRowPointers(const Access &access, ArrayRef<Value> bases) {
  Type element = graph.tensors[access.tensor].type.getElementType();
  // Scratch holds the current row only.
  bool isScratch = schedule.places[access.tensor] == Place::Scratch;
  Value offset = lanes.i64(isScratch ? 0 : access.offset);
  for (auto [dim, stride] : llvm::enumerate(access.strides)) {
    if (isScratch || stride == 0 || !state.rowIndex[dim])
      continue;
    Value term =
        arith::MulIOp::create(b, loc, state.rowIndex[dim], lanes.i64(stride));
    offset = arith::AddIOp::create(b, loc, offset, term);
  }
  for (Value base : bases)
    rowPointers[&access].push_back(lanes.address(element, base, offset));
}

void NestEmitter::emitRowPointers() {
  for (unsigned index : group.nodes) {
    const Node &node = graph.nodes[index];
    KernelGraph::forEachRead(node, [&](const Access &read) {
      if (isInMemory(read))
        addRowPointers(read, state.bases[read.tensor]);
    });
    if (schedule.isPrologue(index))
      continue;
    for (const Access &result : node.results) {
      if (schedule.places[result.tensor] == Place::Scratch)
        addRowPointers(result, state.bases[result.tensor]);
      else
        addRowPointers(result, state.resultBases[result.tensor]);
    }
  }
}

LaneMemory NestEmitter::memoryOf(const Access &access, Value rowPointer) {
  ArrayRef<int64_t> strides = stridesOf(access);
  Value offset;
  for (unsigned dim : group.loops) {
    if (strides[dim] == 0)
      continue;
    Value term = index[dim];
    if (strides[dim] != 1)
      term = arith::MulIOp::create(b, loc, term, lanes.i64(strides[dim]));
    offset = offset ? arith::AddIOp::create(b, loc, offset, term) : term;
  }
  Type element = graph.tensors[access.tensor].type.getElementType();
  int64_t stride = group.width > 1 ? strides[group.vectorDim] : 0;
  Value pointer =
      offset ? lanes.address(element, rowPointer, offset) : rowPointer;
  return {pointer, stride, mask};
}

/// What `read` reads in the current iteration.
Value NestEmitter::loadNow(const Access &read) {
  const TensorInfo &tensor = graph.tensors[read.tensor];
  switch (schedule.places[read.tensor]) {
  case Place::Constant:
    return lanes.constant(tensor.splat);
  case Place::Scalar:
    return state.scalars[read.tensor];
  case Place::Input:
  case Place::Output:
  case Place::Scratch:
  case Place::Register:
    break;
  }
  return lanes.load(tensor.type.getElementType(),
                    memoryOf(read, rowPointers.at(&read).front()), group.width);
}

void NestEmitter::finish(const Access &result, Value value) {
  unsigned tensor = result.tensor;
  if (schedule.places[tensor] == Place::Scalar)
    state.scalars[tensor] = value;
  for (Value pointer : rowPointers.lookup(&result))
    lanes.store(value, memoryOf(result, pointer), group.width);
}

void NestEmitter::storeResults() {
  // All of them are computed before the first is stored: a result may be the
  // same memory as what another node of the group reads.
  for (unsigned node : group.nodes) {
    if (graph.nodes[node].reduces())
      continue;
    linalg::LinalgOp op = graph.nodes[node].op;
    Operation *yield = op.getBlock()->getTerminator();
    for (auto [i, result] : llvm::enumerate(graph.nodes[node].results))
      finish(result, lookup(yield->getOperand(i)));
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value NestEmitter::lookup(Value value) {
  if (Value source = forwarded.lookup(value))
    return lookup(source);
  if (Value known = env.lookup(value))
    return known;
  return lanes.constant(
      cast<TypedAttr>(value.getDefiningOp<arith::ConstantOp>().getValue()));
}

Value NestEmitter::indexOfDim(unsigned dim) const {
  Value first = state.rowIndex[dim];
  if (!schedule.isInner(dim))
    return first;
  if (!first)
    return index[dim];
  return arith::AddIOp::create(b, loc, first, index[dim]);
}

/// The current index of the loop of `op`, in the integer type `type`.
Value NestEmitter::emitIndex(const Node &node, linalg::IndexOp op, Type type,
                             bool vector) {
  int dim = node.loopDims[op.getDim()];
  Value position = dim < 0 ? lanes.i64(0) : indexOfDim(dim);
  if (type.getIntOrFloatBitWidth() < 64)
    position = arith::TruncIOp::create(b, loc, type, position);
  return lanes.iota(position, vector ? group.width : 1);
}

Value NestEmitter::emitIndexCast(const Node &node, Operation &op) {
  Value source = op.getOperand(0);
  Type result = laneType(op.getResult(0).getType(), 1);
  bool vector = varies(op.getResult(0));
  if (auto position = source.getDefiningOp<linalg::IndexOp>())
    return emitIndex(node, position, result, vector);
  Value value = lookup(source);
  Type type = laneType(result, vector ? group.width : 1);
  if (vector)
    value = lanes.broadcast(value, group.width);
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned to = result.getIntOrFloatBitWidth();
  if (from > to)
    return arith::TruncIOp::create(b, loc, type, value);
  if (from == to)
    return value;
  if (isa<arith::IndexCastUIOp>(op))
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

Value NestEmitter::emitExtract(const Node &node, tensor::ExtractOp op) {
  RankedTensorType table = op.getTensor().getType();
  Type element = table.getElementType();
  Value base = state.bases[graph.tensorOf(op.getTensor())];
  // The part of the offset that is the same for all lanes, and the other.
  Value uniform = lanes.i64(0), varying;
  bool contiguous = false;
  int64_t stride = 1;
  for (int64_t i = table.getRank() - 1; i >= 0; --i) {
    Value position = op.getIndices()[i];
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    Value term;
    if (varies(position) && loop && stride == 1) {
      contiguous = true;
      term = emitIndex(node, loop, b.getI64Type(), /*vector=*/false);
    } else {
      term = lookup(position);
      Value scale = lanes.broadcast(lanes.i64(stride),
                                    varies(position) ? group.width : 1);
      term = arith::MulIOp::create(b, loc, term, scale);
    }
    Value &sum = isa<VectorType>(term.getType()) ? varying : uniform;
    sum = sum ? arith::AddIOp::create(b, loc, sum, term) : term;
    stride *= table.getDimSize(i);
  }
  if (varying) {
    Value start = lanes.broadcast(uniform, group.width);
    if (contiguous)
      start = lanes.iota(uniform, group.width);
    Value indices = arith::AddIOp::create(b, loc, start, varying);
    return lanes.gather(element, base, indices, mask);
  }
  Value pointer = lanes.address(element, base, uniform);
  return lanes.load(element, {pointer, contiguous, mask}, group.width);
}

Value NestEmitter::emitElementwise(Operation &op) {
  bool vector = varies(op.getResult(0));
  OperationState created(loc, op.getName());
  for (Value operand : op.getOperands()) {
    Value value = lookup(operand);
    created.operands.push_back(vector ? lanes.broadcast(value, group.width)
                                      : value);
  }
  created.addTypes(
      laneType(op.getResult(0).getType(), vector ? group.width : 1));
  created.addAttributes(op.getAttrs());
  Operation *result = b.create(created);
  // A result is rounded whatever it is fused with: computed again in another
  // kernel it has the same bits.
  relaxFloats(result, /*mayContract=*/llvm::none_of(
                  op.getUsers(), llvm::IsaPred<linalg::YieldOp>));
  return result->getResult(0);
}

void NestEmitter::emitOp(const Node &node, Operation &op) {
  Value value;
  if (auto position = dyn_cast<linalg::IndexOp>(op))
    value = emitIndex(node, position, b.getI64Type(), varies(op.getResult(0)));
  else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    value = emitIndexCast(node, op);
  else if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    value = emitExtract(node, extract);
  else
    value = emitElementwise(op);
  env[op.getResult(0)] = value;
}

void NestEmitter::emitReads(const Node &node, unsigned level) {
  linalg::LinalgOp op = node.op;
  auto read = [&](const Access &access, BlockArgument argument) {
    if (!forwarded.count(argument) && levelOf(argument) == level)
      env[argument] = loadNow(access);
  };
  for (auto [i, access] : llvm::enumerate(node.inputs)) {
    BlockArgument argument = op.getBlock()->getArgument(i);
    if (access)
      read(*access, argument);
    else if (level == 0)
      env[argument] =
          lanes.constant(cast<TypedAttr>(op.getDpsInputOperand(i)
                                             ->get()
                                             .getDefiningOp<arith::ConstantOp>()
                                             .getValue()));
  }
  if (node.reduces())
    return;
  for (auto [i, access] : llvm::enumerate(node.inits)) {
    BlockArgument argument =
        op.getMatchingBlockArgument(op.getDpsInitOperand(i));
    if (access)
      read(*access, argument);
    else if (TypedAttr constant = node.initConstants[i]; constant && level == 0)
      env[argument] = lanes.constant(constant);
  }
}

/// Reads and computes what the loops so far determine.
void NestEmitter::emitReady(unsigned level) {
  for (unsigned node : group.nodes)
    emitReads(graph.nodes[node], level);
  for (unsigned node : group.nodes) {
    linalg::LinalgOp op = graph.nodes[node].op;
    for (Operation &inner : op.getBlock()->without_terminator())
      if (!isCombiner(&inner) && !isa<arith::ConstantOp>(inner) &&
          levelOf(inner.getResult(0)) == level)
        emitOp(graph.nodes[node], inner);
  }
}

} // namespace mpc::kernels
