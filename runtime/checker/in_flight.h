// The buffers of communication that is under way.
#ifndef MPC_RUNTIME_CHECKER_IN_FLIGHT_H_
#define MPC_RUNTIME_CHECKER_IN_FLIGHT_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/checker/access.h"
#include "runtime/checker/byte_range.h"
#include "runtime/checker/place.h"

namespace mpc::runtime {

/// Holds the buffers of one rank from start to wait.
class InFlight {
 public:
  struct Buffer {
    Place start;
    /// The communication writes it; else reads.
    bool is_written;
  };
  using Handle = RangeTable<Buffer>::Handle;

  Handle Add(Memory memory, const Access& access, const Place& start) {
    return buffers_.Add(memory, access.range, {start, access.writes});
  }
  void Remove(Handle handle) { buffers_.Remove(handle); }

  /// A buffer that the access would disturb: what is read may be read, and
  /// nothing else.
  std::optional<Buffer> FindDisturbed(Memory memory,
                                      const Access& access) const {
    std::optional<Buffer> found;
    if (buffers_.is_empty()) return found;
    buffers_.ForEachOverlap(memory, access.range, [&](const Buffer& buffer) {
      if (access.writes || buffer.is_written) found = buffer;
    });
    return found;
  }

 private:
  RangeTable<Buffer> buffers_;
};

/// `at` is where the access would happen.
inline absl::Status DisturbedError(const plan::Plan& plan, const Place& at,
                                   const Access& access,
                                   const InFlight::Buffer& buffer) {
  return ErrorAt(
      plan, at,
      absl::StrCat(access.writes ? "writes" : "reads",
                   " a buffer that is being ",
                   buffer.is_written ? "written" : "read", " since ",
                   Describe(plan, buffer.start), "; expected a wait before"));
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_IN_FLIGHT_H_
