// What is wrong with a cluster, and in which field.
#ifndef MPC_CLUSTER_FAULT_H_
#define MPC_CLUSTER_FAULT_H_

#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.pb.h"

namespace mpc::cluster {

struct Fault {
  /// A field from the outermost message on; `index` of repeated ones, else -1.
  struct Step {
    std::string field;
    int index = -1;
  };
  std::vector<Step> path;
  /// Continues the path, e.g. "is 0, expected a positive number".
  std::string text;

  /// E.g. `device.peaks[1].type`.
  std::string Place() const;
};

/// The first fault in the order of the file format.
std::optional<Fault> FindFault(const Cluster& cluster);

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_FAULT_H_
