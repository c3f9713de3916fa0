// Products, copies and collectives over sizes that grow by factors.
#include "runtime/profile/measure_machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/local/local_world.h"
#include "runtime/device/device.h"
#include "runtime/status_macros.h"
#include "runtime/threads/spin.h"

namespace mpc::runtime {
namespace {

using Points = std::vector<std::pair<double, double>>;

/// What one rank measures; seconds by size.
struct Samples {
  Points products;
  Points copies;
  Points reductions;
};

/// The median time of a call of `body`, which all ranks call equally often.
template <typename Body>
absl::StatusOr<double> Measure(World& world, double budget, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const auto once = [&] {
    const Clock::time_point begin = Clock::now();
    body();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  once();
  const double first = std::max(once(), 1e-7);
  MPC_ASSIGN_OR_RETURN(const std::string said,
                       world.Broadcast(absl::StrCat(static_cast<int>(std::clamp(
                                           budget / first, 3.0, 10000.0))),
                                       0));
  std::vector<double> seconds(std::stoi(said));
  for (double& one : seconds) one = once();
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

absl::Status MeasureProducts(const ProfileOptions& options, World& world,
                             Device& device, Samples& samples) {
  for (int64_t size = 16; 2.0 * size * size * size <= options.most_flops;
       size *= 2) {
    std::vector<float> left(size * size, 0.5f), right(size * size, 0.25f),
        destination(size * size);
    GemmArguments gemm;
    gemm.rows = gemm.columns = gemm.inner = size;
    gemm.left = left.data();
    gemm.right = right.data();
    gemm.destination = destination.data();
    gemm.left_stride = gemm.right_stride = gemm.destination_stride = size;
    MPC_ASSIGN_OR_RETURN(
        const double seconds,
        Measure(world, options.seconds, [&] { device.Gemm(gemm); }));
    samples.products.emplace_back(2.0 * size * size * size, seconds);
  }
  return absl::OkStatus();
}

absl::Status MeasureCopies(const ProfileOptions& options, World& world,
                           Device& device, Samples& samples) {
  for (int64_t bytes = 1 << 10; 2.0 * bytes <= options.most_bytes; bytes *= 4) {
    std::vector<char> source(bytes, 1), destination(bytes);
    MPC_ASSIGN_OR_RETURN(const double seconds,
                         Measure(world, options.seconds, [&] {
                           device.Copy(destination.data(), bytes, source.data(),
                                       bytes, 1, bytes);
                         }));
    samples.copies.emplace_back(2.0 * bytes, seconds);
  }
  return absl::OkStatus();
}

absl::Status MeasureReductions(const ProfileOptions& options, World& world,
                               Samples& samples) {
  if (world.size() == 1) return absl::OkStatus();
  std::vector<int> members(world.size());
  std::iota(members.begin(), members.end(), 0);
  MPC_ASSIGN_OR_RETURN(const auto group, world.Split(members));
  absl::Status status;
  for (int64_t bytes = 1 << 8; bytes <= options.most_bytes; bytes *= 4) {
    const int64_t sizes[] = {bytes / 4};
    std::vector<float> data(sizes[0]);
    Collective reduction;
    reduction.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    reduction.reduction = plan::REDUCTION_SUM;
    reduction.source =
        reduction.destination = {data.data(), plan::DATA_TYPE_F32, sizes};
    MPC_ASSIGN_OR_RETURN(const double seconds,
                         Measure(world, options.seconds, [&] {
                           status.Update(group->Start(0, reduction));
                           if (status.ok()) status.Update(group->Wait(0));
                         }));
    MPC_RETURN_IF_ERROR(status);
    samples.reductions.emplace_back(bytes, seconds);
  }
  return absl::OkStatus();
}

absl::Status MeasureRank(const ProfileOptions& options, World& world,
                         Platform& platform, Samples& samples) {
  MPC_ASSIGN_OR_RETURN(const auto device,
                       platform.CreateDevice(options.threads));
  MPC_RETURN_IF_ERROR(MeasureProducts(options, world, *device, samples));
  MPC_RETURN_IF_ERROR(MeasureCopies(options, world, *device, samples));
  return MeasureReductions(options, world, samples);
}

/// Efficiencies of work that takes `fixed` seconds besides; the result is what
/// 1 means.
double SetCurve(const Points& samples, double fixed, cluster::Curve* curve) {
  Points rates;
  double best = 0;
  for (const auto& [size, seconds] : samples) {
    // A difference of small times is noise.
    if (seconds < 2 * fixed && size != samples.back().first) continue;
    rates.emplace_back(size, size / std::max(seconds - fixed, seconds / 2));
    best = std::max(best, rates.back().second);
  }
  for (const auto& [size, rate] : rates) {
    cluster::Curve::Point* point = curve->add_points();
    point->set_x(size);
    point->set_y(rate / best);
  }
  return best;
}

cluster::Cluster Describe(const ProfileOptions& options,
                          const Samples& samples) {
  cluster::Cluster cluster;
  cluster.set_name(absl::StrCat("this machine, ", options.ranks, " ranks of ",
                                options.threads, " threads"));
  cluster.set_devices(options.ranks);
  cluster.set_measured(true);
  cluster.set_source("mpc-run profile");
  cluster::Device& device = *cluster.mutable_device();
  device.set_name("CPU");
  device.set_memory_bytes(static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          sysconf(_SC_PAGESIZE) / options.ranks);
  const double launch = samples.copies.front().second;
  device.set_launch_seconds(launch);
  cluster::Peak& peak = *device.add_peaks();
  peak.set_type("f32");
  peak.set_flops_per_second(
      SetCurve(samples.products, launch, device.mutable_product_efficiency()));
  device.set_memory_bytes_per_second(
      SetCurve(samples.copies, launch, device.mutable_memory_efficiency()));
  // Two operations an element of four bytes, read and written.
  device.set_operations_per_second(device.memory_bytes_per_second() / 4);
  if (samples.reductions.empty()) return cluster;
  cluster::Link& link = *cluster.add_links();
  link.set_name("memory");
  const double start = samples.reductions.front().second;
  link.set_start_seconds(start);
  // A member passes 2 (n - 1)/n of the bytes on.
  const double passed = 2.0 * (options.ranks - 1) / options.ranks;
  link.set_bytes_per_second(
      passed * SetCurve(samples.reductions, start, link.mutable_efficiency()));
  return cluster;
}

}  // namespace

absl::StatusOr<cluster::Cluster> MeasureMachine(const ProfileOptions& options) {
  MPC_ASSIGN_OR_RETURN(const auto platform,
                       CreatePlatform(plan::DEVICE_KIND_CPU));
  Samples first;
  std::vector<absl::Status> statuses(options.ranks);
  std::vector<std::thread> threads;
  for (auto& world : CreateLocalWorlds(options.ranks))
    threads.emplace_back([&, world = std::move(world)] {
      const ComputingThread computing;
      Samples own;
      const int rank = world->rank();
      statuses[rank] =
          MeasureRank(options, *world, *platform, rank == 0 ? first : own);
      if (!statuses[rank].ok()) world->Abort(statuses[rank]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) MPC_RETURN_IF_ERROR(status);
  return Describe(options, first);
}

}  // namespace mpc::runtime
