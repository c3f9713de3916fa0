#include "runtime/thunks/gemm_thunk.h"

#include <limits>

#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

/// What BLAS libraries count in.
constexpr int64_t kMaximalSize = std::numeric_limits<int32_t>::max();

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> GemmThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::GemmCommand& gemm = command.gemm();
  for (int64_t size : {gemm.rows(), gemm.columns(), gemm.inner()})
    if (size < 1 || size > kMaximalSize)
      return absl::InvalidArgumentError(absl::StrFormat(
          "product of %d x %d x %d; expected sizes of 1 to %d", gemm.rows(),
          gemm.columns(), gemm.inner(), kMaximalSize));
  for (const auto& [name, slice] :
       {std::make_pair("left", &gemm.left()),
        std::make_pair("right", &gemm.right()),
        std::make_pair("destination", &gemm.destination())})
    MPC_RETURN_IF_ERROR(CheckFloats(name, *slice));
  MPC_RETURN_IF_ERROR(CheckType("right", gemm.right(), gemm.left().type()));
  if (gemm.destination().type() != plan::DATA_TYPE_F32)
    MPC_RETURN_IF_ERROR(
        CheckType("destination", gemm.destination(), gemm.left().type()));
  MPC_ASSIGN_OR_RETURN(
      const int64_t left_stride,
      gemm.transpose_left()
          ? MatrixStride("left", gemm.left(), gemm.inner(), gemm.rows())
          : MatrixStride("left", gemm.left(), gemm.rows(), gemm.inner()));
  MPC_ASSIGN_OR_RETURN(
      const int64_t right_stride,
      gemm.transpose_right()
          ? MatrixStride("right", gemm.right(), gemm.columns(), gemm.inner())
          : MatrixStride("right", gemm.right(), gemm.inner(), gemm.columns()));
  MPC_ASSIGN_OR_RETURN(const int64_t destination_stride,
                       MatrixStride("destination", gemm.destination(),
                                    gemm.rows(), gemm.columns()));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", gemm.destination(), "left",
                                    gemm.left()));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", gemm.destination(), "right",
                                    gemm.right()));
  return absl::WrapUnique(new GemmThunk(command, left_stride, right_stride,
                                        destination_stride));
}

std::vector<BufferUse> GemmThunk::buffer_uses() const {
  const plan::GemmCommand& gemm = command().gemm();
  std::vector<BufferUse> uses = {BufferUse::Read(gemm.left()),
                                 BufferUse::Read(gemm.right()),
                                 BufferUse::Write(gemm.destination())};
  if (gemm.accumulate()) uses.push_back(BufferUse::Read(gemm.destination()));
  return uses;
}

absl::Status GemmThunk::Execute(const ThunkContext& context) const {
  const plan::GemmCommand& gemm = command().gemm();
  GemmArguments arguments;
  arguments.type = gemm.left().type();
  arguments.destination_type = gemm.destination().type();
  arguments.rows = gemm.rows();
  arguments.columns = gemm.columns();
  arguments.inner = gemm.inner();
  arguments.transpose_left = gemm.transpose_left();
  arguments.transpose_right = gemm.transpose_right();
  arguments.accumulate = gemm.accumulate();
  arguments.left = context.Resolve<const void>(gemm.left());
  arguments.left_stride = left_stride_;
  arguments.right = context.Resolve<const void>(gemm.right());
  arguments.right_stride = right_stride_;
  arguments.destination = context.Resolve<void>(gemm.destination());
  arguments.destination_stride = destination_stride_;
  context.device.Gemm(arguments);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
