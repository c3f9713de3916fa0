// Where the three regions of a rank's arena lie.
#ifndef MPC_RUNTIME_PLAN_ARENA_LAYOUT_H_
#define MPC_RUNTIME_PLAN_ARENA_LAYOUT_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Persistent region, slots, transient region, in this order, each rounded up to
/// 64 bytes.
class ArenaLayout {
 public:
  ArenaLayout() = default;
  explicit ArenaLayout(const plan::Role& role);

  uint64_t bytes() const { return bytes_; }

  /// The place of a slice's first byte in the arena; `slot` counts in the slot
  /// region only.
  uint64_t Offset(const plan::Slice& slice, int slot) const;

 private:
  uint64_t slots_begin_ = 0;
  uint64_t slot_stride_ = 0;
  uint64_t transient_begin_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_ARENA_LAYOUT_H_
