#include "runtime/thunks/kernel_thunk.h"

#include "absl/container/inlined_vector.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

/// Kernels are compiled for dense, aligned buffers.
absl::Status CheckBuffer(const char* kind, int index,
                         const plan::Slice& slice) {
  if (IsDense(slice) && slice.offset_bytes() % 64 == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`%s[%d]` of sizes %s with row stride %d at %d; expected dense at a "
      "multiple of 64",
      kind, index, DescribeSizes(SizesOf(slice)), slice.row_stride(),
      slice.offset_bytes()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> KernelThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::KernelCommand& kernel = command.kernel();
  for (int i = 0; i < kernel.inputs_size(); ++i)
    MPC_RETURN_IF_ERROR(CheckBuffer("inputs", i, kernel.inputs(i)));
  for (int i = 0; i < kernel.outputs_size(); ++i)
    MPC_RETURN_IF_ERROR(CheckBuffer("outputs", i, kernel.outputs(i)));
  return absl::WrapUnique(new KernelThunk(command));
}

std::vector<BufferUse> KernelThunk::buffer_uses() const {
  std::vector<BufferUse> uses;
  for (const plan::Slice& input : command().kernel().inputs())
    uses.push_back(BufferUse::Read(input));
  for (const plan::Slice& output : command().kernel().outputs())
    uses.push_back(BufferUse::Write(output));
  return uses;
}

absl::Status KernelThunk::Execute(const ThunkContext& context) const {
  const plan::KernelCommand& kernel = command().kernel();
  absl::InlinedVector<void*, 16> buffers;
  for (const plan::Slice& input : kernel.inputs())
    buffers.push_back(context.Resolve<void>(input));
  for (const plan::Slice& output : kernel.outputs())
    buffers.push_back(context.Resolve<void>(output));
  context.device.Launch(*context.kernels, kernel.kernel(), buffers);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
