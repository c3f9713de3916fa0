//===- ConvertCommand.cpp - commands as messages ----------------*- C++ -*-===//

#include "tools/export/PlanMessages.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mpc {
namespace {

plan::CollectiveKind convert(exec::CollectiveKind kind) {
  switch (kind) {
  case exec::CollectiveKind::AllReduce:
    return plan::COLLECTIVE_KIND_ALL_REDUCE;
  case exec::CollectiveKind::AllGather:
    return plan::COLLECTIVE_KIND_ALL_GATHER;
  case exec::CollectiveKind::ReduceScatter:
    return plan::COLLECTIVE_KIND_REDUCE_SCATTER;
  case exec::CollectiveKind::AllToAll:
    return plan::COLLECTIVE_KIND_ALL_TO_ALL;
  }
  llvm_unreachable("collective of another version");
}

void fill(exec::GemmOp op, PlanIndex &, plan::Command &command) {
  plan::GemmCommand &message = *command.mutable_gemm();
  message.set_rows(op.getRows());
  message.set_columns(op.getColumns());
  message.set_inner(op.getInner());
  message.set_transpose_left(op.getTransposeLeft());
  message.set_transpose_right(op.getTransposeRight());
  message.set_accumulate(op.getAccumulate());
  mpc::convert(op.getLeft(), *message.mutable_left());
  mpc::convert(op.getRight(), *message.mutable_right());
  mpc::convert(op.getDestination(), *message.mutable_destination());
  std::optional<ArrayRef<int64_t>> batch = op.getBatch();
  if (!batch)
    return;
  ArrayRef<int64_t> left = *op.getLeftStrides(), right = *op.getRightStrides(),
                    destination = *op.getDestinationStrides();
  for (auto [i, count] : llvm::enumerate(*batch)) {
    plan::GemmCommand::Batch &dimension = *message.add_batch();
    dimension.set_count(count);
    dimension.set_left_stride(left[i]);
    dimension.set_right_stride(right[i]);
    dimension.set_destination_stride(destination[i]);
  }
  message.set_left_row_stride(left.back());
  message.set_right_row_stride(right.back());
  message.set_destination_row_stride(destination.back());
}

template <typename OpTy>
void fillAttention(OpTy op, plan::AttentionCommand &message) {
  message.set_scale(op.getScale().convertToFloat());
  message.set_causal(op.getCausal());
  message.set_dropout(op.getDropout().convertToFloat());
  message.set_dropout_key(op.getDropoutKey());
  mpc::convert(op.getQuery(), *message.mutable_query());
  mpc::convert(op.getKey(), *message.mutable_key());
  mpc::convert(op.getValue(), *message.mutable_value());
  mpc::convert(op.getQueryPositions(), *message.mutable_query_positions());
  mpc::convert(op.getKeyPositions(), *message.mutable_key_positions());
  mpc::convert(op.getSeed(), *message.mutable_seed());
  mpc::convert(op.getSamples(), *message.mutable_samples());
  mpc::convert(op.getHeads(), *message.mutable_heads());
  mpc::convert(op.getOutput(), *message.mutable_output());
  mpc::convert(op.getLogsumexp(), *message.mutable_logsumexp());
  if (std::optional<exec::SliceAttr> workspace = op.getWorkspace())
    mpc::convert(*workspace, *message.mutable_workspace());
}

void fill(exec::AttentionOp op, PlanIndex &, plan::Command &command) {
  fillAttention(op, *command.mutable_attention());
}

void fill(exec::AttentionGradOp op, PlanIndex &, plan::Command &command) {
  plan::AttentionGradCommand &message = *command.mutable_attention_grad();
  fillAttention(op, *message.mutable_forward());
  mpc::convert(op.getOutputGrad(), *message.mutable_output_grad());
  mpc::convert(op.getQueryGrad(), *message.mutable_query_grad());
  mpc::convert(op.getKeyGrad(), *message.mutable_key_grad());
  mpc::convert(op.getValueGrad(), *message.mutable_value_grad());
}

void fill(exec::LaunchOp op, PlanIndex &index, plan::Command &command) {
  plan::KernelCommand &message = *command.mutable_kernel();
  message.set_kernel(index.getKernel(op.getKernel()));
  for (auto slice : op.getInputs().getAsRange<exec::SliceAttr>())
    mpc::convert(slice, *message.add_inputs());
  for (auto slice : op.getOutputs().getAsRange<exec::SliceAttr>())
    mpc::convert(slice, *message.add_outputs());
}

void fill(exec::StartOp op, PlanIndex &index, plan::Command &command) {
  plan::CollectiveStartCommand &message = *command.mutable_collective_start();
  message.set_kind(convert(op.getKind()));
  if (std::optional<dist::ReductionKind> reduction = op.getReduction())
    message.set_reduction(mpc::convert(*reduction));
  message.set_group(index.getGroup(op.getAxes()));
  message.set_source_dimension(op.getSourceDimension());
  message.set_destination_dimension(op.getDestinationDimension());
  mpc::convert(op.getSource(), *message.mutable_source());
  mpc::convert(op.getDestination(), *message.mutable_destination());
  message.set_handle(op.getHandle());
}

void fill(exec::WaitOp op, PlanIndex &, plan::Command &command) {
  command.mutable_collective_wait()->set_handle(op.getHandle());
}

void fill(exec::ShardOp op, PlanIndex &index, plan::Command &command) {
  plan::ShardCommand &message = *command.mutable_shard();
  message.set_group(index.getGroup(op.getAxes()));
  message.set_dimension(op.getDimension());
  mpc::convert(op.getSource(), *message.mutable_source());
  mpc::convert(op.getDestination(), *message.mutable_destination());
}

void fill(exec::KeepOnFirstOp op, PlanIndex &index, plan::Command &command) {
  plan::KeepOnFirstCommand &message = *command.mutable_keep_on_first();
  message.set_group(index.getGroup(op.getAxes()));
  mpc::convert(op.getSource(), *message.mutable_source());
  mpc::convert(op.getDestination(), *message.mutable_destination());
}

void fill(exec::CopyOp op, PlanIndex &, plan::Command &command) {
  mpc::convert(op.getSource(), *command.mutable_copy()->mutable_source());
  mpc::convert(op.getDestination(),
               *command.mutable_copy()->mutable_destination());
}

void fill(exec::FillOp op, PlanIndex &, plan::Command &command) {
  command.mutable_fill()->set_value(op.getValue().convertToDouble());
  mpc::convert(op.getDestination(),
               *command.mutable_fill()->mutable_destination());
}

void fill(exec::SendStartOp op, PlanIndex &index, plan::Command &command) {
  plan::SendStartCommand &message = *command.mutable_send_start();
  message.set_channel(index.getChannel(op.getChannel()));
  mpc::convert(op.getSource(), *message.mutable_source());
}

void fill(exec::SendWaitOp op, PlanIndex &index, plan::Command &command) {
  command.mutable_send_wait()->set_channel(index.getChannel(op.getChannel()));
}

void fill(exec::ReceiveStartOp op, PlanIndex &index, plan::Command &command) {
  plan::ReceiveStartCommand &message = *command.mutable_receive_start();
  message.set_channel(index.getChannel(op.getChannel()));
  mpc::convert(op.getDestination(), *message.mutable_destination());
}

void fill(exec::ReceiveWaitOp op, PlanIndex &index, plan::Command &command) {
  command.mutable_receive_wait()->set_channel(
      index.getChannel(op.getChannel()));
}

} // namespace

void convertCommand(Operation *op, PlanIndex &index, plan::Command &message) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<exec::GemmOp, exec::AttentionOp, exec::AttentionGradOp,
            exec::LaunchOp, exec::StartOp, exec::WaitOp, exec::ShardOp,
            exec::KeepOnFirstOp, exec::CopyOp, exec::FillOp, exec::SendStartOp,
            exec::SendWaitOp, exec::ReceiveStartOp, exec::ReceiveWaitOp>(
          [&](auto command) {
        if (std::optional<StringRef> location = command.getLocation())
          message.set_location(location->str());
        fill(command, index, message);
      });
}

} // namespace mpc
