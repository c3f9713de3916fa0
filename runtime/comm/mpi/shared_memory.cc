#include "runtime/comm/mpi/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {
namespace {

/// Where another process of the machine finds the memory, and how it knows it.
struct Place {
  int64_t process;
  int64_t descriptor;
  uint64_t token;
  /// The network that the process is in: another one is another host, even if
  /// one kernel plays both.
  uint64_t network;
};

uint64_t OwnNetwork() {
  struct stat status;
  return stat("/proc/self/ns/net", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

SharedMemory::~SharedMemory() {
  for (Segment* segment : segments_)
    if (segment != nullptr) munmap(segment, sizeof(Segment));
  if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory::Segment* SharedMemory::CreateOwn() {
  descriptor_ = memfd_create("mpc-buffers", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, sizeof(Segment)) != 0)
    return nullptr;
  void* const memory = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE,
                            MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const segment = static_cast<Segment*>(memory);
  if (getrandom(&segment->token, sizeof(segment->token), 0) !=
      sizeof(segment->token))
    segment->token = static_cast<uint64_t>(getpid());
  return segment;
}

SharedMemory::Segment* SharedMemory::Map(int process, int descriptor,
                                         uint64_t token) {
  const std::string path = absl::StrCat("/proc/", process, "/fd/", descriptor);
  // Another machine's number may mean anything here, so a look at the size and
  // the token decides.
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (lseek(opened, 0, SEEK_END) == static_cast<off_t>(sizeof(Segment)))
    memory = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED,
                  opened, 0);
  close(opened);
  if (memory == MAP_FAILED) return nullptr;
  auto* const segment = static_cast<Segment*>(memory);
  if (segment->token == token) return segment;
  munmap(memory, sizeof(Segment));
  return nullptr;
}

void SharedMemory::Open(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  MPI_Comm_rank(communicator, &self_);
  segments_.assign(size, nullptr);
  segments_[self_] = CreateOwn();
  Place own = {-1, -1, 0, OwnNetwork()};
  if (segments_[self_] != nullptr)
    own = {getpid(), descriptor_, segments_[self_]->token, own.network};
  std::vector<Place> places(size);
  MPI_Allgather(&own, sizeof(own), MPI_BYTE, places.data(), sizeof(own),
                MPI_BYTE, communicator);
  std::vector<char> sees(size), reaches(size);
  for (int i = 0; i < size; ++i) {
    if (i != self_ && places[i].process >= 0 &&
        places[i].network == own.network)
      segments_[i] =
          Map(static_cast<int>(places[i].process),
              static_cast<int>(places[i].descriptor), places[i].token);
    sees[i] = segments_[i] != nullptr;
  }
  MPI_Alltoall(sees.data(), 1, MPI_CHAR, reaches.data(), 1, MPI_CHAR,
               communicator);
  reaches_.assign(reaches.begin(), reaches.end());
  if (segments_[self_] == nullptr) return;
  for (int i = kBuffers; i-- > 0;) free_.push_back(i);
}

int SharedMemory::Take() {
  const auto read =
      std::partition(abandoned_.begin(), abandoned_.end(),
                     [this](int index) { return !IsRead(index); });
  free_.insert(free_.end(), read, abandoned_.end());
  abandoned_.erase(read, abandoned_.end());
  if (free_.empty()) return -1;
  // The last ones used are those in the cache.
  const int index = free_.back();
  free_.pop_back();
  segments_[self_]->is_full[index].store(1, std::memory_order_relaxed);
  return index;
}

bool SharedMemory::IsRead(int index) const {
  return segments_[self_]->is_full[index].load(std::memory_order_acquire) == 0;
}

}  // namespace mpc::runtime
