// The files of cluster/machines, as the build has packed them into the program.
#ifndef MPC_CLUSTER_MACHINE_TEXTS_H_
#define MPC_CLUSTER_MACHINE_TEXTS_H_

#include <string>
#include <vector>

namespace mpc::cluster {

struct MachineText {
  /// Of the file, without `.textproto`.
  std::string name;
  std::string text;
};

/// Sorted by name.
const std::vector<MachineText>& MachineTexts();

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_MACHINE_TEXTS_H_
