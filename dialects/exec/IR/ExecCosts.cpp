//===- ExecCosts.cpp - what commands do, to be priced -----------*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"

using namespace mlir;

#include "dialects/interfaces/CostOpInterface.cpp.inc"

namespace mpc::exec {

static cluster::ElementType getElement(SliceAttr slice) {
  Type type = slice.getType().getElementType();
  if (type.isBF16())
    return cluster::ElementType::kBf16;
  return type.isF16() ? cluster::ElementType::kF16 : cluster::ElementType::kF32;
}

cluster::Work GemmOp::getWork() {
  int64_t count = 1;
  if (std::optional<ArrayRef<int64_t>> batch = getBatch())
    for (int64_t size : *batch)
      count *= size;
  return cluster::Product{(int64_t)getRows(), (int64_t)getInner(),
                          (int64_t)getColumns(), count, getElement(getLeft())};
}

template <typename OpTy>
static cluster::Work getAttention(OpTy op, bool isGradient) {
  ArrayRef<int64_t> q = op.getQuery().getType().getShape();
  return cluster::Attention{q[0] * q[2] * q[3],
                            q[1],
                            op.getKey().getType().getDimSize(1),
                            q[4],
                            op.getCausal(),
                            isGradient,
                            getElement(op.getQuery())};
}

cluster::Work AttentionOp::getWork() {
  return getAttention(*this, /*isGradient=*/false);
}
cluster::Work AttentionGradOp::getWork() {
  return getAttention(*this, /*isGradient=*/true);
}

static int64_t getBytes(ArrayAttr slices) {
  int64_t bytes = 0;
  for (auto slice : slices.getAsRange<SliceAttr>())
    bytes += getByteSize(slice.getType());
  return bytes;
}

cluster::Work LaunchOp::getWork() {
  return cluster::Traffic{getBytes(getInputs()) + getBytes(getOutputs())};
}

/// What is written, and as much that is read.
static cluster::Work getCopy(SliceAttr destination) {
  return cluster::Traffic{2 * getByteSize(destination.getType())};
}

cluster::Work CopyOp::getWork() { return getCopy(getDestination()); }
cluster::Work ShardOp::getWork() { return getCopy(getDestination()); }
cluster::Work KeepOnFirstOp::getWork() { return getCopy(getDestination()); }
cluster::Work FillOp::getWork() {
  return cluster::Traffic{getByteSize(getDestination().getType())};
}

} // namespace mpc::exec
