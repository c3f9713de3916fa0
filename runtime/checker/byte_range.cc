#include "runtime/checker/byte_range.h"

#include "runtime/plan/layout.h"

namespace mpc::runtime {

ByteRange RangeOf(const plan::Slice& slice) {
  ByteRange range;
  range.begin = slice.offset_bytes();
  range.end = range.begin + SpanBytes(slice);
  if (IsDense(slice)) return range;
  const uint64_t element = DataTypeBytes(slice.type());
  range.stride_bytes = slice.row_stride() * element;
  range.row_bytes = slice.sizes(slice.sizes_size() - 1) * element;
  return range;
}

bool Overlap(const ByteRange& a, const ByteRange& b) {
  if (a.end <= b.begin || b.end <= a.begin) return false;
  if (a.stride_bytes == 0 || a.stride_bytes != b.stride_bytes) return true;
  // The column of `a` at which rows of `b` begin.
  const uint64_t stride = a.stride_bytes;
  const uint64_t column = (b.begin + stride - a.begin % stride) % stride;
  return column < a.row_bytes || column + b.row_bytes > stride;
}

}  // namespace mpc::runtime
