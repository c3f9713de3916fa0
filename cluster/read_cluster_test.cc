#include "cluster/read_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "cluster/machine_for_test.h"

namespace mpc::cluster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

/// The error of the round machine with one text replaced.
std::string ErrorWith(const std::string& from, const std::string& to) {
  const std::string text = absl::StrReplaceAll(kRoundMachine, {{from, to}});
  EXPECT_NE(text, kRoundMachine);
  return std::string(ParseCluster(text).status().message());
}

TEST(ReadClusterTest, ReadsAMachine) {
  const auto cluster = ParseCluster(kRoundMachine);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->devices(), 16);
  EXPECT_EQ(cluster->links(1).name(), "network");
}

struct Case {
  std::string from, to, message;
};

TEST(ReadClusterTest, AFaultIsNamed) {
  const Case cases[] = {
      Case{"devices: 16", "gpus: 16",
           "line 3: Cluster has no field \"gpus\"; fields: name, devices, "
           "device"},
      Case{"memory_bytes: 1000000", "memory_bytes: many", "line 6: "},
      Case{"devices: 16", "devices: 0",
           "line 3: devices is 0, expected a positive number"},
      Case{"memory_bytes: 1000000", "memory_bytes: 0",
           "line 6: device.memory_bytes is 0, expected a positive number"},
      Case{"reserved_bytes: 100000", "reserved_bytes: 1000000",
           "line 7: device.reserved_bytes is 1000000, expected less than"},
      Case{"type: \"f16\"", "type: \"f8\"",
           "line 9: device.peaks[1].type is \"f8\", expected \"f32\", "
           "\"bf16\" or "
           "\"f16\""},
      Case{"type: \"f16\"", "type: \"f32\"",
           "line 9: device.peaks[1].type is \"f32\" for the second time"},
      Case{"type: \"f32\"", "type: \"bf16\"",
           "device.peaks have none of type \"f32\""},
      Case{"flops_per_second: 1e12", "flops_per_second: -1",
           "line 9: device.peaks[1].flops_per_second is -1"},
      Case{"memory_bytes_per_second: 1e11", "memory_bytes_per_second: 0",
           "line 10: device.memory_bytes_per_second is 0"},
      Case{"operations_per_second: 1e10", "operations_per_second: nan",
           "line 11: device.operations_per_second is nan"},
      Case{"overlaps_transfers: true", "launch_seconds: -1",
           "line 12: device.launch_seconds is -1, expected a number that is "
           "not"},
      Case{"overlaps_transfers: true",
           "product_efficiency { points { x: 1 y: 1.5 } }",
           "line 12: device.product_efficiency.points[0].y is 1.5, expected "
           "an "
           "efficiency above 0, at most 1"},
      Case{"overlaps_transfers: true",
           "memory_efficiency { points { x: 1 y: 0 } }",
           "device.memory_efficiency.points[0].y is 0"},
      Case{"overlaps_transfers: true",
           "attention_efficiency { points { x: 0 y: 1 } }",
           "device.attention_efficiency.points[0].x is 0"},
      Case{"overlaps_transfers: true",
           "narrow_efficiency { points { x: 2 y: 1 } points { x: 2 y: 1 } }",
           "device.narrow_efficiency.points[1].x is 2, expected more than "
           "the 2"},
      Case{"  devices: 4", "  devices: 0",
           "line 16: links[0].devices is 0, which means all"},
      Case{"  devices: 4", "  devices: -4", "links[0].devices is -4"},
      Case{"  name: \"network\"", "  devices: 6",
           "line 20: links[1].devices is 6, expected a multiple of the 4"},
      Case{"  name: \"network\"", "  devices: 8",
           "links[1].devices is 8 in the outermost level, but the cluster "
           "has 16"},
      Case{"bytes_per_second: 1e9", "bytes_per_second: 0",
           "line 21: links[1].bytes_per_second is 0"},
      Case{"bytes_per_second: 1e9", "bytes_per_second: 1 latency_seconds: -1",
           "links[1].latency_seconds is -1"},
      Case{"bytes_per_second: 1e9", "bytes_per_second: 1 start_seconds: -1",
           "links[1].start_seconds is -1"},
      Case{"bytes_per_second: 1e9", "bytes_per_second: 1 sharing: -1",
           "links[1].sharing is -1"},
      Case{"bytes_per_second: 1e9",
           "bytes_per_second: 1 efficiency { points { x: 1 y: 2 } }",
           "links[1].efficiency.points[0].y is 2"},
      Case{"bytes_per_second: 1e9",
           "bytes_per_second: 1 message_efficiency { points { x: 1 y: 2 } }",
           "links[1].message_efficiency.points[0].y is 2"},
      Case{"bytes_per_second: 1e9",
           "bytes_per_second: 1 group_efficiency { points { x: 1 y: 2 } }",
           "links[1].group_efficiency.points[0].y is 2"},
  };
  for (const Case& fault : cases)
    EXPECT_THAT(ErrorWith(fault.from, fault.to), HasSubstr(fault.message));
}

TEST(ReadClusterTest, SeveralDevicesNeedLinks) {
  Cluster cluster = ParseCluster(kRoundMachine).value();
  cluster.clear_links();
  EXPECT_EQ(CheckCluster(cluster).message(),
            "links are none, expected at least one level for 16 devices");
  cluster.set_devices(1);
  EXPECT_TRUE(CheckCluster(cluster).ok());
}

TEST(MachinesTest, AllAreValid) {
  EXPECT_THAT(
      MachineNames(),
      IsSupersetOf({"v100_dgx2h", "a100_dgx_80gb", "a100_dgx_40gb", "h100_dgx",
                    "h200_dgx", "b200_dgx", "gb200_nvl72", "aws_p3_16xlarge",
                    "aws_p4d_24xlarge", "aws_p5_48xlarge", "cpu_2_cores"}));
  for (const std::string& name : MachineNames())
    EXPECT_TRUE(Machine(name).ok()) << name << ": " << Machine(name).status();
}

TEST(MachinesTest, AnUnknownOneNamesTheKnown) {
  EXPECT_THAT(std::string(Machine("dgx").status().message()),
              HasSubstr("no machine is called dgx; machines: a100_dgx_40gb, "));
}

}  // namespace
}  // namespace mpc::cluster
