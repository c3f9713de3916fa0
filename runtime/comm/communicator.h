// Collectives of a group of ranks: the interface that a transport implements.
#ifndef MPC_RUNTIME_COMM_COMMUNICATOR_H_
#define MPC_RUNTIME_COMM_COMMUNICATOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A tensor in memory, row-major; rows of the last dimension are `row_stride`
/// elements apart (0: dense). `sizes` must outlive the use.
struct Tensor {
  void* data = nullptr;
  plan::DataType type = plan::DATA_TYPE_UNSPECIFIED;
  absl::Span<const int64_t> sizes;
  int64_t row_stride = 0;
};

/// The arguments of a collective; plan.proto's CollectiveKind says what each
/// kind does with them.
struct Collective {
  plan::CollectiveKind kind = plan::COLLECTIVE_KIND_UNSPECIFIED;
  /// Of ALL_REDUCE and REDUCE_SCATTER.
  plan::Reduction reduction = plan::REDUCTION_UNSPECIFIED;
  int source_dimension = 0;
  int destination_dimension = 0;
  Tensor source;
  Tensor destination;
};

/// The first reason why `collective` is none among `group_size` members (sizes,
/// dimensions, types); needs no memory, so it is checked before a run.
/// Reductions of bf16 and f16 add in f32 and round once.
absl::Status CheckCollective(const Collective& collective, int64_t group_size);

/// One rank's end of a group whose members start the same collectives in the
/// same order.
///
/// From Start to Wait of a handle the source may not be written and the
/// destination neither read nor written; the memory must live until the Wait,
/// or after an error until every rank has stopped. Source and destination do
/// not overlap, except that those of an ALL_REDUCE may be the same.
/// Reductions combine in ascending group order and give every member the same
/// bits. If members disagree on a collective, it fails on all of them, and so
/// does every later call of the world (see World).
///
/// Thread-compatible: a communicator is used by one thread at a time.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// This rank's index in the group.
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Begins a collective that satisfies CheckCollective. It may return before
  /// or after the members have entered it. A handle is free again after its
  /// Wait.
  virtual absl::Status Start(uint32_t handle, const Collective& collective) = 0;

  /// Returns once the destination is complete and the source is free.
  virtual absl::Status Wait(uint32_t handle) = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_COMMUNICATOR_H_
