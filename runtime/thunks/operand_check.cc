#include "runtime/thunks/operand_check.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/floats/narrow_floats.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

absl::Status CheckType(absl::string_view name, const plan::Slice& slice,
                       plan::DataType type) {
  if (slice.type() == type) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrFormat(
      "`%s` of %s is not supported; supported: %s", name,
      DataTypeName(slice.type()), DataTypeName(type)));
}

absl::Status CheckFloats(absl::string_view name, const plan::Slice& slice) {
  if (slice.type() == plan::DATA_TYPE_F32 || IsNarrowFloat(slice.type()))
    return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrFormat("`%s` of %s is not supported; supported: f32, bf16, f16",
                      name, DataTypeName(slice.type())));
}

absl::Status CheckDense(absl::string_view name, const plan::Slice& slice,
                        plan::DataType type, absl::Span<const int64_t> sizes) {
  MPC_RETURN_IF_ERROR(CheckType(name, slice, type));
  if (SizesOf(slice) == sizes && IsDense(slice)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`%s` of sizes %s with row stride %d; expected dense %s", name,
      DescribeSizes(SizesOf(slice)), slice.row_stride(), DescribeSizes(sizes)));
}

absl::Status CheckAlike(absl::string_view name, const plan::Slice& slice,
                        absl::string_view other_name,
                        const plan::Slice& other) {
  if (slice.type() == other.type() && SizesOf(slice) == SizesOf(other))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`%s` of %s %s, `%s` of %s %s; expected the same", name,
      DataTypeName(slice.type()), DescribeSizes(SizesOf(slice)), other_name,
      DataTypeName(other.type()), DescribeSizes(SizesOf(other))));
}

absl::Status CheckDisjoint(absl::string_view name, const plan::Slice& slice,
                           absl::string_view other_name,
                           const plan::Slice& other) {
  const uint64_t begin = slice.offset_bytes();
  const uint64_t other_begin = other.offset_bytes();
  if (slice.region() != other.region() || !IsDense(slice) || !IsDense(other) ||
      begin >= other_begin + SpanBytes(other) ||
      other_begin >= begin + SpanBytes(slice))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`%s` (%d bytes at %d) overlaps `%s` (%d bytes at %d)", name,
      SpanBytes(slice), begin, other_name, SpanBytes(other), other_begin));
}

bool IsSameSlice(const plan::Slice& a, const plan::Slice& b) {
  const bool same_strides =
      a.row_stride() == b.row_stride() || (IsDense(a) && IsDense(b));
  return a.region() == b.region() && a.offset_bytes() == b.offset_bytes() &&
         a.type() == b.type() && SizesOf(a) == SizesOf(b) && same_strides;
}

absl::StatusOr<int64_t> MatrixStride(absl::string_view name,
                                     const plan::Slice& slice, int64_t rows,
                                     int64_t columns) {
  const bool dense = IsDense(slice);
  if (ElementCount(SizesOf(slice)) == rows * columns &&
      (dense || slice.sizes(slice.sizes_size() - 1) == columns))
    return dense ? columns : slice.row_stride();
  return absl::InvalidArgumentError(absl::StrFormat(
      "`%s` of sizes %s with row stride %d is not a matrix of %d x %d", name,
      DescribeSizes(SizesOf(slice)), slice.row_stride(), rows, columns));
}

Tensor TensorOf(const plan::Slice& slice, void* data) {
  return {data, slice.type(), SizesOf(slice), slice.row_stride()};
}

}  // namespace mpc::runtime
