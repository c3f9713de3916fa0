//===- OffsetAssignment.cpp - where short-lived buffers lie -----*- C++ -*-===//
//
// Buffers are placed in the order in which they begin, each into the smallest gap
// that holds it. Of two that begin together the longer-lived is placed first.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/OffsetAssignment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace mpc {
namespace {

/// The memory below `end` that is not in use, as gaps that do not touch.
class FreeMemory {
public:
  int64_t getEnd() const { return end; }

  int64_t take(int64_t bytes) {
    auto best = gaps.end();
    for (auto it = gaps.begin(); it != gaps.end(); ++it)
      if (it->second >= bytes &&
          (best == gaps.end() || it->second < best->second))
        best = it;
    if (best == gaps.end())
      return takeFromEnd(bytes);
    auto [offset, size] = *best;
    gaps.erase(best);
    if (size > bytes)
      gaps[offset + bytes] = size - bytes;
    return offset;
  }

  void give(int64_t offset, int64_t bytes) {
    auto next = gaps.lower_bound(offset);
    if (next != gaps.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += bytes;
        return;
      }
    }
    gaps[offset] = bytes;
  }

private:
  int64_t takeFromEnd(int64_t bytes) {
    int64_t offset = end;
    if (!gaps.empty()) {
      auto last = std::prev(gaps.end());
      if (last->first + last->second == end) {
        offset = last->first;
        gaps.erase(last);
      }
    }
    end = offset + bytes;
    return offset;
  }

  std::map<int64_t, int64_t> gaps;
  int64_t end = 0;
};

} // namespace

int64_t assignOffsets(llvm::MutableArrayRef<Lifetime> lifetimes,
                      int64_t alignment) {
  auto sizeOf = [&](const Lifetime *lifetime) {
    return (int64_t)llvm::alignTo(lifetime->bytes, alignment);
  };
  llvm::SmallVector<Lifetime *> begins;
  for (Lifetime &lifetime : lifetimes)
    begins.push_back(&lifetime);
  llvm::SmallVector<Lifetime *> ends = begins;
  llvm::sort(begins, [](const Lifetime *a, const Lifetime *b) {
    return std::tuple(a->first, -a->last, a) <
           std::tuple(b->first, -b->last, b);
  });
  llvm::sort(ends, [](const Lifetime *a, const Lifetime *b) {
    return std::tuple(a->last, a) < std::tuple(b->last, b);
  });
  FreeMemory memory;
  auto *ended = ends.begin();
  for (Lifetime *lifetime : begins) {
    for (; (*ended)->last < lifetime->first; ++ended)
      memory.give((*ended)->offset, sizeOf(*ended));
    lifetime->offset = memory.take(sizeOf(lifetime));
  }
  return memory.getEnd();
}

int64_t getPeakBytes(llvm::ArrayRef<Lifetime> lifetimes, int64_t alignment) {
  // Of each step: what begins there, less what ended before it.
  std::map<int64_t, int64_t> changes;
  for (const Lifetime &lifetime : lifetimes) {
    int64_t bytes = llvm::alignTo(lifetime.bytes, alignment);
    changes[lifetime.first] += bytes;
    changes[lifetime.last + 1] -= bytes;
  }
  int64_t bytes = 0, peak = 0;
  for (auto [step, change] : changes)
    peak = std::max(peak, bytes += change);
  return peak;
}

} // namespace mpc
