//===- ExecCommands.cpp - verifiers of commands -----------------*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"

using namespace mlir;

namespace mpc::exec {

// -------------------------------------------------------------- computing

/// The elements from the first to behind the last of a batch's matrices of `rows` x
/// `columns` as stored.
static int64_t getReach(ArrayRef<int64_t> batch, ArrayRef<int64_t> strides,
                        int64_t rows, int64_t columns) {
  int64_t last = (rows - 1) * strides.back() + columns - 1;
  for (auto [count, stride] : llvm::zip(batch, strides))
    last += (count - 1) * stride;
  return last + 1;
}

LogicalResult GemmOp::verify() {
  struct Matrix {
    StringRef name;
    SliceAttr slice;
    /// As stored.
    int64_t rows, columns;
    std::optional<ArrayRef<int64_t>> strides;
  };
  int64_t rows = getRows(), columns = getColumns(), inner = getInner();
  bool swapLeft = getTransposeLeft(), swapRight = getTransposeRight();
  std::optional<ArrayRef<int64_t>> batch = getBatch();
  for (const Matrix &matrix :
       {Matrix{"left", getLeft(), swapLeft ? inner : rows,
               swapLeft ? rows : inner, getLeftStrides()},
        Matrix{"right", getRight(), swapRight ? columns : inner,
               swapRight ? inner : columns, getRightStrides()},
        Matrix{"destination", getDestination(), rows, columns,
               getDestinationStrides()}}) {
    if (!batch &&
        matrix.slice.getNumElements() != matrix.rows * matrix.columns) // C1
      return emitOpError("has ")
             << matrix.name << " " << matrix.slice << " of "
             << matrix.slice.getNumElements() << " elements, expected "
             << matrix.rows * matrix.columns;
    if (batch && (!matrix.strides ||
                  matrix.strides->size() != batch->size() + 1)) // C3
      return emitOpError("has a batch of ")
             << batch->size() << " dimensions and "
             << (matrix.strides ? matrix.strides->size() : 0) << " strides of "
             << matrix.name << ", expected " << batch->size() + 1;
    if (batch && getReach(*batch, *matrix.strides, matrix.rows,
                          matrix.columns) > matrix.slice.getNumElements()) // C4
      return emitOpError("reaches ")
             << getReach(*batch, *matrix.strides, matrix.rows, matrix.columns)
             << " elements into " << matrix.name << " " << matrix.slice
             << ", expected at most " << matrix.slice.getNumElements();
  }
  Type left = getLeft().getType().getElementType();
  Type right = getRight().getType().getElementType();
  Type destination = getDestination().getType().getElementType();
  if (!isa<FloatType>(left) || right != left ||
      (destination != left && !destination.isF32())) // C2
    return emitOpError("multiplies ")
           << left << " and " << right << " into " << destination
           << ", expected floats of one type, into that or f32";
  return success();
}

LogicalResult detail::verifyChannel(Operation *op, FlatSymbolRefAttr channel,
                                    SymbolTableCollection &symbols) {
  auto module = op->getParentOfType<ModuleOp>();
  if (symbols.lookupSymbolIn<ChannelOp>(module, channel))
    return success();
  return op->emitOpError("uses ")
         << channel << ", which is no exec.channel of the module"; // C1
}

/// `slice`, called `name`, has these sizes.
static LogicalResult verifySizes(Operation *op, StringRef name, SliceAttr slice,
                                 ArrayRef<int64_t> sizes) {
  if (slice.getType().getShape() == sizes)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("has ") << name << " " << slice << ", expected sizes [";
  llvm::interleaveComma(sizes, diagnostic);
  return diagnostic << "]";
}

/// The slices that attention and its gradient share.
template <typename OpTy>
static LogicalResult verifyAttention(OpTy op) {
  ArrayRef<int64_t> q = op.getQuery().getType().getShape();
  ArrayRef<int64_t> k = op.getKey().getType().getShape();
  if (q.size() != 5)
    return op.emitOpError("has query ")
           << op.getQuery() << ", expected [b, s, kv, group, d]";
  if (k.size() != 4)
    return op.emitOpError("has key ")
           << op.getKey() << ", expected [b, t, kv, d]";
  int64_t b = q[0], s = q[1], kv = q[2], group = q[3], d = q[4], t = k[1];
  auto check = [&](StringRef name, SliceAttr slice, ArrayRef<int64_t> sizes) {
    return verifySizes(op, name, slice, sizes);
  };
  return failure(
      failed(check("key", op.getKey(), {b, t, kv, d})) ||
      failed(check("value", op.getValue(), {b, t, kv, d})) ||
      failed(check("positions", op.getQueryPositions(), {b, s})) ||
      failed(check("positions", op.getKeyPositions(), {b, t})) ||
      failed(check("seed", op.getSeed(), {})) ||
      failed(check("samples", op.getSamples(), {b})) ||
      failed(check("heads", op.getHeads(), {kv, group})) ||
      failed(check("output", op.getOutput(), q)) ||
      failed(check("logsumexp", op.getLogsumexp(), {b, s, kv, group})));
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  ArrayRef<int64_t> q = getQuery().getType().getShape();
  ArrayRef<int64_t> k = getKey().getType().getShape();
  return failure(
      failed(verifySizes(*this, "output_grad", getOutputGrad(), q)) ||
      failed(verifySizes(*this, "query_grad", getQueryGrad(), q)) ||
      failed(verifySizes(*this, "key_grad", getKeyGrad(), k)) ||
      failed(verifySizes(*this, "value_grad", getValueGrad(), k)));
}

LogicalResult
LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (module && symbols.lookupSymbolIn<KernelOp>(module, getKernelAttr()))
    return success();
  return emitOpError("launches ")
         << getKernelAttr() << ", which is no exec.kernel of the module"; // C1
}

// -------------------------------------------------------------- moving data

/// `axes` are of the mesh of the role around `op`, at least one.
static LogicalResult verifyGroup(Operation *op, dist::AxesAttr axes) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return success();
  if (axes.empty())
    return op->emitOpError("names no axis, expected at least one of ")
           << role.getMesh();
  for (StringAttr axis : axes)
    if (!role.getMesh().getAxisSize(axis))
      return op->emitOpError("names axis ")
             << axis << ", which " << role.getMesh() << " does not have";
  return success();
}

static int64_t getGroupSize(Operation *op, dist::AxesAttr axes) {
  auto role = op->getParentOfType<RoleOp>();
  return role ? role.getMesh().getGroupSize(axes) : 1;
}

/// `to` is `from` with dimension `shrink` divided and `grow` multiplied by the
/// group's size.
static LogicalResult verifyResize(Operation *op, dist::AxesAttr axes,
                                  SliceAttr from, SliceAttr to,
                                  std::optional<int64_t> shrink,
                                  std::optional<int64_t> grow) {
  if (failed(verifyGroup(op, axes)))
    return failure();
  RankedTensorType type = from.getType();
  SmallVector<int64_t> sizes(type.getShape());
  int64_t members = getGroupSize(op, axes);
  for (std::optional<int64_t> dim : {shrink, grow})
    if (dim && (*dim < 0 || *dim >= type.getRank()))
      return op->emitOpError("names dimension ")
             << *dim << " of " << from << ", expected one below "
             << type.getRank();
  if (shrink) {
    if (sizes[*shrink] % members != 0)
      return op->emitOpError("cuts dimension ")
             << *shrink << " of " << from << " into " << members
             << " pieces, which does not divide";
    sizes[*shrink] /= members;
  }
  if (grow)
    sizes[*grow] *= members;
  if (to.getType() != type.clone(sizes))
    return op->emitOpError("has destination ")
           << to << ", expected a " << type.clone(sizes);
  return success();
}

LogicalResult StartOp::verify() {
  CollectiveKind kind = getKind();
  bool reduces = kind == CollectiveKind::AllReduce ||
                 kind == CollectiveKind::ReduceScatter;
  if (reduces != getReduction().has_value()) // C1
    return emitOpError("is an ")
           << stringifyCollectiveKind(kind)
           << (reduces ? " without" : " with") << " a reduction";
  std::optional<int64_t> shrink, grow;
  if (kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll)
    shrink = getSourceDimension();
  if (kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll)
    grow = getDestinationDimension();
  return verifyResize(*this, getAxes(), getSource(), getDestination(), shrink,
                      grow); // C2, C3
}

LogicalResult ShardOp::verify() {
  return verifyResize(*this, getAxes(), getSource(), getDestination(),
                      getDimension(), std::nullopt);
}

LogicalResult KeepOnFirstOp::verify() {
  return verifyResize(*this, getAxes(), getSource(), getDestination(),
                      std::nullopt, std::nullopt);
}

LogicalResult CopyOp::verify() {
  if (getSource().getType() != getDestination().getType()) // C1
    return emitOpError("copies ")
           << getSource() << " to " << getDestination()
           << ", expected one type";
  return success();
}

} // namespace mpc::exec
