// What a rank's memory holds in the course of a step.
#ifndef MPC_RUNTIME_CHECKER_CONTENTS_H_
#define MPC_RUNTIME_CHECKER_CONTENTS_H_

#include <cstdint>
#include <map>
#include <optional>

#include "runtime/checker/access.h"
#include "runtime/checker/byte_map.h"
#include "runtime/checker/place.h"

namespace mpc::runtime {

/// Whose value some bytes are.
struct Content {
  /// For values of the whole step, and where it is not known.
  static constexpr int64_t kOfStep = -1;
  int64_t microbatch = kOfStep;
  Place writer;
};

/// Follows the slots and, of the persistent region, the messages in it. Other
/// memory is not looked at; a step begins with nothing in it.
class Contents {
 public:
  explicit Contents(const plan::Role& role);

  void Write(Memory memory, const ByteRange& range, const Content& content);

  /// Bytes of a read that nothing has written in this step, or that hold
  /// another microbatch than `microbatch` (kOfStep: any will do).
  struct Fault {
    uint64_t begin, end;
    /// None: not written.
    std::optional<Content> content;
  };
  std::optional<Fault> FindFault(Memory memory, const ByteRange& range,
                                 int64_t microbatch) const;

  /// The microbatch that all of the bytes are of, else kOfStep.
  int64_t MicrobatchOf(Memory memory, const ByteRange& range) const;

 private:
  /// Calls `visit(begin, end)` for the bytes that are followed.
  template <typename Visit>
  void ForEachFollowed(Memory memory, const ByteRange& range,
                       const Visit& visit) const;

  std::map<Memory, ByteMap<Content>> contents_;
  /// Of the persistent region.
  ByteMap<bool> messages_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_CONTENTS_H_
