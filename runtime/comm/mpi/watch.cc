// The thread holds the mutex except while it sleeps in poll.
#include "runtime/comm/mpi/watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mpc::runtime {
namespace {

constexpr int kAllWorlds = -1;
/// For a process to end by itself after a failure.
constexpr std::chrono::milliseconds kGrace(500);
/// For the reason to come in when a launcher ends this process; rank 0, which
/// tells the others, looks earlier.
constexpr std::chrono::milliseconds kTerminationGrace(600);
constexpr std::chrono::milliseconds kTerminationGraceOfFirst(250);

volatile sig_atomic_t terminated = 0;

void NoteTermination(int) { terminated = 1; }

std::string Pack(const CompletedCounts& counts) {
  std::string bytes;
  for (const auto& [stream, count] : counts) {
    bytes.append(reinterpret_cast<const char*>(&stream), sizeof(stream));
    bytes.append(reinterpret_cast<const char*>(&count), sizeof(count));
  }
  return bytes;
}

CompletedCounts Unpack(const std::string& bytes) {
  CompletedCounts counts;
  uint32_t stream;
  uint64_t count;
  constexpr size_t kEntry = sizeof(stream) + sizeof(count);
  for (size_t i = 0; i + kEntry <= bytes.size(); i += kEntry) {
    std::memcpy(&stream, bytes.data() + i, sizeof(stream));
    std::memcpy(&count, bytes.data() + i + sizeof(stream), sizeof(count));
    counts[stream] = count;
  }
  return counts;
}

}  // namespace

void CatchTermination() {
  struct sigaction action = {};
  action.sa_handler = NoteTermination;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

Watch::Watch(Options options)
    : options_(std::move(options)),
      start_(Clock::now()),
      parent_(getppid()),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      last_look_(start_),
      last_beat_(start_),
      thread_([this] { Run(); }) {}

Watch::~Watch() {
  stop_ = true;
  Wake();
  thread_.join();
  if (listener_ >= 0) close(listener_);
  close(wake_);
}

void Watch::Wake() {
  const uint64_t one = 1;
  // Full only if it has been woken already.
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void Watch::Listen(int listener, std::string token) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    listener_ = listener;
    token_ = std::move(token);
  }
  Wake();
}

void Watch::Connect(std::unique_ptr<Connection> to_first, std::string first,
                    const std::vector<Frame>& frames) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Peer& peer = peers_[0];
    peer.connection = std::move(to_first);
    peer.name = std::move(first);
    for (const Frame& frame : frames) Handle(0, frame);
  }
  Wake();
}

void Watch::EndStartUp() {
  const std::lock_guard<std::mutex> lock(mutex_);
  started_up_ = true;
}

absl::Status Watch::FailureLocked(int world) const {
  for (const int key : {world, kAllWorlds})
    if (const auto found = failures_.find(key); found != failures_.end())
      return found->second.status();
  return absl::OkStatus();
}

absl::Status Watch::LostRank::status() const {
  return absl::AbortedError(absl::StrCat("rank ", rank, ": ", message));
}

absl::Status Watch::Failure(int world) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return FailureLocked(world);
}

bool Watch::speaks() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SpeaksLocked();
}

absl::Status Watch::Overdue() const {
  const Clock::time_point now = Clock::now();
  if (failed_at_ && (!started_up_ || now - *failed_at_ > kGrace))
    return failures_.begin()->second.status();
  if (all_said_goodbye_ && now - *all_said_goodbye_ > options_.timeout)
    return absl::AbortedError("MPI does not come to its end");
  return absl::OkStatus();
}

void Watch::SendToAll(const Frame& frame, int except) {
  for (auto& [rank, peer] : peers_)
    if (rank != except && peer.connection) {
      peer.connection->Put(frame);
      peer.connection->Flush();
    }
}

void Watch::Decide(int world, int rank, const std::string& message) {
  if (!FailureLocked(world).ok()) return;
  failures_[world] = {rank, message};
  if (!failed_at_) failed_at_ = Clock::now();
  if (is_first()) SendToAll({Frame::Kind::kVerdict, world, rank, message});
  ++news_;
  changed_.notify_all();
}

void Watch::DecideLost(int rank, const std::string& why) {
  if (lost_rank_ < 0) lost_rank_ = rank;
  Decide(kAllWorlds, rank, why);
}

void Watch::Lose(int rank, const std::string& why) {
  Peer& peer = peers_[rank];
  peer.connection.reset();
  if (all_said_goodbye_ || peer.said_goodbye) return;
  DecideLost(rank, absl::StrCat(why, " (", peer.name, ")"));
}

void Watch::Fail(int world, int rank, const absl::Status& status) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::string message(status.message());
  if (!is_first() && peers_[0].connection) {
    peers_[0].connection->Put({Frame::Kind::kFailed, world, rank, message});
    peers_[0].connection->Flush();
    Wake();
    changed_.wait_for(lock, options_.timeout,
                      [&] { return !FailureLocked(world).ok(); });
  }
  Decide(world, rank, message);
}

void Watch::FailEverywhere(const absl::Status& status) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_at_) return;
  }
  Fail(kAllWorlds, options_.rank, status);
}

void Watch::Leave(int world, const CompletedCounts& counts) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_[{world, options_.rank}] = counts;
    SendToAll({Frame::Kind::kLeft, world, options_.rank, Pack(counts)});
    ++news_;
  }
  Wake();
}

std::optional<uint64_t> Watch::CompletedBy(int world, int rank,
                                           uint32_t stream) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = left_.find({world, rank});
  if (found == left_.end()) return std::nullopt;
  const auto count = found->second.find(stream);
  return count == found->second.end() ? 0 : count->second;
}

void Watch::ConcludeGoodbyes() {
  if (!is_first() || !said_goodbye_ || all_said_goodbye_) return;
  if (static_cast<int>(peers_.size()) < options_.size - 1) return;
  for (const auto& entry : peers_)
    if (!entry.second.said_goodbye) return;
  SendToAll({Frame::Kind::kGoodbye, 0, 0, ""});
  all_said_goodbye_ = Clock::now();
  changed_.notify_all();
}

absl::Status Watch::SayGoodbye() {
  std::unique_lock<std::mutex> lock(mutex_);
  said_goodbye_ = true;
  if (!is_first()) SendToAll({Frame::Kind::kGoodbye, 0, options_.rank, ""});
  ConcludeGoodbyes();
  Wake();
  changed_.wait(lock, [&] {
    return all_said_goodbye_ || !FailureLocked(kAllWorlds).ok();
  });
  return all_said_goodbye_ ? absl::OkStatus() : FailureLocked(kAllWorlds);
}

void Watch::Accept() {
  for (;;) {
    const int descriptor =
        accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    strangers_.push_back(std::make_unique<Connection>(descriptor));
  }
}

void Watch::TakeIn(size_t stranger) {
  std::vector<Frame> frames;
  const bool is_open = strangers_[stranger]->Receive(frames);
  if (is_open && frames.empty()) return;
  std::unique_ptr<Connection> connection = std::move(strangers_[stranger]);
  if (frames.empty() || frames[0].kind != Frame::Kind::kHello ||
      frames[0].text.compare(0, token_.size(), token_) != 0 ||
      frames[0].rank <= 0 || frames[0].rank >= options_.size)
    return;
  const int rank = frames[0].rank;
  connection->Put({Frame::Kind::kWelcome, 0, 0, ""});
  connection->Flush();
  for (const auto& [world, failure] : failures_)
    connection->Put(
        {Frame::Kind::kVerdict, world, failure.rank, failure.message});
  Peer& peer = peers_[rank];
  peer.connection = std::move(connection);
  peer.name = frames[0].text.substr(token_.size());
  peer.heard = Clock::now();
  for (size_t i = 1; i < frames.size(); ++i) Handle(rank, frames[i]);
  if (!is_open) Lose(rank, "has ended");
}

void Watch::Handle(int from, const Frame& frame) {
  Peer& peer = peers_[from];
  peer.heard = Clock::now();
  switch (frame.kind) {
    case Frame::Kind::kFailed:
    case Frame::Kind::kVerdict:
      Decide(frame.world, frame.rank, frame.text);
      break;
    case Frame::Kind::kLeft:
      left_[{frame.world, frame.rank}] = Unpack(frame.text);
      if (is_first()) SendToAll(frame, from);
      ++news_;
      break;
    case Frame::Kind::kGoodbye:
      peer.said_goodbye = true;
      if (!is_first()) all_said_goodbye_ = Clock::now();
      ConcludeGoodbyes();
      changed_.notify_all();
      break;
    case Frame::Kind::kHello:
    case Frame::Kind::kWelcome:
    case Frame::Kind::kBeat:
      break;
  }
}

void Watch::ReadAll() {
  if (listener_ >= 0) Accept();
  for (size_t i = 0; i < strangers_.size(); ++i) TakeIn(i);
  strangers_.erase(std::remove(strangers_.begin(), strangers_.end(), nullptr),
                   strangers_.end());
  std::vector<int> lost;
  for (auto& [rank, peer] : peers_) {
    if (!peer.connection) continue;
    std::vector<Frame> frames;
    const bool is_open =
        peer.connection->Receive(frames) && peer.connection->Flush();
    for (const Frame& frame : frames) Handle(rank, frame);
    if (!is_open) lost.push_back(rank);
  }
  for (const int rank : lost) Lose(rank, "has ended");
}

void Watch::MissThoseWhoAreSilent(Clock::time_point now) {
  if (all_said_goodbye_) return;
  const std::string limit =
      absl::StrFormat("%g s", Seconds(options_.timeout).count());
  const int first = is_first() ? 1 : 0;
  const int end = is_first() ? options_.size : std::min(1, options_.size - 1);
  for (int rank = first; rank < end; ++rank) {
    const auto found = peers_.find(rank);
    if (found == peers_.end()) {
      if (now - start_ > options_.timeout)
        DecideLost(rank, absl::StrCat("has not joined the run within ", limit));
    } else if (found->second.connection && !found->second.said_goodbye &&
               now - found->second.heard > options_.timeout) {
      DecideLost(rank, absl::StrCat("has not been heard of for ", limit, " (",
                                    found->second.name, ")"));
    }
  }
}

void Watch::LookAtSignals() {
  const Clock::time_point now = Clock::now();
  if (getppid() != parent_)
    Decide(kAllWorlds, options_.rank, "the launcher of its process has ended");
  if (terminated == 0 || failed_at_) return;
  if (!told_to_end_) told_to_end_ = now;
  if (now - *told_to_end_ <
      (is_first() ? kTerminationGraceOfFirst : kTerminationGrace))
    return;
  int missing = -1;
  if (is_first())
    for (int rank = options_.size - 1; rank > 0; --rank)
      if (peers_.count(rank) == 0) missing = rank;
  if (!is_first() && !peers_[0].connection) missing = 0;
  if (missing >= 0)
    DecideLost(missing, "had not joined the run when the launcher ended it");
  else
    Decide(kAllWorlds, options_.rank, "has been ended by its launcher");
}

void Watch::LookAtClock() {
  const Clock::time_point now = Clock::now();
  // When this process was stopped, the silence was its own.
  if (now - last_look_ > options_.timeout / 2)
    for (auto& entry : peers_) entry.second.heard = now;
  last_look_ = now;
  if (now - last_beat_ > options_.timeout / 10) {
    last_beat_ = now;
    for (auto& [rank, peer] : peers_)
      if (peer.connection && !peer.connection->has_output()) {
        peer.connection->Put({Frame::Kind::kBeat, 0, options_.rank, ""});
        peer.connection->Flush();
      }
  }
  MissThoseWhoAreSilent(now);
  LookAtSignals();
}

void Watch::AwaitEvents() {
  std::vector<pollfd> polled = {{wake_, POLLIN, 0}};
  Seconds limit = std::min<Seconds>(options_.timeout / 20, Seconds(0.1));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (listener_ >= 0) polled.push_back({listener_, POLLIN, 0});
    for (const auto& stranger : strangers_)
      polled.push_back({stranger->descriptor(), POLLIN, 0});
    for (const auto& [rank, peer] : peers_)
      if (peer.connection)
        polled.push_back(
            {peer.connection->descriptor(),
             static_cast<short>(peer.connection->has_output() ? POLLIN | POLLOUT
                                                              : POLLIN),
             0});
  }
  poll(polled.data(), polled.size(), static_cast<int>(limit.count() * 1000));
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
}

void Watch::Run() {
  while (!stop_) {
    AwaitEvents();
    absl::Status overdue;
    bool speaks;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ReadAll();
      LookAtClock();
      overdue = Overdue();
      speaks = SpeaksLocked();
    }
    if (!overdue.ok() && options_.end_process && !stop_)
      options_.end_process(overdue, speaks);
  }
}

}  // namespace mpc::runtime
