#include "runtime/thunks/attention_operands.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/device/attention_workspace.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

AttentionShape ShapeOf(const plan::AttentionCommand& command) {
  const plan::Slice& query = command.query();
  AttentionShape shape;
  shape.batch = query.sizes(0);
  shape.queries = query.sizes(1);
  shape.keys = command.key().sizes(1);
  shape.key_value_heads = query.sizes(2);
  shape.group = query.sizes(3);
  shape.head_size = query.sizes(4);
  return shape;
}

absl::Status CheckRank(const char* name, const plan::Slice& slice,
                       const char* dimensions, int rank) {
  if (slice.sizes_size() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("`%s` of sizes %s; expected %s", name,
                      DescribeSizes(SizesOf(slice)), dimensions));
}

absl::Status CheckWorkspace(const plan::AttentionCommand& command,
                            plan::DeviceKind device) {
  const uint64_t needed = AttentionWorkspaceBytes(command, device);
  const plan::Slice& workspace = command.workspace();
  if (IsDense(workspace) &&
      static_cast<uint64_t>(SpanBytes(workspace)) >= needed)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`workspace` of sizes %s has %d bytes; expected at least %d",
      DescribeSizes(SizesOf(workspace)), SpanBytes(workspace), needed));
}

}  // namespace

absl::Status CheckAttention(const plan::AttentionCommand& command,
                            plan::DeviceKind device) {
  MPC_RETURN_IF_ERROR(
      CheckRank("query", command.query(), "[b, s, kv, group, d]", 5));
  MPC_RETURN_IF_ERROR(CheckRank("key", command.key(), "[b, t, kv, d]", 4));
  if (!(command.dropout() >= 0 && command.dropout() < 1))
    return absl::InvalidArgumentError(absl::StrFormat(
        "dropout of %g; expected 0 or more and less than 1",
        command.dropout()));
  const AttentionShape s = ShapeOf(command);
  const std::vector<int64_t> query = {s.batch, s.queries, s.key_value_heads,
                                      s.group, s.head_size};
  const std::vector<int64_t> key = {s.batch, s.keys, s.key_value_heads,
                                    s.head_size};
  const std::vector<int64_t> rows = {s.batch, s.queries, s.key_value_heads,
                                     s.group};
  const auto f32 = plan::DATA_TYPE_F32, i32 = plan::DATA_TYPE_I32;
  const auto type = command.query().type();
  MPC_RETURN_IF_ERROR(CheckFloats("query", command.query()));
  MPC_RETURN_IF_ERROR(CheckDense("query", command.query(), type, query));
  MPC_RETURN_IF_ERROR(CheckDense("key", command.key(), type, key));
  MPC_RETURN_IF_ERROR(CheckDense("value", command.value(), type, key));
  MPC_RETURN_IF_ERROR(CheckDense("output", command.output(), type, query));
  MPC_RETURN_IF_ERROR(CheckDense("logsumexp", command.logsumexp(), f32, rows));
  if (command.causal() || command.dropout() > 0)
    MPC_RETURN_IF_ERROR(CheckDense("query_positions", command.query_positions(),
                                   i32, {s.batch, s.queries}));
  MPC_RETURN_IF_ERROR(CheckDense("key_positions", command.key_positions(), i32,
                                 {s.batch, s.keys}));
  if (command.dropout() > 0) {
    MPC_RETURN_IF_ERROR(
        CheckDense("seed", command.seed(), i32, SizesOf(command.seed())));
    if (ElementCount(SizesOf(command.seed())) != 1)
      return absl::InvalidArgumentError(absl::StrFormat(
          "`seed` of sizes %s; expected one element",
          DescribeSizes(SizesOf(command.seed()))));
    MPC_RETURN_IF_ERROR(
        CheckDense("samples", command.samples(), i32, {s.batch}));
    MPC_RETURN_IF_ERROR(CheckDense("heads", command.heads(), i32,
                                   {s.key_value_heads, s.group}));
  }
  for (const auto& [name, slice] :
       {std::make_pair("query", &command.query()),
        std::make_pair("key", &command.key()),
        std::make_pair("value", &command.value()),
        std::make_pair("logsumexp", &command.logsumexp()),
        std::make_pair("workspace", &command.workspace())})
    MPC_RETURN_IF_ERROR(
        CheckDisjoint("output", command.output(), name, *slice));
  return CheckWorkspace(command, device);
}

std::vector<BufferUse> AttentionInputs(const plan::AttentionCommand& command) {
  std::vector<BufferUse> uses = {BufferUse::Read(command.query()),
                                 BufferUse::Read(command.key()),
                                 BufferUse::Read(command.value()),
                                 BufferUse::Read(command.key_positions())};
  if (command.causal() || command.dropout() > 0)
    uses.push_back(BufferUse::Read(command.query_positions()));
  if (command.dropout() > 0) {
    uses.push_back(BufferUse::Read(command.seed()));
    uses.push_back(BufferUse::Read(command.samples()));
    uses.push_back(BufferUse::Read(command.heads()));
  }
  return uses;
}

AttentionArguments ResolveAttention(const plan::AttentionCommand& command,
                                    const ThunkContext& context) {
  AttentionArguments a;
  a.type = command.query().type();
  a.shape = ShapeOf(command);
  a.scale = command.scale();
  a.causal = command.causal();
  a.dropout = command.dropout();
  a.dropout_key = command.dropout_key();
  a.query = context.Resolve<const void>(command.query());
  a.key = context.Resolve<const void>(command.key());
  a.value = context.Resolve<const void>(command.value());
  a.query_positions =
      context.Resolve<const int32_t>(command.query_positions());
  a.key_positions = context.Resolve<const int32_t>(command.key_positions());
  a.seed = context.Resolve<const int32_t>(command.seed());
  a.samples = context.Resolve<const int32_t>(command.samples());
  a.heads = context.Resolve<const int32_t>(command.heads());
  a.output = context.Resolve<void>(command.output());
  a.logsumexp = context.Resolve<float>(command.logsumexp());
  a.workspace = context.Resolve<void>(command.workspace());
  return a;
}

}  // namespace mpc::runtime
