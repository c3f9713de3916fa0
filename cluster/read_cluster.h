// Cluster files.
#ifndef MPC_CLUSTER_READ_CLUSTER_H_
#define MPC_CLUSTER_READ_CLUSTER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cluster/cluster.pb.h"

namespace mpc::cluster {

/// A cluster from text format. Errors name line, field, value and what is
/// legal.
absl::StatusOr<Cluster> ParseCluster(absl::string_view text);

/// The first reason why numbers cannot be: a size that is not positive, an
/// efficiency outside 0 … 1 (exclusive 0), levels that do not nest, points out
/// of order, an unknown type, more devices than the links join.
absl::Status CheckCluster(const Cluster& cluster);

/// The names of the machines that are built in (cluster/machines), sorted.
std::vector<std::string> MachineNames();

/// One of them, e.g. "a100_dgx_80gb". kNotFound names all.
absl::StatusOr<Cluster> Machine(absl::string_view name);

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_READ_CLUSTER_H_
