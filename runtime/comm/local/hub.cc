#include "runtime/comm/local/hub.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/comm/check_world.h"
#include "runtime/comm/posted.h"
#include "runtime/status_macros.h"
#include "runtime/threads/spin.h"

namespace mpc::runtime {

LocalGroup::LocalGroup(LocalHub& hub, std::vector<int> members)
    : hub_(hub),
      members_(std::move(members)),
      posted_(members_.size()),
      arrivals_(members_.size()) {}

int LocalGroup::MissingMember(uint64_t round) const {
  for (int i = 0; i < size(); ++i)
    if (arrivals_[i].load() <= round && hub_.has_left(members_[i])) return i;
  return -1;
}

absl::Status LocalGroup::Meet(int member) {
  if (hub_.failed()) return hub_.failure();
  const uint64_t round = round_.load();
  arrivals_[member].store(round + 1);
  if (arrived_.fetch_add(1) == size() - 1) {
    arrived_.store(0);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      round_.store(round + 1);
    }
    moved_.notify_all();
    return absl::OkStatus();
  }
  if (!SpinUntil([&] { return HasMoved(round) || hub_.failed(); })) {
    int missing = -1;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      moved_.wait(lock, [&] {
        if (HasMoved(round) || hub_.failed()) return true;
        missing = MissingMember(round);
        return missing >= 0;
      });
    }
    if (missing >= 0)
      hub_.Fail(members_[missing],
                absl::FailedPreconditionError(absl::StrFormat(
                    "has ended while rank %d waits for it", members_[member])));
  }
  return HasMoved(round) ? absl::OkStatus() : hub_.failure();
}

absl::Status LocalGroup::PostCollective(int member,
                                        const Collective& collective) {
  if (hub_.failed()) return hub_.failure();
  posted_[member].SetCollective(collective);
  return MeetAndCompare(member);
}

absl::Status LocalGroup::PostOther(int member, Posted::Kind kind,
                                   absl::string_view bytes, int root) {
  if (hub_.failed()) return hub_.failure();
  posted_[member].SetOther(kind, bytes, root);
  return MeetAndCompare(member);
}

absl::Status LocalGroup::MeetAndCompare(int member) {
  MPC_RETURN_IF_ERROR(Meet(member));
  for (int i = 1; i < size(); ++i) {
    if (Agree(posted_[0], posted_[i])) continue;
    hub_.Fail(members_[i],
              absl::InvalidArgumentError(absl::StrFormat(
                  "starts %s, rank %d starts %s", Describe(posted_[i]),
                  members_[0], Describe(posted_[0]))));
    return hub_.failure();
  }
  return absl::OkStatus();
}

void LocalGroup::WakeAll() {
  // With the mutex: nobody is between a look at the hub and blocking.
  { std::lock_guard<std::mutex> lock(mutex_); }
  moved_.notify_all();
}

LocalHub::LocalHub(int size)
    : size_(size),
      everyone_(std::make_unique<LocalGroup>(*this, AllRanks(size))),
      left_(size) {}

std::shared_ptr<LocalGroup> LocalHub::FindGroup(int ordinal,
                                                absl::Span<const int> members) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int> key(members.begin(), members.end());
  std::shared_ptr<LocalGroup>& group = groups_[{ordinal, key}];
  if (!group) group = std::make_shared<LocalGroup>(*this, std::move(key));
  return group;
}

std::shared_ptr<LocalChannel> LocalHub::FindChannel(const ChannelId& id) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<LocalChannel>& channel =
      channels_[{id.number, id.source, id.destination}];
  if (!channel) channel = std::make_shared<LocalChannel>(*this, id);
  return channel;
}

void LocalHub::Fail(int rank, const absl::Status& status) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failed_) return;
    failure_ =
        absl::AbortedError(absl::StrCat("rank ", rank, ": ", status.message()));
    failed_ = true;
  }
  WakeAll();
}

absl::Status LocalHub::failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

void LocalHub::Leave(int rank) {
  left_[rank] = true;
  WakeAll();
}

void LocalHub::WakeAll() {
  std::vector<std::shared_ptr<LocalGroup>> groups;
  std::vector<std::shared_ptr<LocalChannel>> channels;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, group] : groups_) groups.push_back(group);
    for (const auto& [key, channel] : channels_) channels.push_back(channel);
  }
  everyone_->WakeAll();
  for (const auto& group : groups) group->WakeAll();
  for (const auto& channel : channels) channel->WakeAll();
}

}  // namespace mpc::runtime
