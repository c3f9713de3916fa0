#include "runtime/thunks/gemm_thunk.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

/// What BLAS libraries count in.
constexpr int64_t kMaximalSize = std::numeric_limits<int32_t>::max();

struct Dimension {
  int64_t count, stride;
};

/// The elements from the first to behind the last that `dimensions` reach; more
/// than any slice has where that is too large for a number.
int64_t Reach(const std::vector<Dimension>& dimensions) {
  int64_t last = 0;
  for (const Dimension& dimension : dimensions) {
    int64_t span;
    if (__builtin_mul_overflow(dimension.count - 1, dimension.stride, &span) ||
        __builtin_add_overflow(last, span, &last))
      return std::numeric_limits<int64_t>::max();
  }
  return last + 1;
}

/// Whether `dimensions` are all elements of a dense array of that many, each once.
bool Covers(std::vector<Dimension> dimensions, int64_t elements) {
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& a, const Dimension& b) {
              return std::make_pair(a.stride, a.count) <
                     std::make_pair(b.stride, b.count);
            });
  int64_t covered = 1;
  for (const Dimension& dimension : dimensions) {
    if (dimension.count == 1) continue;
    if (dimension.stride != covered) return false;
    covered *= dimension.count;
  }
  return covered == elements;
}

/// One operand of a batch: matrices of `rows` × `columns` as stored.
absl::Status CheckMatrices(const plan::GemmCommand& gemm, const char* name,
                           const plan::Slice& slice, int64_t rows,
                           int64_t columns, int64_t row_stride,
                           int64_t (plan::GemmCommand::Batch::*stride)()
                               const,
                           bool is_destination) {
  if (!IsDense(slice))
    return absl::InvalidArgumentError(absl::StrFormat(
        "`%s` of a batch has row stride %d; expected a dense slice", name,
        slice.row_stride()));
  if (row_stride < columns || row_stride > kMaximalSize)
    return absl::InvalidArgumentError(absl::StrFormat(
        "rows of `%s` are %d elements apart; expected %d to %d", name,
        row_stride, columns, kMaximalSize));
  std::vector<Dimension> dimensions = {{columns, 1}, {rows, row_stride}};
  for (const plan::GemmCommand::Batch& batch : gemm.batch()) {
    const int64_t distance = (batch.*stride)();
    if (batch.count() < 1 || distance < 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "batch of %d with stride %d of `%s`; expected at least 1 and 0",
          batch.count(), distance, name));
    if (!is_destination || distance != 0)
      dimensions.push_back({batch.count(), distance});
  }
  const int64_t elements = ElementCount(SizesOf(slice));
  if (Reach(dimensions) > elements)
    return absl::InvalidArgumentError(absl::StrFormat(
        "matrices of `%s` reach beyond its %d elements", name, elements));
  if (is_destination && !Covers(dimensions, elements))
    return absl::InvalidArgumentError(absl::StrFormat(
        "matrices of `%s` are not its %d elements, each once", name, elements));
  return absl::OkStatus();
}

absl::Status CheckBatch(const plan::GemmCommand& gemm) {
  using Batch = plan::GemmCommand::Batch;
  const bool swap_left = gemm.transpose_left();
  const bool swap_right = gemm.transpose_right();
  MPC_RETURN_IF_ERROR(CheckMatrices(
      gemm, "left", gemm.left(), swap_left ? gemm.inner() : gemm.rows(),
      swap_left ? gemm.rows() : gemm.inner(), gemm.left_row_stride(),
      &Batch::left_stride, false));
  MPC_RETURN_IF_ERROR(CheckMatrices(
      gemm, "right", gemm.right(), swap_right ? gemm.columns() : gemm.inner(),
      swap_right ? gemm.inner() : gemm.columns(), gemm.right_row_stride(),
      &Batch::right_stride, false));
  return CheckMatrices(gemm, "destination", gemm.destination(), gemm.rows(),
                       gemm.columns(), gemm.destination_row_stride(),
                       &Batch::destination_stride, true);
}

struct RowStrides {
  int64_t left, right, destination;
};

absl::StatusOr<RowStrides> GetRowStrides(const plan::GemmCommand& gemm) {
  if (gemm.batch_size() != 0) {
    MPC_RETURN_IF_ERROR(CheckBatch(gemm));
    return RowStrides{gemm.left_row_stride(), gemm.right_row_stride(),
                      gemm.destination_row_stride()};
  }
  if (gemm.left_row_stride() != 0 || gemm.right_row_stride() != 0 ||
      gemm.destination_row_stride() != 0)
    return absl::InvalidArgumentError(
        "row strides without a batch; expected those of the slices alone");
  RowStrides strides;
  MPC_ASSIGN_OR_RETURN(
      strides.left,
      gemm.transpose_left()
          ? MatrixStride("left", gemm.left(), gemm.inner(), gemm.rows())
          : MatrixStride("left", gemm.left(), gemm.rows(), gemm.inner()));
  MPC_ASSIGN_OR_RETURN(
      strides.right,
      gemm.transpose_right()
          ? MatrixStride("right", gemm.right(), gemm.columns(), gemm.inner())
          : MatrixStride("right", gemm.right(), gemm.inner(), gemm.columns()));
  MPC_ASSIGN_OR_RETURN(strides.destination,
                       MatrixStride("destination", gemm.destination(),
                                    gemm.rows(), gemm.columns()));
  return strides;
}

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
  MPC_ASSIGN_OR_RETURN(const RowStrides strides, GetRowStrides(gemm));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", gemm.destination(), "left",
                                    gemm.left()));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", gemm.destination(), "right",
                                    gemm.right()));
  return absl::WrapUnique(new GemmThunk(command, strides.left, strides.right,
                                        strides.destination));
}

GemmThunk::GemmThunk(const plan::Command& command, int64_t left_stride,
                     int64_t right_stride, int64_t destination_stride)
    : Thunk(command),
      left_stride_(left_stride),
      right_stride_(right_stride),
      destination_stride_(destination_stride) {
  for (const plan::GemmCommand::Batch& batch : command.gemm().batch())
    batch_.push_back({batch.count(), batch.left_stride(), batch.right_stride(),
                      batch.destination_stride()});
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
  arguments.batch = batch_;
  context.device.Gemm(arguments);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
