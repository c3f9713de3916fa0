#include "runtime/plan/slice_check.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

constexpr uint64_t kAlignment = 64;
/// Far above any memory, and low enough that sums of two do not overflow.
constexpr int64_t kMaximalBytes = int64_t{1} << 60;

uint64_t RegionBytes(const plan::Role& role, plan::Region region) {
  switch (region) {
    case plan::REGION_PERSISTENT:
      return role.persistent_bytes();
    case plan::REGION_SLOT:
      return role.slots() == 0 ? 0 : role.slot_bytes();
    case plan::REGION_TRANSIENT:
      return role.transient_bytes();
    default:
      return 0;
  }
}

/// Whether sizes and stride describe at most kMaximalBytes.
bool IsRepresentable(const plan::Slice& slice) {
  int64_t product = DataTypeBytes(slice.type());
  for (int64_t size : slice.sizes())
    if (__builtin_mul_overflow(product, size, &product)) return false;
  int64_t stretched = product;
  if (slice.row_stride() > 0 &&
      __builtin_mul_overflow(product, slice.row_stride(), &stretched))
    return false;
  return product <= kMaximalBytes && stretched <= kMaximalBytes;
}

}  // namespace

absl::Status CheckSlice(const plan::Slice& slice, const plan::Role& role) {
  const absl::Span<const int64_t> sizes(slice.sizes().data(),
                                        slice.sizes_size());
  for (int64_t size : sizes)
    if (size < 1)
      return absl::InvalidArgumentError(absl::StrCat(
          "sizes ", DescribeSizes(sizes), "; each must be at least 1"));
  if (!IsRepresentable(slice))
    return absl::InvalidArgumentError(absl::StrFormat(
        "sizes %s with row stride %d exceed %d bytes", DescribeSizes(sizes),
        slice.row_stride(), kMaximalBytes));
  if (slice.row_stride() != 0 &&
      (sizes.empty() || slice.row_stride() < sizes.back()))
    return absl::InvalidArgumentError(absl::StrFormat(
        "row stride %d with sizes %s; expected 0 or at least the last size",
        slice.row_stride(), DescribeSizes(sizes)));
  const uint64_t alignment =
      slice.row_stride() == 0 ? kAlignment : DataTypeBytes(slice.type());
  if (slice.offset_bytes() % alignment != 0)
    return absl::InvalidArgumentError(
        absl::StrFormat("offset %d; expected a multiple of %d",
                        slice.offset_bytes(), alignment));
  const uint64_t region = RegionBytes(role, slice.region());
  const uint64_t span = SpanBytes(slice);
  if (span > region || slice.offset_bytes() > region - span)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d bytes at %d exceed %s of %d bytes", span, slice.offset_bytes(),
        plan::Region_Name(slice.region()), region));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
