#include "runtime/comm/mpi/flow.h"

#include <algorithm>
#include <cstring>

#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Below it a message costs more than what its overlap with others saves.
constexpr int64_t kLeastPartBytes = 32 << 10;
constexpr int64_t kPartsAimedAt = 4;
constexpr int64_t kPartAlignment = 4096;

}  // namespace

int64_t PartBytesOf(int64_t bytes) {
  const int64_t part = (bytes / kPartsAimedAt + kPartAlignment - 1) /
                       kPartAlignment * kPartAlignment;
  return std::clamp(part, kLeastPartBytes, SharedMemory::kBufferBytes);
}

Piece Contiguous(const void* data, int64_t bytes) {
  return {static_cast<char*>(const_cast<void*>(data)),
          1,
          0,
          1,
          0,
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
    if (slot.own) engine_->ReturnBuffer(std::move(slot.own));
}

bool Flow::done() const {
  return complete_ == parts_ &&
         std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
           return slot.number_ticket.is_busy || slot.data_ticket.is_busy;
         });
}

char* Flow::OwnBufferOf(int64_t part) {
  Slot& slot = SlotOf(part);
  if (!slot.own) slot.own = engine_->TakeBuffer();
  return slot.own.get();
}

SendFlow::~SendFlow() {
  for (const Slot& slot : slots_)
    if (slot.shared != kNoBuffer) engine_->shared().Abandon(slot.shared);
}

void SendFlow::Pack(int64_t part, char* to) const {
  ForEachPart(cut_.piece, cut_.PartBegin(part), cut_.PartEnd(part),
              [&](const char* from, int64_t bytes) {
                std::memcpy(to, from, bytes);
                to += bytes;
              });
}

absl::Status SendFlow::BeginData(int64_t part) {
  const char* data = PlaceOf(part);
  if (!is_contiguous()) {
    char* const packed = OwnBufferOf(part);
    Pack(part, packed);
    data = packed;
  }
  return engine_->Send(data, BytesOf(part), route_.peer, route_.data_tag,
                       route_.is_synchronous, &SlotOf(part).data_ticket);
}

absl::Status SendFlow::Begin(int64_t part) {
  if (!shares_) return BeginData(part);
  Slot& slot = SlotOf(part);
  slot.shared = engine_->shared().Take();
  if (slot.shared != kNoBuffer)
    Pack(part, engine_->shared().buffer(slot.shared));
  MPC_RETURN_IF_ERROR(
      engine_->Send(&slot.shared, sizeof(slot.shared), route_.peer, route_.tag,
                    route_.is_synchronous, &slot.number_ticket));
  return slot.shared == kNoBuffer ? BeginData(part) : absl::OkStatus();
}

bool SendFlow::IsSent(const Slot& slot) const {
  if (slot.shared != kNoBuffer && !route_.is_synchronous) return true;
  return !slot.number_ticket.is_busy && !slot.data_ticket.is_busy;
}

bool SendFlow::Clear(Slot& slot) {
  if (slot.number_ticket.is_busy || slot.data_ticket.is_busy) return false;
  if (slot.shared == kNoBuffer) return true;
  if (!engine_->shared().IsRead(slot.shared)) return false;
  engine_->shared().Return(slot.shared);
  slot.shared = kNoBuffer;
  return true;
}

absl::Status SendFlow::Advance() {
  while (complete_ < begun_ && IsSent(SlotOf(complete_))) ++complete_;
  while (begun_ < limit_ && begun_ - complete_ < kWindow &&
         Clear(SlotOf(begun_))) {
    MPC_RETURN_IF_ERROR(Begin(begun_++));
    while (complete_ < begun_ && IsSent(SlotOf(complete_))) ++complete_;
  }
  return absl::OkStatus();
}

void ReceiveFlow::Unpack(int64_t part, const char* from) const {
  ForEachPart(cut_.piece, cut_.PartBegin(part), cut_.PartEnd(part),
              [&](char* to, int64_t bytes) {
                std::memcpy(to, from, bytes);
                from += bytes;
              });
}

absl::Status ReceiveFlow::BeginData(int64_t part) {
  SlotOf(part).is_data_begun = true;
  char* const to =
      keeps_ || !is_contiguous() ? OwnBufferOf(part) : PlaceOf(part);
  return engine_->Receive(to, BytesOf(part), route_.peer, route_.data_tag,
                          &SlotOf(part).data_ticket);
}

absl::Status ReceiveFlow::Begin(int64_t part) {
  Slot& slot = SlotOf(part);
  slot.shared = kNoBuffer;
  slot.is_data_begun = false;
  if (!shares_) return BeginData(part);
  return engine_->Receive(&slot.shared, sizeof(slot.shared), route_.peer,
                          route_.tag, &slot.number_ticket);
}

absl::StatusOr<bool> ReceiveFlow::AdvancePart(int64_t part) {
  Slot& slot = SlotOf(part);
  if (slot.number_ticket.is_busy || slot.data_ticket.is_busy) return false;
  if (slot.shared != kNoBuffer) {
    if (keeps_) return true;
    Unpack(part, engine_->shared().BufferOf(route_.peer, slot.shared));
    engine_->shared().EndReading(route_.peer, slot.shared);
    return true;
  }
  if (!slot.is_data_begun) {
    MPC_RETURN_IF_ERROR(BeginData(part));
    return false;
  }
  if (!keeps_ && !is_contiguous()) Unpack(part, slot.own.get());
  return true;
}

absl::Status ReceiveFlow::Advance() {
  while (complete_ < begun_) {
    MPC_ASSIGN_OR_RETURN(const bool is_complete, AdvancePart(complete_));
    if (!is_complete) break;
    ++complete_;
  }
  if (!keeps_) released_ = complete_;
  while (begun_ < limit_ && begun_ - released_ < kWindow)
    MPC_RETURN_IF_ERROR(Begin(begun_++));
  return absl::OkStatus();
}

const char* ReceiveFlow::Kept(int64_t part) {
  const Slot& slot = SlotOf(part);
  return slot.shared == kNoBuffer
             ? slot.own.get()
             : engine_->shared().BufferOf(route_.peer, slot.shared);
}

void ReceiveFlow::Release(int64_t parts) {
  for (; released_ < parts; ++released_)
    if (const Slot& slot = SlotOf(released_); slot.shared != kNoBuffer)
      engine_->shared().EndReading(route_.peer, slot.shared);
}

}  // namespace mpc::runtime
