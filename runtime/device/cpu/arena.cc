#include "runtime/device/cpu/arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_format.h"

namespace mpc::runtime {
namespace {

constexpr uint64_t kHugePage = 2 << 20;
/// Below this, huge pages would waste too much of their last one.
constexpr uint64_t kHugePagesFrom = 8 * kHugePage;

class MappedArena : public Arena {
 public:
  MappedArena(char* mapping, uint64_t mapped_bytes, char* data, uint64_t bytes)
      : mapping_(mapping),
        mapped_bytes_(mapped_bytes),
        data_(data),
        bytes_(bytes) {}
  ~MappedArena() override { munmap(mapping_, mapped_bytes_); }
  char* data() const override { return data_; }
  uint64_t bytes() const override { return bytes_; }

 private:
  char* mapping_;
  uint64_t mapped_bytes_;
  char* data_;
  uint64_t bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Arena>> AllocateArena(uint64_t bytes) {
  const bool huge = bytes >= kHugePagesFrom;
  // Room to begin at the boundary of a huge page; what is left is never touched.
  const uint64_t mapped_bytes = bytes + (huge ? kHugePage : 1);
  void* mapping = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return absl::ResourceExhaustedError(
        absl::StrFormat("%d bytes of memory for tensors: %s", bytes,
                        std::strerror(errno)));
  char* const begin = static_cast<char*>(mapping);
  char* data = begin;
  if (huge) {
    data += (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) %
            kHugePage;
    // Advice: without huge pages it is the same memory, only slower.
    madvise(data, bytes, MADV_HUGEPAGE);
  }
  return std::make_unique<MappedArena>(begin, mapped_bytes, data, bytes);
}

}  // namespace mpc::runtime
