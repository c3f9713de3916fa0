#include "runtime/comm/local/local_channel.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/comm/local/hub.h"
#include "runtime/status_macros.h"
#include "runtime/threads/spin.h"

namespace mpc::runtime {
namespace {

ChannelSide Other(ChannelSide side) {
  return side == ChannelSide::kSource ? ChannelSide::kDestination
                                      : ChannelSide::kSource;
}

class LocalChannelEnd : public ChannelEnd {
 public:
  LocalChannelEnd(std::shared_ptr<LocalHub> hub,
                  std::shared_ptr<LocalChannel> channel, ChannelSide side)
      : hub_(std::move(hub)), channel_(std::move(channel)), side_(side) {}

  absl::Status Start(absl::Span<char> message) override {
    MPC_RETURN_IF_ERROR(channel_->Start(side_, message));
    ++started_;
    return absl::OkStatus();
  }

  absl::Status Wait() override {
    if (awaited_ == started_)
      return absl::FailedPreconditionError(
          absl::StrFormat("wait for message %d of a channel, %d were started",
                          awaited_ + 1, started_));
    return channel_->AwaitDelivery(side_, ++awaited_);
  }

 private:
  // Keeps the channel's failures, which it refers to.
  const std::shared_ptr<LocalHub> hub_;
  const std::shared_ptr<LocalChannel> channel_;
  const ChannelSide side_;
  uint64_t started_ = 0, awaited_ = 0;
};

}  // namespace

LocalChannel::LocalChannel(LocalHub& hub, ChannelId id)
    : hub_(hub), id_(std::move(id)) {}

int LocalChannel::RankOf(ChannelSide side) const {
  return side == ChannelSide::kSource ? id_.source : id_.destination;
}

absl::Status LocalChannel::Start(ChannelSide side, absl::Span<char> message) {
  if (hub_.failed()) return hub_.failure();
  absl::Span<char> other;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& waiting = started_[static_cast<int>(Other(side))];
    if (waiting.empty()) {
      started_[static_cast<int>(side)].push_back(message);
      return absl::OkStatus();
    }
    other = waiting.front();
    waiting.pop_front();
  }
  return side == ChannelSide::kSource ? Deliver(message, other)
                                      : Deliver(other, message);
}

absl::Status LocalChannel::Deliver(absl::Span<char> source,
                                   absl::Span<char> destination) {
  if (source.size() != destination.size()) {
    hub_.Fail(id_.source,
              absl::InvalidArgumentError(absl::StrFormat(
                  "message %d of channel \"%s\" has %d bytes, rank %d expects "
                  "%d bytes",
                  delivered_.load() + 1, id_.name, source.size(),
                  id_.destination, destination.size())));
    return hub_.failure();
  }
  std::memcpy(destination.data(), source.data(), source.size());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    delivered_.fetch_add(1);
  }
  moved_.notify_all();
  return absl::OkStatus();
}

absl::Status LocalChannel::AwaitDelivery(ChannelSide side, uint64_t count) {
  const int peer = RankOf(Other(side));
  const auto is_done = [&] { return delivered_.load() >= count; };
  bool is_missed = false;
  if (!SpinUntil([&] { return is_done() || hub_.failed(); })) {
    std::unique_lock<std::mutex> lock(mutex_);
    moved_.wait(lock, [&] {
      is_missed = !is_done() && hub_.has_left(peer);
      return is_done() || hub_.failed() || is_missed;
    });
  }
  if (is_missed)
    hub_.Fail(peer, absl::FailedPreconditionError(absl::StrFormat(
                        "has ended while rank %d waits for message %d of "
                        "channel \"%s\"",
                        RankOf(side), count, id_.name)));
  return hub_.failed() ? hub_.failure() : absl::OkStatus();
}

void LocalChannel::WakeAll() {
  // With the mutex: nobody is between a look at the hub and blocking.
  { std::lock_guard<std::mutex> lock(mutex_); }
  moved_.notify_all();
}

std::unique_ptr<ChannelEnd> CreateLocalChannelEnd(
    std::shared_ptr<LocalHub> hub, std::shared_ptr<LocalChannel> channel,
    ChannelSide side) {
  return std::make_unique<LocalChannelEnd>(std::move(hub), std::move(channel),
                                           side);
}

}  // namespace mpc::runtime
