//===- OffsetAssignment.h - where short-lived buffers lie -------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_OFFSETASSIGNMENT_H
#define MPC_PASSES_LOWERING_OFFSETASSIGNMENT_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mpc {

/// A buffer that is in use from step `first` to step `last`, both included.
struct Lifetime {
  int64_t bytes;
  int64_t first;
  int64_t last;
  /// Set by assignOffsets.
  int64_t offset = 0;
};

/// Gives buffers offsets, multiples of `alignment`, such that two that are in use
/// at the same step do not overlap. Returns the bytes that all of them need.
int64_t assignOffsets(llvm::MutableArrayRef<Lifetime> lifetimes,
                      int64_t alignment);

/// The most bytes in use at one step, sizes rounded up to `alignment`: no
/// assignment needs less.
int64_t getPeakBytes(llvm::ArrayRef<Lifetime> lifetimes, int64_t alignment);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_OFFSETASSIGNMENT_H
