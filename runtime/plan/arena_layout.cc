#include "runtime/plan/arena_layout.h"

namespace mpc::runtime {
namespace {

constexpr uint64_t kAlignment = 64;

uint64_t RoundUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

ArenaLayout::ArenaLayout(const plan::Role& role)
    : slots_begin_(RoundUp(role.persistent_bytes())),
      slot_stride_(RoundUp(role.slot_bytes())),
      transient_begin_(slots_begin_ + role.slots() * slot_stride_),
      bytes_(transient_begin_ + RoundUp(role.transient_bytes())) {}

uint64_t ArenaLayout::Offset(const plan::Slice& slice, int slot) const {
  switch (slice.region()) {
    case plan::REGION_SLOT:
      return slots_begin_ + slot * slot_stride_ + slice.offset_bytes();
    case plan::REGION_TRANSIENT:
      return transient_begin_ + slice.offset_bytes();
    default:
      return slice.offset_bytes();
  }
}

}  // namespace mpc::runtime
