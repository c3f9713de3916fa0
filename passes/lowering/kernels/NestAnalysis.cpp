// What the bodies of a group's nodes depend on: the loop in which each value is
// computed, and how reductions combine.
#include "passes/lowering/kernels/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mpc::kernels {

/// Partial sums of more f32 addends than this are added in f64.
static constexpr int64_t kLongSum = 256;

NestEmitter::NestEmitter(const Schedule &schedule, const Group &group,
                         RowState &state, OpBuilder &builder)
    : schedule(schedule), graph(schedule.graph), group(group), state(state),
      b(builder), loc(graph.function.getLoc()), lanes(builder, loc),
      index(graph.numDims()) {}

uint64_t NestEmitter::dimsOf(Value value) const { return dims.lookup(value); }

unsigned NestEmitter::levelOf(uint64_t used) const {
  unsigned level = 0;
  for (auto [position, dim] : llvm::enumerate(group.loops))
    if (used >> dim & 1)
      level = position + 1;
  return level;
}

bool NestEmitter::varies(Value value) const {
  return group.width > 1 && (dimsOf(value) >> group.vectorDim & 1);
}

bool NestEmitter::isCombiner(Operation *op) const {
  return llvm::any_of(reductions,
                      [&](const Reduction &r) { return r.combiner == op; });
}

void NestEmitter::setDepth(Value value, uint64_t used) {
  uint64_t inner = 0;
  for (unsigned dim : group.loops)
    inner |= used & uint64_t(1) << dim;
  dims[value] = inner;
}

/// The node of the group that makes what `read` reads, and which result it is.
const Node *NestEmitter::producerInGroup(const Access &read,
                                         unsigned &result) const {
  std::optional<unsigned> producer = graph.tensors[read.tensor].producer;
  if (!producer || !llvm::is_contained(group.nodes, *producer))
    return nullptr;
  const Node &node = graph.nodes[*producer];
  for (auto [i, access] : llvm::enumerate(node.results))
    if (access.tensor == read.tensor)
      result = i;
  return &node;
}

static uint64_t usedBits(const Access &access) {
  uint64_t bits = 0;
  for (auto [dim, stride] : llvm::enumerate(access.strides))
    if (stride != 0)
      bits |= uint64_t(1) << dim;
  return bits;
}

LogicalResult NestEmitter::findReductions(unsigned index) {
  const Node &node = graph.nodes[index];
  linalg::LinalgOp op = node.op;
  Operation *yield = op.getBlock()->getTerminator();
  for (unsigned i = 0, e = node.results.size(); i != e; ++i) {
    BlockArgument previous =
        op.getMatchingBlockArgument(op.getDpsInitOperand(i));
    Operation *combiner = yield->getOperand(i).getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !previous.hasOneUse() ||
        *previous.user_begin() != combiner || !combiner->hasOneUse())
      return op.emitOpError("reduces result #")
             << i << " in a way that is not one operation of the element and "
             << "what is there";
    std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
    if (!neutral)
      return op.emitOpError("reduces result #")
             << i << " with " << combiner->getName()
             << ", which has no neutral element";
    bool second = combiner->getOperand(0) == previous;
    Value element = combiner->getOperand(second ? 1 : 0);
    int64_t addends = 1;
    for (unsigned dim :
         ArrayRef<unsigned>(group.loops).drop_front(group.numParallel))
      addends *= dim == group.vectorDim
                     ? schedule.innerExtent(dim) / group.width + 1
                     : schedule.innerExtent(dim);
    bool wide = isa<arith::AddFOp>(combiner) && element.getType().isF32() &&
                addends > kLongSum;
    reductions.push_back({index, i, combiner, element, *neutral, wide});
  }
  return success();
}

LogicalResult NestEmitter::analyzeOp(const Node &node, Operation &op) {
  if (isCombiner(&op) || isa<arith::ConstantOp, linalg::YieldOp>(op))
    return success();
  uint64_t used = 0;
  for (Value operand : op.getOperands())
    used |= dimsOf(operand);
  if (auto position = dyn_cast<linalg::IndexOp>(op)) {
    int dim = node.loopDims[position.getDim()];
    if (dim >= 0)
      used |= uint64_t(1) << dim;
  } else if (!isa<tensor::ExtractOp>(op) &&
             (!op.hasTrait<OpTrait::Elementwise>() ||
              op.getNumResults() != 1)) {
    return op.emitOpError("is not an operation on single elements");
  }
  setDepth(op.getResult(0), used);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
      varies(op.getResult(0)))
    return op.emitOpError("of integers that vary along a vector has no "
                          "instruction");
  return success();
}

LogicalResult NestEmitter::analyze() {
  if (graph.numDims() > 64)
    return graph.function.emitError("kernel has ")
           << graph.numDims() << " dimensions, expected at most 64";
  for (unsigned index : group.nodes) {
    const Node &node = graph.nodes[index];
    linalg::LinalgOp op = node.op;
    auto analyzeRead = [&](const Access &read, BlockArgument argument) {
      unsigned result = 0;
      if (const Node *producer = producerInGroup(read, result)) {
        linalg::LinalgOp producerOp = producer->op;
        Value made = producerOp.getBlock()->getTerminator()->getOperand(result);
        forwarded[argument] = made;
        dims[argument] = dimsOf(made);
      } else {
        setDepth(argument, usedBits(read));
      }
    };
    for (auto [i, read] : llvm::enumerate(node.inputs))
      if (read)
        analyzeRead(*read, op.getBlock()->getArgument(i));
    if (node.reduces()) {
      if (failed(findReductions(index)))
        return failure();
    } else {
      for (auto [i, read] : llvm::enumerate(node.inits))
        if (read)
          analyzeRead(*read,
                      op.getMatchingBlockArgument(op.getDpsInitOperand(i)));
    }
    for (Operation &inner : *op.getBlock())
      if (failed(analyzeOp(node, inner)))
        return failure();
  }
  return success();
}

LogicalResult NestEmitter::run() {
  if (failed(analyze()))
    return failure();
  emitRowPointers();
  emitLevel(0, {});
  return success();
}

LogicalResult emitNest(const Schedule &schedule, const Group &group,
                       RowState &state, OpBuilder &builder) {
  return NestEmitter(schedule, group, state, builder).run();
}

} // namespace mpc::kernels
