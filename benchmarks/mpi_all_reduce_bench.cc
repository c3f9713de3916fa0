// GB/s of payload of an in-place all-reduce among processes: MPC's beside loops
// of bare MPI_Allreduce over pieces of any size, in turns. Start with
// `mpirun -n 2`.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "runtime/comm/mpi/mpi_process.h"
#include "runtime/comm/mpi/mpi_world.h"

namespace mpc {
namespace {

constexpr int kRounds = 11;

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

void Compare(runtime::Communicator &group, int64_t bytes) {
  const int64_t sizes[] = {bytes / 4};
  std::vector<float> data(sizes[0]);
  runtime::Collective c;
  c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
  c.reduction = plan::REDUCTION_SUM;
  c.source = c.destination = {data.data(), plan::DATA_TYPE_F32, sizes};
  std::vector<std::function<void()>> sides = {[&] {
    if (!group.Start(0, c).ok() || !group.Wait(0).ok())
      std::abort();
  }};
  std::vector<int64_t> pieces = {0};
  for (int64_t piece = std::min<int64_t>(bytes, 64 << 10); piece <= bytes;
       piece *= 4) {
    pieces.push_back(piece);
    sides.push_back([&, piece] {
      for (int64_t at = 0; at < bytes; at += piece)
        MPI_Allreduce(MPI_IN_PLACE, data.data() + at / 4,
                      static_cast<int>(piece / 4), MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD);
    });
  }
  const int repeats = bytes < 1 << 20 ? 50 : bytes < 16 << 20 ? 5 : 2;
  std::vector<std::vector<double>> seconds(sides.size());
  for (int round = 0; round <= kRounds; ++round)
    for (size_t side = 0; side < sides.size(); ++side) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < repeats; ++i)
        sides[side]();
      const double time = (MPI_Wtime() - begin) / repeats;
      // The first round warms up.
      if (round > 0)
        seconds[side].push_back(time);
    }
  size_t best = 1;
  std::vector<double> medians;
  for (const auto &of_side : seconds)
    medians.push_back(Median(of_side));
  for (size_t side = 1; side < sides.size(); ++side)
    if (medians[side] < medians[best])
      best = side;
  if (group.rank() == 0)
    std::printf(
        "%9ld bytes  mpc %9.1f us %6.2f GB/s  best MPI_Allreduce (pieces of "
        "%ld) %9.1f us %6.2f GB/s  ratio %.2f\n",
        bytes, medians[0] * 1e6, bytes / medians[0] * 1e-9, pieces[best],
        medians[best] * 1e6, bytes / medians[best] * 1e-9,
        medians[best] / medians[0]);
}

} // namespace
} // namespace mpc

int main() {
  using namespace mpc::runtime;
  auto process = MpiProcess::Start(Watch::Seconds(60), nullptr);
  if (!process.ok()) {
    std::fprintf(stderr, "%s\n", process.status().ToString().c_str());
    return 1;
  }
  {
    auto world = CreateMpiWorld(process->get(), 0, (*process)->size());
    std::vector<int> members(world->size());
    std::iota(members.begin(), members.end(), 0);
    auto group = *world->Split(members);
    for (int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4)
      mpc::Compare(*group, bytes);
  }
  return (*process)->Finish().ok() ? 0 : 1;
}
