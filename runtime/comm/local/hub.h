// What the ranks of one process share when they are threads.
#ifndef MPC_RUNTIME_COMM_LOCAL_HUB_H_
#define MPC_RUNTIME_COMM_LOCAL_HUB_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/local/local_channel.h"
#include "runtime/comm/posted.h"

namespace mpc::runtime {

/// A group of ranks that meet. Thread-safe; member i is used by one thread.
class LocalGroup {
 public:
  LocalGroup(LocalHub& hub, std::vector<int> members);

  int size() const { return static_cast<int>(members_.size()); }
  int rank_of(int member) const { return members_[member]; }
  /// Valid between a Post and the next Meet.
  const Posted& posted(int member) const { return posted_[member]; }

  /// Announces what `member` is about to do and returns when all members have;
  /// their memory stays in place until the next Meet. An error if they differ
  /// in kind, root or arguments, the same for all; the world then has failed.
  absl::Status PostCollective(int member, const Collective& collective);
  absl::Status PostOther(int member, Posted::Kind kind, absl::string_view bytes,
                         int root);

  /// Returns when all members have called it.
  absl::Status Meet(int member);

  /// Lets blocked members look at the state of the hub.
  void WakeAll();

 private:
  absl::Status MeetAndCompare(int member);
  bool HasMoved(uint64_t round) const { return round_.load() != round; }
  /// The member that the others wait for in vain, or −1.
  int MissingMember(uint64_t round) const;

  LocalHub& hub_;
  const std::vector<int> members_;
  /// Not written after a failure.
  std::vector<Posted> posted_;
  /// How many rounds each member has arrived at.
  std::vector<std::atomic<uint64_t>> arrivals_;
  std::atomic<int> arrived_{0};
  std::atomic<uint64_t> round_{0};
  std::mutex mutex_;
  std::condition_variable moved_;
};

/// The first failure of all ranks, their groups and channels. Thread-safe.
class LocalHub {
 public:
  explicit LocalHub(int size);

  int size() const { return size_; }
  LocalGroup& everyone() { return *everyone_; }

  /// The group of `members` that their split number `ordinal` makes.
  std::shared_ptr<LocalGroup> FindGroup(int ordinal,
                                        absl::Span<const int> members);

  std::shared_ptr<LocalChannel> FindChannel(const ChannelId& id);

  /// Records `status` as the message of `rank` unless there is one already, and
  /// wakes all ranks.
  void Fail(int rank, const absl::Status& status);
  bool failed() const { return failed_.load(); }
  /// What calls return after Fail: kAborted, "rank N: message".
  absl::Status failure() const;

  /// No call of `rank` will follow.
  void Leave(int rank);
  bool has_left(int rank) const { return left_[rank].load(); }

 private:
  void WakeAll();

  const int size_;
  std::unique_ptr<LocalGroup> everyone_;
  std::atomic<bool> failed_{false};
  std::vector<std::atomic<bool>> left_;
  mutable std::mutex mutex_;
  absl::Status failure_;
  std::map<std::pair<int, std::vector<int>>, std::shared_ptr<LocalGroup>>
      groups_;
  /// By number, source and destination.
  std::map<std::tuple<int, int, int>, std::shared_ptr<LocalChannel>> channels_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LOCAL_HUB_H_
