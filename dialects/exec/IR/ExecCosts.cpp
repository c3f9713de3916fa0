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

static int64_t getBytes(SliceAttr slice) {
  return getByteSize(slice.getType());
}

static int64_t getBytes(ArrayAttr slices) {
  int64_t bytes = 0;
  for (auto slice : slices.getAsRange<SliceAttr>())
    bytes += getBytes(slice);
  return bytes;
}

/// An embedding reads a row of its first operand, the table, for each row that it
/// writes.
static bool readsRows(LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch->getParentOfType<ModuleOp>(), launch.getKernelAttr());
  return kernel && kernel.getDescription().contains("embedding") &&
         !kernel.getDescription().contains("grad") &&
         !launch.getInputs().empty();
}

cluster::Work LaunchOp::getWork() {
  int64_t written = getBytes(getOutputs());
  int64_t read = getBytes(getInputs());
  if (readsRows(*this)) {
    int64_t table = getBytes(cast<SliceAttr>(getInputs()[0]));
    read += std::min(table, written) - table;
  }
  return cluster::Traffic{read + written};
}

static cluster::Work getMoving(SliceAttr source, SliceAttr destination) {
  return cluster::Traffic{
      std::min(getBytes(source), getBytes(destination)) +
      getBytes(destination)};
}

cluster::Work CopyOp::getWork() {
  return getMoving(getSource(), getDestination());
}
cluster::Work ShardOp::getWork() {
  return getMoving(getSource(), getDestination());
}
cluster::Work KeepOnFirstOp::getWork() {
  return getMoving(getSource(), getDestination());
}
cluster::Work FillOp::getWork() {
  return cluster::Traffic{getBytes(getDestination())};
}

} // namespace mpc::exec
