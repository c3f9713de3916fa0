// What a rank is about to do with its group.
#ifndef MPC_RUNTIME_COMM_POSTED_H_
#define MPC_RUNTIME_COMM_POSTED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/comm/communicator.h"

namespace mpc::runtime {

/// Owns all but the tensors' elements: after an abort peers may still look at
/// it when the call that it came from has returned.
class Posted {
 public:
  enum class Kind { kCollective, kBarrier, kBroadcast, kGather };

  /// Reuse the memory of what was posted before.
  void SetCollective(const Collective& collective);
  void SetOther(Kind kind, absl::string_view bytes, int root);

  Kind kind() const { return kind_; }
  /// Of kCollective.
  const Collective& collective() const { return collective_; }
  /// Of the others.
  const std::string& bytes() const { return bytes_; }
  int root() const { return root_; }

 private:
  Kind kind_ = Kind::kBarrier;
  Collective collective_;
  std::vector<int64_t> source_sizes_, destination_sizes_;
  std::string bytes_;
  int root_ = 0;
};

/// Whether two members of a group are about to do the same.
bool Agree(const Posted& a, const Posted& b);

/// "COLLECTIVE_KIND_ALL_REDUCE REDUCTION_SUM of f32 [8] into [8]".
std::string Describe(const Posted& posted);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_POSTED_H_
