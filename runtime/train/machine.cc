// Refusing a run that does not fit beats being killed in the middle of it.
#include "runtime/train/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/cli/text_table.h"

namespace mpc::runtime {
namespace {

/// What a thread maps beside tensors: a buffer for BLAS and a heap of malloc
/// (128 MiB each, of OpenBLAS 0.3.21 and glibc), and its stack.
constexpr uint64_t kBytesPerThread = (128 + 128 + 8) << 20;

}  // namespace

int AvailableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

int DefaultThreadsPerRank(int64_t ranks) {
  return std::max<int64_t>(1, AvailableCores() / ranks);
}

absl::StatusOr<uint64_t> AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return ParseAvailableMemory(text);
}

absl::StatusOr<uint64_t> ParseAvailableMemory(absl::string_view meminfo) {
  for (absl::string_view line : absl::StrSplit(meminfo, '\n')) {
    if (!absl::ConsumePrefix(&line, "MemAvailable:")) continue;
    absl::ConsumeSuffix(&line, " kB");
    uint64_t kibibytes;
    if (absl::SimpleAtoi(line, &kibibytes)) return kibibytes * 1024;
  }
  return absl::UnavailableError(
      "/proc/meminfo does not say how much memory is available "
      "(expected a line MemAvailable)");
}

absl::Status CheckMemory(uint64_t required, int64_t arenas,
                         uint64_t available) {
  if (required <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "needs ", FormatBytes(required), " in ", arenas,
      arenas == 1 ? " arena, " : " arenas, ", FormatBytes(available),
      " available; end other programs, or compile with more microbatches, with "
      "zero=1, with more tp and less dp, or with a smaller global_batch or "
      "sequence_length (mpc-run inspect shows memory by category)"));
}

uint64_t AddressSpaceLeft() {
  // Pages: all, resident, shared, text, library, data.
  uint64_t pages[6] = {};
  std::ifstream file("/proc/self/statm");
  for (uint64_t& count : pages) file >> count;
  uint64_t left = UINT64_MAX;
  const uint64_t page_bytes = sysconf(_SC_PAGESIZE);
  for (const auto& [resource, count] :
       {std::pair(RLIMIT_AS, pages[0]), std::pair(RLIMIT_DATA, pages[5])}) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
      continue;
    const uint64_t used = count * page_bytes;
    left = std::min(left, limit.rlim_cur > used ? limit.rlim_cur - used : 0);
  }
  return left;
}

absl::Status CheckAddressSpace(uint64_t arena_bytes, int64_t threads,
                               uint64_t left) {
  const uint64_t required = arena_bytes + threads * kBytesPerThread;
  if (required <= left) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "needs ", FormatBytes(required), " of address space, ", FormatBytes(left),
      " left under the limits of the process (ulimit -v, ulimit -d); raise "
      "them, or run with fewer --threads-per-rank"));
}

}  // namespace mpc::runtime
