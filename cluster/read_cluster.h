// Cluster files.
#ifndef MPC_CLUSTER_READ_CLUSTER_H_
#define MPC_CLUSTER_READ_CLUSTER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cluster/cluster.pb.h"

namespace mpc::cluster {

/// A cluster from text format. Errors name line, field, value and what is legal.
absl::StatusOr<Cluster> ParseCluster(absl::string_view text);

/// The first reason why numbers cannot be: a size that is not positive, an
/// efficiency outside 0 … 1 (exclusive 0), levels that do not nest, points out of
/// order, an unknown type.
absl::Status CheckCluster(const Cluster& cluster);

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_READ_CLUSTER_H_
