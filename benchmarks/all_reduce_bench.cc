// GB/s of payload of an in-place all-reduce among threads of one process.
// Arguments: numbers of ranks (default 2 4).
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "benchmarks/stopwatch.h"
#include "runtime/comm/local/local_world.h"
#include "runtime/threads/spin.h"

namespace mpc {
namespace {

void RunRank(runtime::World& world) {
  runtime::ComputingThread computing;
  std::vector<int> members(world.size());
  std::iota(members.begin(), members.end(), 0);
  auto group = *world.Split(members);
  for (int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
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
      std::printf("%d ranks %9ld bytes  %8.2f us  %6.2f GB/s\n", world.size(),
                  bytes, seconds.median / repeats * 1e6,
                  bytes * repeats / seconds.median * 1e-9);
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
