//===- PlanMessages.cpp - slices, state and indices as messages -*- C++ -*-===//

#include "tools/export/PlanMessages.h"

using namespace mlir;

namespace mpc {

PlanIndex::PlanIndex(ModuleOp module, dist::MeshAttr mesh) : mesh(mesh) {
  for (auto kernel : module.getOps<exec::KernelOp>())
    kernels.insert({kernel.getSymName(), kernels.size()});
  for (auto channel : module.getOps<exec::ChannelOp>())
    channels.insert({channel.getSymName(), channels.size()});
}

unsigned PlanIndex::getGroup(dist::AxesAttr axes) {
  groups.insert(axes);
  return llvm::find(groups, axes) - groups.begin();
}

plan::DataType convertElementType(Type type) {
  if (type.isF32())
    return plan::DATA_TYPE_F32;
  if (type.isBF16())
    return plan::DATA_TYPE_BF16;
  if (type.isF16())
    return plan::DATA_TYPE_F16;
  return plan::DATA_TYPE_I32;
}

plan::Reduction convert(dist::ReductionKind reduction) {
  return reduction == dist::ReductionKind::Sum ? plan::REDUCTION_SUM
                                               : plan::REDUCTION_MAX;
}

plan::StateKind convert(exec::StateKind kind) {
  switch (kind) {
  case exec::StateKind::Master:
    return plan::STATE_KIND_MASTER;
  case exec::StateKind::Moment1:
    return plan::STATE_KIND_MOMENT1;
  case exec::StateKind::Moment2:
    return plan::STATE_KIND_MOMENT2;
  case exec::StateKind::Accumulator:
    return plan::STATE_KIND_ACCUMULATOR;
  case exec::StateKind::Compute:
    return plan::STATE_KIND_COMPUTE;
  case exec::StateKind::Batch:
    return plan::STATE_KIND_BATCH;
  case exec::StateKind::InputScalar:
    return plan::STATE_KIND_INPUT_SCALAR;
  case exec::StateKind::Counter:
    return plan::STATE_KIND_COUNTER;
  case exec::StateKind::Metric:
    return plan::STATE_KIND_METRIC;
  case exec::StateKind::Carry:
    return plan::STATE_KIND_CARRY;
  case exec::StateKind::Constant:
    return plan::STATE_KIND_CONSTANT;
  case exec::StateKind::Stash:
    return plan::STATE_KIND_STASH;
  case exec::StateKind::Incoming:
    return plan::STATE_KIND_INCOMING;
  case exec::StateKind::Outgoing:
    return plan::STATE_KIND_OUTGOING;
  case exec::StateKind::Gradient:
    return plan::STATE_KIND_GRADIENT;
  }
  llvm_unreachable("state kind of another version");
}

static plan::Region convert(exec::Region region) {
  switch (region) {
  case exec::Region::Persistent:
    return plan::REGION_PERSISTENT;
  case exec::Region::Slot:
    return plan::REGION_SLOT;
  case exec::Region::Transient:
    return plan::REGION_TRANSIENT;
  }
  llvm_unreachable("region of another version");
}

void convert(exec::SliceAttr slice, plan::Slice &message) {
  message.set_region(convert(slice.getRegion()));
  message.set_offset_bytes(slice.getOffset());
  message.set_type(convertElementType(slice.getType().getElementType()));
  for (int64_t size : slice.getType().getShape())
    message.add_sizes(size);
  message.set_row_stride(slice.getRowStride());
}

// ----------------------------------------------------------------- state

static plan::BatchInput convert(exec::BatchInput input) {
  switch (input) {
  case exec::BatchInput::Ids:
    return plan::BATCH_INPUT_IDS;
  case exec::BatchInput::Labels:
    return plan::BATCH_INPUT_LABELS;
  case exec::BatchInput::Positions:
    return plan::BATCH_INPUT_POSITIONS;
  case exec::BatchInput::Samples:
    return plan::BATCH_INPUT_SAMPLES;
  case exec::BatchInput::TokenTypes:
    return plan::BATCH_INPUT_TOKEN_TYPES;
  }
  llvm_unreachable("batch input of another version");
}

static void convert(exec::InitialAttr initial, plan::Initial &message) {
  double value = initial.getValue().getValueAsDouble();
  switch (initial.getKind()) {
  case exec::InitialKind::Normal:
    message.mutable_normal()->set_key(initial.getKey().str());
    message.mutable_normal()->set_standard_deviation(value);
    return;
  case exec::InitialKind::Constant:
    message.set_constant(value);
    return;
  case exec::InitialKind::Iota:
    message.mutable_iota()->set_start(value);
    return;
  }
}

static void convert(dist::ShardingAttr sharding, plan::Sharding &message) {
  for (dist::AxesAttr axes : sharding.getDims())
    convertAxes(sharding.getMesh(), axes, *message.add_dimensions());
  for (StringAttr axis : sharding.getPartial())
    message.add_partial_axes(sharding.getMesh().getAxisIndex(axis));
  if (sharding.isPartial())
    message.set_reduction(convert(sharding.getReduction()));
}

void convertState(exec::StateOp op, plan::State &message) {
  RankedTensorType type = op.getTensorType();
  message.set_name(op.getName().str());
  message.set_kind(convert(op.getKind()));
  message.set_type(convertElementType(type.getElementType()));
  for (int64_t size : type.getShape())
    message.add_global_sizes(size);
  for (int64_t size : op.getLogical())
    message.add_logical_sizes(size);
  if (dist::ShardingAttr sharding = dist::getSharding(type))
    convert(sharding, *message.mutable_sharding());
  else
    for (int64_t dim = 0; dim != type.getRank(); ++dim)
      message.mutable_sharding()->add_dimensions();
  convert(op.getSlice(), *message.mutable_slice());
  if (std::optional<exec::InitialAttr> initial = op.getInitial())
    convert(*initial, *message.mutable_initial());
  if (std::optional<exec::BatchInput> input = op.getBatchInput())
    message.set_batch_input(convert(*input));
}

} // namespace mpc
