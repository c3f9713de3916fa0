// The operations of one group of ranks, one after the other.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_GROUP_H_
#define MPC_RUNTIME_COMM_MPI_MPI_GROUP_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/comm/mpi/engine.h"
#include "runtime/comm/mpi/exchange.h"
#include "runtime/comm/mpi/group_header.h"

namespace mpc::runtime {

/// This rank's end of a group. Members tell each other what they are about to
/// do; if all mean the same, the data follows, else the world fails. Small data
/// comes with what is told: then an operation is one message to each member.
///
/// Thread-compatible.
class MpiGroup : public Lane {
 public:
  /// `members[index]` is this rank; `stream` is the group's own.
  MpiGroup(Engine* engine, std::vector<int> members, int index,
           uint32_t stream);
  ~MpiGroup() override;

  int index() const { return index_; }
  int size() const { return static_cast<int>(members_.size()); }
  uint32_t stream() const { return stream_; }

  /// Each begins an operation and returns how many must be complete for it to
  /// be.
  absl::StatusOr<uint64_t> Begin(const Collective& collective);
  absl::StatusOr<uint64_t> Begin(Posted::Kind kind, absl::string_view bytes,
                                 int root);

  /// Returns once `count` operations are complete.
  absl::Status Await(uint64_t count);

  /// By member, what the last complete operation has brought here: of a
  /// broadcast the root's, of a gather everybody's at the root.
  std::vector<std::string>& received() { return received_; }

  absl::Status Advance() override;
  void LookForMissing() override;
  uint64_t completed() const override { return completed_; }

 private:
  /// A header with what may follow it.
  struct Message {
    GroupHeader header;
    char data[GroupHeader::kInlineBytes];
  };
  struct Operation {
    Posted posted;
    Message own;
    int64_t own_bytes = 0;
    std::unique_ptr<Exchange> exchange;
  };

  absl::StatusOr<uint64_t> Begin(std::unique_ptr<Operation> operation);
  absl::Status SendHeaders(Operation& operation);
  /// An error if a member is about to do something else.
  absl::Status Compare();
  /// What the headers have brought; the exchange of the rest, if any.
  void UseHeaders(Operation& operation);
  void ReduceInline(const Collective& collective, Operation& operation);
  void TakeBytes(Operation& operation);
  GroupRoute route() const;

  Engine* const engine_;
  const std::vector<int> members_;
  const int index_;
  const uint32_t stream_;
  std::deque<std::unique_ptr<Operation>> operations_;
  uint64_t begun_ = 0;
  uint64_t completed_ = 0;
  enum class Phase { kIdle, kHeaders, kData } phase_ = Phase::kIdle;
  /// By member.
  std::vector<Message> messages_;
  std::vector<Ticket> sent_, heard_;
  std::vector<std::string> received_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_GROUP_H_
