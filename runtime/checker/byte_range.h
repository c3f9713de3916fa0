// Bytes of a rank's memory.
#ifndef MPC_RUNTIME_CHECKER_BYTE_RANGE_H_
#define MPC_RUNTIME_CHECKER_BYTE_RANGE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A memory of its own: a region, or one slot of the slot region.
enum class Memory : uint32_t { kPersistent, kTransient, kFirstSlot };

inline Memory MemoryOf(plan::Region region, uint32_t slot) {
  if (region == plan::REGION_PERSISTENT) return Memory::kPersistent;
  if (region == plan::REGION_TRANSIENT) return Memory::kTransient;
  return static_cast<Memory>(static_cast<uint32_t>(Memory::kFirstSlot) + slot);
}

/// The bytes of a slice in its region: from the first to behind the last, of
/// which a strided one has `row_bytes` every `stride_bytes` (0: all).
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t stride_bytes = 0;
  uint64_t row_bytes = 0;
};

ByteRange RangeOf(const plan::Slice& slice);

/// Whether two ranges of one memory share a byte. Exact for ranges that are
/// dense or of one stride, as the columns of a matrix are; else the gaps
/// between rows count.
bool Overlap(const ByteRange& a, const ByteRange& b);

/// Calls `visit(begin, end)` for each run of bytes without a gap.
template <typename Visit>
void ForEachRow(const ByteRange& range, const Visit& visit) {
  if (range.stride_bytes == 0) return visit(range.begin, range.end);
  for (uint64_t row = range.begin; row < range.end; row += range.stride_bytes)
    visit(row, row + range.row_bytes);
}

/// Values at ranges that may overlap, found by range.
template <typename Value>
class RangeTable {
 public:
  using Handle = typename std::multimap<std::pair<Memory, uint64_t>,
                                        std::pair<ByteRange, Value>>::iterator;

  Handle Add(Memory memory, const ByteRange& range, const Value& value) {
    longest_ = std::max(longest_, range.end - range.begin);
    return values_.emplace(std::make_pair(memory, range.begin),
                           std::make_pair(range, value));
  }
  void Remove(Handle handle) { values_.erase(handle); }
  bool is_empty() const { return values_.empty(); }

  /// Calls `visit(value)` for each range that shares a byte with `range`.
  template <typename Visit>
  void ForEachOverlap(Memory memory, const ByteRange& range,
                      const Visit& visit) const {
    const uint64_t first = range.begin > longest_ ? range.begin - longest_ : 0;
    const auto end = values_.lower_bound({memory, range.end});
    for (auto at = values_.lower_bound({memory, first}); at != end; ++at)
      if (Overlap(at->second.first, range)) visit(at->second.second);
  }

 private:
  /// By memory and first byte.
  std::multimap<std::pair<Memory, uint64_t>, std::pair<ByteRange, Value>>
      values_;
  /// No range has more bytes.
  uint64_t longest_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_BYTE_RANGE_H_
