// A machine with round numbers.
#ifndef MPC_CLUSTER_MACHINE_FOR_TEST_H_
#define MPC_CLUSTER_MACHINE_FOR_TEST_H_

namespace mpc::cluster {

/// Nodes of four devices: 1 TFLOP/s (16 bit; f32 a tenth), 100 GB/s of memory,
/// 10 GB/s within the node and 1 GB/s between nodes.
inline constexpr char kRoundMachine[] = R"(
name: "round"
devices: 16
device {
  name: "round device"
  memory_bytes: 1000000
  reserved_bytes: 100000
  peaks { type: "f32" flops_per_second: 1e11 }
  peaks { type: "f16" flops_per_second: 1e12 }
  memory_bytes_per_second: 1e11
  operations_per_second: 1e10
  overlaps_transfers: true
}
links {
  name: "node"
  devices: 4
  bytes_per_second: 1e10
}
links {
  name: "network"
  bytes_per_second: 1e9
}
)";

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_MACHINE_FOR_TEST_H_
