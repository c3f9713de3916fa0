// A run of bytes to or from another rank, as a sequence of messages.
#ifndef MPC_RUNTIME_COMM_MPI_FLOW_H_
#define MPC_RUNTIME_COMM_MPI_FLOW_H_

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "runtime/comm/mpi/engine.h"
#include "runtime/comm/tensor_pieces.h"

namespace mpc::runtime {

/// Bytes `begin` … `end` − 1 of a piece, and how they are cut into parts.
struct Cut {
  Piece piece;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t part_bytes = 1;

  int64_t parts() const { return (end - begin + part_bytes - 1) / part_bytes; }
  int64_t PartBegin(int64_t part) const { return begin + part * part_bytes; }
  int64_t PartEnd(int64_t part) const {
    const int64_t part_end = PartBegin(part + 1);
    return part_end < end ? part_end : end;
  }
};

/// Parts such that several of a run of `bytes` are under way at a time; the
/// same on all ranks. Never more than SharedMemory::kBufferBytes.
int64_t PartBytesOf(int64_t bytes);

/// `bytes` of contiguous memory. `data` must not be null.
Piece Contiguous(const void* data, int64_t bytes);

/// The other rank, and the tags of the messages.
struct Route {
  int peer = 0;
  int tag = 0;
  int data_tag = 0;
  /// A part counts as sent only when the receiver has begun to receive it.
  bool is_synchronous = false;
};

/// What both directions share: parts in order, a window of which is under way.
///
/// Between processes that share memory a part is copied into a buffer, whose
/// number goes as a message of `tag`. Otherwise, or if there is no buffer, it
/// goes as a message of `data_tag`; the number is then kNoBuffer.
class Flow {
 public:
  Flow(Engine* engine, Route route, const Cut& cut);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// Parts from `parts` on wait; at first none does.
  void Limit(int64_t parts) { limit_ = parts; }
  /// All parts before have been sent, so that their memory is free, or
  /// received.
  int64_t complete() const { return complete_; }
  /// There is nothing left to do.
  bool done() const;

 protected:
  static constexpr int64_t kWindow = 4;
  static constexpr int32_t kNoBuffer = -1;
  struct Slot {
    Ticket number_ticket, data_ticket;
    int32_t shared = kNoBuffer;
    bool is_data_begun = false;
    std::unique_ptr<char[]> own;
  };

  Slot& SlotOf(int64_t part) { return slots_[part % kWindow]; }
  char* OwnBufferOf(int64_t part);
  /// The piece's memory can be used as it is.
  bool is_contiguous() const { return cut_.piece.runs() == 1; }
  char* PlaceOf(int64_t part) const {
    return cut_.piece.data + cut_.PartBegin(part);
  }
  int64_t BytesOf(int64_t part) const {
    return cut_.PartEnd(part) - cut_.PartBegin(part);
  }

  Engine* const engine_;
  const Route route_;
  const Cut cut_;
  const int64_t parts_;
  int64_t limit_;
  int64_t begun_ = 0;
  int64_t complete_ = 0;
  std::array<Slot, kWindow> slots_;
};

class SendFlow : public Flow {
 public:
  SendFlow(Engine* engine, Route route, const Cut& cut)
      : Flow(engine, route, cut),
        shares_(engine->shared().reaches(route.peer)) {}
  ~SendFlow();

  absl::Status Advance();

 private:
  absl::Status Begin(int64_t part);
  absl::Status BeginData(int64_t part);
  void Pack(int64_t part, char* to) const;
  bool IsSent(const Slot& slot) const;
  /// Whether the slot can take another part.
  bool Clear(Slot& slot);

  const bool shares_;
};

class ReceiveFlow : public Flow {
 public:
  /// `keeps`: received parts stay in buffers until Release; otherwise they go
  /// into the piece.
  ReceiveFlow(Engine* engine, Route route, const Cut& cut, bool keeps)
      : Flow(engine, route, cut),
        shares_(engine->shared().sees(route.peer)),
        keeps_(keeps) {}

  absl::Status Advance();

  /// Of a part that is complete and kept.
  const char* Kept(int64_t part);
  /// Parts below have been used.
  void Release(int64_t parts);

 private:
  absl::Status Begin(int64_t part);
  absl::Status BeginData(int64_t part);
  /// Goes on with a part; whether it is complete.
  absl::StatusOr<bool> AdvancePart(int64_t part);
  void Unpack(int64_t part, const char* from) const;

  const bool shares_;
  const bool keeps_;
  int64_t released_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_FLOW_H_
