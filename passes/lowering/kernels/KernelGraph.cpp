// Builds the graph of a kernel's loops: reads each op's indexing maps into
// strides, and identifies loops across ops.
#include "passes/lowering/kernels/KernelGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/lowering/kernels/LoopClasses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace mpc::kernels {

/// Adds the coefficients of `expr`, a linear expression of loops, times
/// `factor` to `coefficients` and `constant`.
static LogicalResult addLinear(AffineExpr expr, int64_t factor,
                               MutableArrayRef<int64_t> coefficients,
                               int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return success();
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return success(
        succeeded(addLinear(binary.getLHS(), factor, coefficients, constant)) &&
        succeeded(addLinear(binary.getRHS(), factor, coefficients, constant)));
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && scale)
    return addLinear(binary.getLHS(), factor * scale.getValue(), coefficients,
                     constant);
  return failure();
}

static LogicalResult checkType(Operation *op, RankedTensorType type) {
  if (!type || !type.hasStaticShape())
    return op->emitError("kernel tensor has type ")
           << type << ", expected static sizes";
  Type element = type.getElementType();
  if (!isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(element) &&
      !element.isInteger(32) && !element.isInteger(64))
    return op->emitError("kernel tensor has element type ")
           << element << ", expected f32, f64, bf16, f16, i32 or i64";
  if (type.getEncoding())
    return op->emitError("kernel tensor has type ")
           << type << ", expected no encoding";
  return success();
}

namespace {

/// Builds the graph in two steps: nodes with strides per loop of the node
/// (`Access::strides` by loop), then dimensions of the kernel.
class GraphBuilder {
public:
  explicit GraphBuilder(KernelGraph &graph) : graph(graph) {}

  LogicalResult run();

private:
  FailureOr<unsigned> addTensor(Operation *user, Value value);
  FailureOr<Access> makeAccess(linalg::LinalgOp op, Value value, AffineMap map);
  LogicalResult addNode(linalg::LinalgOp op);
  LogicalResult addInit(linalg::LinalgOp op, Node &node, unsigned index);
  LogicalResult addGathers(linalg::LinalgOp op, Node &node);
  void identifyLoops();
  void toDims(Access &access, const Node &node, unsigned numDims);

  KernelGraph &graph;
  llvm::DenseMap<Value, unsigned> indexOf;
};

} // namespace

FailureOr<unsigned> GraphBuilder::addTensor(Operation *user, Value value) {
  auto found = indexOf.find(value);
  if (found != indexOf.end())
    return found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (failed(checkType(user, type)))
    return failure();
  TensorInfo info;
  info.value = value;
  info.type = type;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    info.input = argument.getArgNumber();
  } else if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return user->emitError("kernel reads a constant tensor of several "
                             "values, expected all of them equal"),
             failure();
    info.splat = splat.getSplatValue<TypedAttr>();
  } else if (value.getDefiningOp() != user) {
    return user->emitError("kernel reads the result of ")
               << value.getDefiningOp()->getName()
               << ", expected an argument, a constant or a linalg op's",
           failure();
  }
  unsigned index = graph.tensors.size();
  graph.tensors.push_back(info);
  indexOf[value] = index;
  return index;
}

FailureOr<Access> GraphBuilder::makeAccess(linalg::LinalgOp op, Value value,
                                           AffineMap map) {
  FailureOr<unsigned> tensor = addTensor(op, value);
  if (failed(tensor))
    return failure();
  Access access;
  access.tensor = *tensor;
  access.strides.assign(op.getNumLoops(), 0);
  int64_t stride = 1;
  ArrayRef<int64_t> shape = graph.tensors[*tensor].type.getShape();
  for (int64_t i = shape.size() - 1; i >= 0; --i) {
    if (failed(
            addLinear(map.getResult(i), stride, access.strides, access.offset)))
      return op.emitOpError("indexes a tensor with ")
                 << AffineMapAttr::get(map)
                 << ", expected linear expressions of the loops",
             failure();
    stride *= shape[i];
  }
  return access;
}

LogicalResult GraphBuilder::addInit(linalg::LinalgOp op, Node &node,
                                    unsigned index) {
  node.inits.emplace_back();
  node.initConstants.emplace_back();
  OpOperand *init = op.getDpsInitOperand(index);
  BlockArgument argument = op.getMatchingBlockArgument(init);
  if (argument.use_empty())
    return success();
  Value value = init->get();
  if (value.getDefiningOp<tensor::EmptyOp>())
    return op.emitOpError("reads the uninitialised result #") << index;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (auto constant =
            fill.getInputs()[0].getDefiningOp<arith::ConstantOp>()) {
      node.initConstants.back() = cast<TypedAttr>(constant.getValue());
      return success();
    }
  FailureOr<Access> access =
      makeAccess(op, value, op.getMatchingIndexingMap(init));
  if (failed(access))
    return failure();
  node.inits.back() = *access;
  return success();
}

LogicalResult GraphBuilder::addGathers(linalg::LinalgOp op, Node &node) {
  WalkResult result = op->walk([&](tensor::ExtractOp extract) {
    FailureOr<unsigned> tensor = addTensor(extract, extract.getTensor());
    if (failed(tensor))
      return WalkResult::interrupt();
    if (!graph.tensors[*tensor].input) {
      extract.emitOpError("gathers from a tensor that the kernel makes, "
                          "expected an argument of the kernel");
      return WalkResult::interrupt();
    }
    node.gathered.push_back(*tensor);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult GraphBuilder::addNode(linalg::LinalgOp op) {
  Node node;
  node.op = op;
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("must be on tensors in a kernel");
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType())) {
      if (!input->get().getDefiningOp<arith::ConstantOp>())
        return op.emitOpError("has a scalar operand that is not a constant");
      node.inputs.emplace_back();
      continue;
    }
    FailureOr<Access> access =
        makeAccess(op, input->get(), op.getMatchingIndexingMap(input));
    if (failed(access))
      return failure();
    node.inputs.push_back(*access);
  }
  for (unsigned i = 0, e = op.getNumDpsInits(); i != e; ++i)
    if (failed(addInit(op, node, i)))
      return failure();
  if (failed(addGathers(op, node)))
    return failure();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    FailureOr<Access> access = makeAccess(
        op, result, op.getMatchingIndexingMap(op.getDpsInitOperand(i)));
    if (failed(access))
      return failure();
    TensorInfo &info = graph.tensors[access->tensor];
    info.producer = graph.nodes.size();
    node.results.push_back(*access);
  }
  graph.nodes.push_back(std::move(node));
  return success();
}

/// Rewrites `access` from strides by loop of `node` to strides by dimension.
void GraphBuilder::toDims(Access &access, const Node &node, unsigned numDims) {
  llvm::SmallVector<int64_t> strides(numDims, 0);
  for (auto [loop, stride] : llvm::enumerate(access.strides))
    if (node.loopDims[loop] >= 0)
      strides[node.loopDims[loop]] += stride;
  access.strides = strides;
}

void GraphBuilder::identifyLoops() {
  LoopClasses classes(graph);
  graph.extents = classes.orderedExtents();
  unsigned numDims = graph.extents.size();
  for (unsigned index = 0; index != graph.nodes.size(); ++index) {
    Node &node = graph.nodes[index];
    node.loopDims = classes.dimsOf(index);
    node.kinds.assign(numDims, LoopKind::Absent);
    for (auto [loop, type] : llvm::enumerate(node.op.getIteratorTypesArray()))
      if (node.loopDims[loop] >= 0)
        node.kinds[node.loopDims[loop]] = type == utils::IteratorType::parallel
                                              ? LoopKind::Parallel
                                              : LoopKind::Reduction;
    KernelGraph::forEachRead(
        node, [&](Access &access) { toDims(access, node, numDims); });
    for (Access &access : node.results) {
      toDims(access, node, numDims);
      graph.tensors[access.tensor].written = access;
    }
  }
}

LogicalResult GraphBuilder::run() {
  func::FuncOp function = graph.function;
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("kernel must have one block");
  Block &block = function.front();
  for (BlockArgument argument : block.getArguments())
    if (failed(addTensor(function, argument)))
      return failure();
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return op.emitOpError("is not allowed in a kernel, expected linalg ops, "
                            "tensor.empty and constants");
    // A fill that only starts a reduction is part of that reduction.
    bool onlyInit = isa<linalg::FillOp>(op) &&
                    llvm::all_of(op.getUses(), [](OpOperand &use) {
                      auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
                      return user && user.isDpsInit(&use);
                    });
    if (!onlyInit && failed(addNode(linalgOp)))
      return failure();
  }
  for (OpOperand &use : block.getTerminator()->getOpOperands()) {
    auto found = indexOf.find(use.get());
    if (found == indexOf.end() || !graph.tensors[found->second].producer)
      return function.emitError("kernel result #")
             << use.getOperandNumber() << " is not computed in the kernel";
    graph.tensors[found->second].outputs.push_back(use.getOperandNumber());
  }
  identifyLoops();
  return success();
}

FailureOr<KernelGraph> KernelGraph::build(func::FuncOp function) {
  KernelGraph graph;
  graph.function = function;
  if (failed(GraphBuilder(graph).run()))
    return failure();
  return graph;
}

int64_t KernelGraph::volume(const Node &node) const {
  int64_t volume = 1;
  for (auto [kind, extent] : llvm::zip_equal(node.kinds, extents))
    if (kind != LoopKind::Absent)
      volume *= extent;
  return volume;
}

unsigned KernelGraph::tensorOf(Value value) const {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.value == value)
      return index;
  llvm_unreachable("not a tensor of the kernel");
}

void KernelGraph::forEachRead(Node &node,
                              llvm::function_ref<void(Access &)> visit) {
  for (auto *accesses : {&node.inputs, &node.inits})
    for (std::optional<Access> &access : *accesses)
      if (access)
        visit(*access);
}

void KernelGraph::forEachRead(const Node &node,
                              llvm::function_ref<void(const Access &)> visit) {
  forEachRead(const_cast<Node &>(node), [&](Access &a) { visit(a); });
}

/// Whether the body of `node` asks for the index of dimension `dim`.
static bool readsIndex(const Node &node, unsigned dim) {
  return node.op
      ->walk([&](linalg::IndexOp index) {
        return node.loopDims[index.getDim()] == int(dim)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool canMerge(const KernelGraph &graph, unsigned a, unsigned b) {
  auto contiguous = [&](const Access &access) {
    return access.strides[a] == access.strides[b] * graph.extents[b];
  };
  for (const Node &node : graph.nodes) {
    if (node.kinds[a] != node.kinds[b])
      return false;
    if (node.kinds[a] == LoopKind::Absent)
      continue;
    if (readsIndex(node, a) || readsIndex(node, b))
      return false;
    bool merges = llvm::all_of(node.results, contiguous);
    KernelGraph::forEachRead(
        node, [&](const Access &access) { merges &= contiguous(access); });
    if (!merges)
      return false;
  }
  return true;
}

void KernelGraph::collapse() {
  for (unsigned a = 0; a + 1 < numDims();) {
    unsigned b = a + 1;
    if (!canMerge(*this, a, b)) {
      ++a;
      continue;
    }
    extents[b] *= extents[a];
    extents.erase(extents.begin() + a);
    auto erase = [a](Access &access) {
      access.strides.erase(access.strides.begin() + a);
    };
    for (Node &node : nodes) {
      node.kinds.erase(node.kinds.begin() + a);
      for (int &dim : node.loopDims)
        if (dim > int(a))
          --dim;
      forEachRead(node, erase);
      llvm::for_each(node.results, erase);
      for (const Access &access : node.results)
        tensors[access.tensor].written = access;
    }
    // The merged dimension may merge with the one before it, too.
    if (a > 0)
      --a;
  }
}

} // namespace mpc::kernels
