// Plans and a cluster with round numbers.
#ifndef MPC_RUNTIME_SIMULATE_SIMULATE_FOR_TEST_H_
#define MPC_RUNTIME_SIMULATE_SIMULATE_FOR_TEST_H_

#include <google/protobuf/text_format.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "cluster/machine_for_test.h"
#include "cluster/read_cluster.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

inline cluster::Cluster RoundCluster() {
  return cluster::ParseCluster(cluster::kRoundMachine).value();
}

/// Takes 20 microseconds on the round machine; its operands lie far from
/// others.
inline std::string Gemm20(const std::string& location = "product",
                          int64_t offset = 1'000'000) {
  const std::string slice =
      "{ region: REGION_TRANSIENT type: DATA_TYPE_F32 sizes: 100 sizes: 100";
  return absl::StrCat("commands { location: \"", location,
                      "\" gemm { rows: 100 columns: 100 inner: 100 left ",
                      slice, " offset_bytes: 2000000 } right ", slice,
                      " offset_bytes: 3000000 } destination ", slice,
                      " offset_bytes: ", offset, " } } }\n");
}

/// An all_reduce of 400,000 bytes: 40 microseconds between two devices of a
/// node.
inline std::string Start(int handle, int group, int64_t offset = 0) {
  const std::string slice = absl::StrCat(
      "{ region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 100000 "
      "offset_bytes: ",
      offset, " }");
  return absl::StrCat(
      "commands { location: \"sum\" collective_start { kind: "
      "COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: ",
      group, " source ", slice, " destination ", slice, " handle: ", handle,
      " } }\n");
}

inline std::string Wait(int handle) {
  return absl::StrCat("commands { location: \"sum\" collective_wait { handle: ",
                      handle, " } }\n");
}

/// One stage on dp=2 tp=2, group 0 over tp, group 1 over dp; one list that runs
/// once.
inline plan::Plan OneList(const std::string& commands) {
  plan::Plan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      absl::StrCat(R"(
          strategy: "dp=2 tp=2" model_name: "tiny" parameter_count: 12345
          mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 2 } }
          groups { axes: 1 } groups { axes: 0 }
          target { kernels { symbol: "e" description: "embedding" }
                   kernels { symbol: "k" description: "gelu" } }
          training { sequence_length: 4 global_batch: 8 microbatches: 1 }
          roles { persistent_bytes: 400000 transient_bytes: 500
            schedule { list: 0 }
            lists { name: "all" phase: PHASE_FORWARD_BACKWARD
                    variant: VARIANT_ONLY )",
                   commands, "} }"),
      &plan));
  return plan;
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_SIMULATE_FOR_TEST_H_
