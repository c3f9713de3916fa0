#include "runtime/profile/measure_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/read_cluster.h"

namespace mpc::runtime {
namespace {

TEST(MeasureMachineTest, GivesAValidCluster) {
  for (const int ranks : {1, 2}) {
    ProfileOptions options;
    options.ranks = ranks;
    options.seconds = 0;
    options.most_bytes = 1 << 16;
    options.most_flops = 1e6;
    const auto cluster = MeasureMachine(options);
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    EXPECT_TRUE(cluster::CheckCluster(*cluster).ok())
        << cluster::CheckCluster(*cluster);
    EXPECT_TRUE(cluster->measured());
    EXPECT_EQ(cluster->devices(), ranks);
    EXPECT_EQ(cluster->links_size(), ranks - 1);
    EXPECT_FALSE(cluster->device().overlaps_transfers());
    // Of 16, 32 and 64; of 1 KB to 16 KB: those that take longer than a launch.
    EXPECT_GE(cluster->device().product_efficiency().points_size(), 1);
    EXPECT_LE(cluster->device().product_efficiency().points_size(), 3);
    EXPECT_LE(cluster->device().memory_efficiency().points_size(), 3);
  }
}

}  // namespace
}  // namespace mpc::runtime
