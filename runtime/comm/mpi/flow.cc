#include "runtime/comm/mpi/flow.h"

#include <algorithm>
#include <cstring>

#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Of which a run has at least two parts if it is longer than twice that: below,
/// a message costs more than what its overlap saves.
constexpr int64_t kLeastPartBytes = 64 << 10;
constexpr int64_t kPartsAimedAt = 4;
constexpr int64_t kPartAlignment = 4096;

}  // namespace

int64_t PartBytesOf(int64_t bytes) {
  const int64_t part = (bytes / kPartsAimedAt + kPartAlignment - 1) /
                       kPartAlignment * kPartAlignment;
  return std::clamp(part, kLeastPartBytes, Engine::kMaxPartBytes);
}

Piece Contiguous(const void* data, int64_t bytes) {
  return {static_cast<char*>(const_cast<void*>(data)), 1, 0, 1, 0,
          std::max<int64_t>(bytes, 1)};
}

Flow::Flow(Engine* engine, Route route, const Cut& cut)
    : engine_(engine),
      route_(route),
      cut_(cut),
      parts_(cut.parts()),
      limit_(parts_) {}

Flow::~Flow() {
  for (Slot& slot : slots_)
    if (slot.buffer) engine_->ReturnBuffer(std::move(slot.buffer));
}

char* Flow::BufferOf(int64_t part) {
  Slot& slot = SlotOf(part);
  if (!slot.buffer) slot.buffer = engine_->TakeBuffer();
  return slot.buffer.get();
}

absl::Status SendFlow::Advance() {
  while (complete_ < begun_ && !SlotOf(complete_).ticket.is_busy) ++complete_;
  for (; begun_ < limit_ && begun_ - complete_ < kWindow; ++begun_) {
    const int64_t begin = cut_.PartBegin(begun_), end = cut_.PartEnd(begun_);
    const char* data = PlaceOf(begun_);
    if (!is_contiguous()) {
      char* to = BufferOf(begun_);
      data = to;
      ForEachPart(cut_.piece, begin, end, [&](const char* from, int64_t bytes) {
        std::memcpy(to, from, bytes);
        to += bytes;
      });
    }
    MPC_RETURN_IF_ERROR(engine_->Send(data, end - begin, route_.peer,
                                      route_.tag, route_.is_synchronous,
                                      &SlotOf(begun_).ticket));
  }
  return absl::OkStatus();
}

absl::Status ReceiveFlow::Advance() {
  while (complete_ < begun_ && !SlotOf(complete_).ticket.is_busy) {
    if (!keeps_ && !is_contiguous()) {
      const char* from = SlotOf(complete_).buffer.get();
      ForEachPart(cut_.piece, cut_.PartBegin(complete_),
                  cut_.PartEnd(complete_), [&](char* to, int64_t bytes) {
                    std::memcpy(to, from, bytes);
                    from += bytes;
                  });
    }
    ++complete_;
  }
  if (!keeps_) released_ = complete_;
  for (; begun_ < limit_ && begun_ - released_ < kWindow; ++begun_) {
    char* const data = keeps_ || !is_contiguous() ? BufferOf(begun_)
                                                  : PlaceOf(begun_);
    MPC_RETURN_IF_ERROR(engine_->Receive(
        data, cut_.PartEnd(begun_) - cut_.PartBegin(begun_), route_.peer,
        route_.tag, &SlotOf(begun_).ticket));
  }
  return absl::OkStatus();
}

}  // namespace mpc::runtime
