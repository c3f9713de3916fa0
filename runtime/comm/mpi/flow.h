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

  int64_t parts() const {
    return (end - begin + part_bytes - 1) / part_bytes;
  }
  int64_t PartBegin(int64_t part) const { return begin + part * part_bytes; }
  int64_t PartEnd(int64_t part) const {
    const int64_t part_end = PartBegin(part + 1);
    return part_end < end ? part_end : end;
  }
};

/// Parts such that several of a run of `bytes` are under way at a time; the same
/// on all ranks. Never more than Engine::kMaxPartBytes.
int64_t PartBytesOf(int64_t bytes);

/// `bytes` of contiguous memory. `data` must not be null.
Piece Contiguous(const void* data, int64_t bytes);

/// The other rank, and the tag of the messages.
struct Route {
  int peer = 0;
  int tag = 0;
  /// A part counts as sent only when the receiver has begun to receive it.
  bool is_synchronous = false;
};

/// What both directions share: parts in order, a window of which is under way.
class Flow {
 public:
  Flow(Engine* engine, Route route, const Cut& cut);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  const Cut& cut() const { return cut_; }
  /// Parts from `parts` on wait; at first none does.
  void Limit(int64_t parts) { limit_ = parts; }
  /// All parts before have been sent, or received.
  int64_t complete() const { return complete_; }
  bool done() const { return complete_ == parts_; }

 protected:
  static constexpr int64_t kWindow = 4;
  struct Slot {
    Ticket ticket;
    std::unique_ptr<char[]> buffer;
  };

  Slot& SlotOf(int64_t part) { return slots_[part % kWindow]; }
  char* BufferOf(int64_t part);
  /// The piece's memory can be used as it is.
  bool is_contiguous() const { return cut_.piece.runs() == 1; }
  char* PlaceOf(int64_t part) const {
    return cut_.piece.data + cut_.PartBegin(part);
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
  using Flow::Flow;
  absl::Status Advance();
};

class ReceiveFlow : public Flow {
 public:
  /// `keeps`: received parts stay in buffers of the flow until Release;
  /// otherwise they go into the piece.
  ReceiveFlow(Engine* engine, Route route, const Cut& cut, bool keeps)
      : Flow(engine, route, cut), keeps_(keeps) {}

  absl::Status Advance();

  /// Of a part that is complete and kept.
  const char* Kept(int64_t part) { return SlotOf(part).buffer.get(); }
  /// Parts below have been used.
  void Release(int64_t parts) { released_ = parts; }

 private:
  const bool keeps_;
  int64_t released_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_FLOW_H_
