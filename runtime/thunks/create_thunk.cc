// The kinds of command, a line each.
#include "absl/strings/str_cat.h"
#include "runtime/thunks/attention_grad_thunk.h"
#include "runtime/thunks/attention_thunk.h"
#include "runtime/thunks/collective_start_thunk.h"
#include "runtime/thunks/collective_wait_thunk.h"
#include "runtime/thunks/copy_thunk.h"
#include "runtime/thunks/fill_thunk.h"
#include "runtime/thunks/gemm_thunk.h"
#include "runtime/thunks/keep_on_first_thunk.h"
#include "runtime/thunks/kernel_thunk.h"
#include "runtime/thunks/message_start_thunk.h"
#include "runtime/thunks/message_wait_thunk.h"
#include "runtime/thunks/shard_thunk.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {
namespace {

using CreateFunction = absl::StatusOr<std::unique_ptr<Thunk>> (*)(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command);

CreateFunction CreateFunctionOf(plan::Command::KindCase kind) {
  switch (kind) {
      // clang-format off
    case plan::Command::kGemm: return GemmThunk::Create;
    case plan::Command::kAttention: return AttentionThunk::Create;
    case plan::Command::kAttentionGrad: return AttentionGradThunk::Create;
    case plan::Command::kKernel: return KernelThunk::Create;
    case plan::Command::kCollectiveStart: return CollectiveStartThunk::Create;
    case plan::Command::kCollectiveWait: return CollectiveWaitThunk::Create;
    case plan::Command::kShard: return ShardThunk::Create;
    case plan::Command::kKeepOnFirst: return KeepOnFirstThunk::Create;
    case plan::Command::kCopy: return CopyThunk::Create;
    case plan::Command::kFill: return FillThunk::Create;
    case plan::Command::kSendStart: return MessageStartThunk::Create;
    case plan::Command::kSendWait: return MessageWaitThunk::Create;
    case plan::Command::kReceiveStart: return MessageStartThunk::Create;
    case plan::Command::kReceiveWait: return MessageWaitThunk::Create;
    case plan::Command::KIND_NOT_SET: return nullptr;
      // clang-format on
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> CreateThunk(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const CreateFunction create = CreateFunctionOf(command.kind_case());
  absl::StatusOr<std::unique_ptr<Thunk>> thunk =
      create ? create(plan, list, command)
             : absl::InvalidArgumentError("a command without a kind");
  if (thunk.ok()) return thunk;
  return absl::Status(
      thunk.status().code(),
      absl::StrCat(command.location(), ": ", thunk.status().message()));
}

}  // namespace mpc::runtime
