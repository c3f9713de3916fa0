#include "runtime/comm/mpi/engine.h"

#include <immintrin.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Waiting for so long, a rank lets other threads have the core, and then
/// rests.
constexpr Clock::duration kSpins = std::chrono::milliseconds(2);
constexpr Clock::duration kYields = std::chrono::milliseconds(10);
constexpr long kRestNanoseconds = 50'000;

/// Of a tag's 30 bits: four tags a stream, and worlds in turn, so that what an
/// aborted world has left behind is not taken for a message of a later one.
constexpr int kWorlds = 1 << 14;

}  // namespace

Engine::Engine(MpiProcess* process, int world)
    : process_(process),
      world_(world),
      // Of all cores: a launcher may have bound each process to one.
      is_crowded_(static_cast<long>(process->ranks_of_this_machine().size()) >
                  sysconf(_SC_NPROCESSORS_ONLN)) {}

Engine::~Engine() {
  for (MPI_Request& request : requests_) {
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
}

void Engine::Remove(Lane* lane) {
  lanes_.erase(std::remove(lanes_.begin(), lanes_.end(), lane), lanes_.end());
}

int Engine::TagOf(uint32_t stream, int which) const {
  return static_cast<int>((world_ % kWorlds * kStreams + stream) * 4 + which);
}

absl::Status Engine::Take(int code, Ticket* ticket, MPI_Request request) {
  if (code != MPI_SUCCESS) return Fail(rank(), MpiError(code));
  ticket->is_busy = true;
  requests_.push_back(request);
  tickets_.push_back(ticket);
  return absl::OkStatus();
}

absl::Status Engine::Send(const void* data, int64_t bytes, int peer, int tag,
                          bool is_synchronous, Ticket* ticket) {
  MPI_Request request;
  const auto send = is_synchronous ? MPI_Issend : MPI_Isend;
  return Take(send(data, static_cast<int>(bytes), MPI_BYTE, peer, tag,
                   process_->communicator(), &request),
              ticket, request);
}

absl::Status Engine::Receive(void* data, int64_t bytes, int peer, int tag,
                             Ticket* ticket) {
  MPI_Request request;
  return Take(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag,
                        process_->communicator(), &request),
              ticket, request);
}

absl::StatusOr<bool> Engine::Poll() {
  if (requests_.empty()) return false;
  completed_.resize(requests_.size());
  int count = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                   completed_.data(), MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) return Fail(rank(), MpiError(code));
  if (count == MPI_UNDEFINED || count == 0) return false;
  std::sort(completed_.begin(), completed_.begin() + count,
            std::greater<int>());
  for (int i = 0; i < count; ++i) {
    const int at = completed_[i];
    tickets_[at]->is_busy = false;
    requests_[at] = requests_.back();
    tickets_[at] = tickets_.back();
    requests_.pop_back();
    tickets_.pop_back();
  }
  return true;
}

absl::Status Engine::Check() {
  if (seen_news_ == watch().news()) return failure_;
  seen_news_ = watch().news();
  failure_ = watch().Failure(world_);
  return failure_;
}

void Engine::Idle(Clock::duration waited) const {
  if (!is_crowded_ && waited < kSpins) {
    _mm_pause();
  } else if (waited < kYields) {
    sched_yield();
  } else {
    const timespec rest = {0, kRestNanoseconds};
    nanosleep(&rest, nullptr);
  }
}

absl::Status Engine::Await(absl::FunctionRef<bool()> done) {
  uint64_t seen = 0;
  std::optional<Clock::time_point> idle_since;
  for (;;) {
    for (Lane* lane : lanes_) MPC_RETURN_IF_ERROR(lane->Advance());
    if (done()) return absl::OkStatus();
    if (seen != watch().news()) {
      seen = watch().news();
      MPC_RETURN_IF_ERROR(Check());
      for (Lane* lane : lanes_) lane->LookForMissing();
      MPC_RETURN_IF_ERROR(Check());
    }
    MPC_ASSIGN_OR_RETURN(const bool has_moved, Poll());
    if (has_moved) {
      idle_since.reset();
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (!idle_since) idle_since = now;
    Idle(now - *idle_since);
  }
}

absl::Status Engine::Fail(int rank, const absl::Status& status) {
  watch().Fail(world_, rank, status);
  return Check();
}

std::unique_ptr<char[]> Engine::TakeBuffer() {
  if (buffers_.empty())
    return std::unique_ptr<char[]>(new char[SharedMemory::kBufferBytes]);
  std::unique_ptr<char[]> buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void Engine::ReturnBuffer(std::unique_ptr<char[]> buffer) {
  buffers_.push_back(std::move(buffer));
}

}  // namespace mpc::runtime
