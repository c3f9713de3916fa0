// The constants of the machine that the program runs on.
#ifndef MPC_RUNTIME_PROFILE_MEASURE_MACHINE_H_
#define MPC_RUNTIME_PROFILE_MEASURE_MACHINE_H_

#include "absl/status/statusor.h"
#include "cluster/cluster.pb.h"

namespace mpc::runtime {

struct ProfileOptions {
  /// Devices of the cluster: ranks that are threads of one process.
  int ranks = 2;
  /// That each of them computes with.
  int threads = 1;
  /// For each size of each measurement.
  double seconds = 0.1;
  /// Sizes of more bytes, and products of more operations, are left out.
  double most_bytes = 64 << 20;
  double most_flops = 4e9;
};

/// A cluster of this machine alone, with `measured` set. All ranks measure at
/// the same time, as they would compute. Operations of kernels are not
/// measured: they are taken to be as fast as memory lets them.
absl::StatusOr<cluster::Cluster> MeasureMachine(const ProfileOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PROFILE_MEASURE_MACHINE_H_
