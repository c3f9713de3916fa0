// GB/s of payload of an in-place all-reduce among threads of one process, and the
// share of what the memory's bandwidth allows for its traffic: every rank reads and
// writes as many bytes as the tensor has, whatever their number, which is what a
// copy of that size does. Bandwidth is that of all ranks copying 64 MB at once.
// Arguments: numbers of ranks (default 2 4).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "benchmarks/stopwatch.h"
#include "runtime/comm/local/local_world.h"
#include "runtime/threads/spin.h"

namespace mpc {
namespace {

constexpr int64_t kLargest = 64 << 20;

/// Seconds in which each rank copies the largest size, while all do.
double CopySeconds(runtime::World& world) {
  std::vector<char> source(kLargest, 1), destination(kLargest, 2);
  if (!world.Barrier().ok()) std::abort();
  const auto seconds = benchmarks::Measure(11, [&] {
    std::memcpy(destination.data(), source.data(), kLargest);
    // Somebody may read it.
    asm volatile("" : : "r"(destination.data()) : "memory");
  });
  return seconds.median;
}

void RunRank(runtime::World& world) {
  runtime::ComputingThread computing;
  std::vector<int> members(world.size());
  std::iota(members.begin(), members.end(), 0);
  auto group = *world.Split(members);
  const double copy = CopySeconds(world) / kLargest;
  for (int64_t bytes = 1 << 10; bytes <= kLargest; bytes *= 4) {
    const int64_t sizes[] = {bytes / 4};
    std::vector<float> data(sizes[0]);
    runtime::Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = c.destination = {data.data(), plan::DATA_TYPE_F32, sizes};
    const int repeats = bytes < 1 << 20 ? 200 : 3;
    const auto seconds = benchmarks::Measure(11, [&] {
      for (int i = 0; i < repeats; ++i)
        if (!group->Start(0, c).ok() || !group->Wait(0).ok()) std::abort();
    });
    if (world.rank() == 0)
      std::printf(
          "%d ranks %9ld bytes  %8.2f us  %6.2f GB/s  %.2f of the memory's\n",
          world.size(), bytes, seconds.median / repeats * 1e6,
          bytes * repeats / seconds.median * 1e-9,
          bytes * copy * repeats / seconds.median);
    if (!world.Barrier().ok()) std::abort();
  }
}

}  // namespace
}  // namespace mpc

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {2, 4};
  for (int size : sizes) {
    std::vector<std::thread> threads;
    for (auto& world : mpc::runtime::CreateLocalWorlds(size))
      threads.emplace_back(
          [world = std::move(world)] { mpc::RunRank(*world); });
    for (std::thread& thread : threads) thread.join();
  }
}
