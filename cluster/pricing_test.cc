#include "cluster/pricing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/curve.h"
#include "cluster/machine_for_test.h"
#include "cluster/read_cluster.h"

namespace mpc::cluster {
namespace {

using ::testing::DoubleNear;

Cluster Round() { return ParseCluster(kRoundMachine).value(); }

auto Near(double seconds) { return DoubleNear(seconds, 1e-9 * seconds); }

Curve MakeCurve(std::initializer_list<std::pair<double, double>> points) {
  Curve curve;
  for (const auto& [x, y] : points) {
    Curve::Point* point = curve.add_points();
    point->set_x(x);
    point->set_y(y);
  }
  return curve;
}

Transfer MakeTransfer(CollectiveKind kind, int64_t bytes, Group group) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.bytes = bytes;
  transfer.group = group;
  return transfer;
}

TEST(CurveTest, IsLinearInTheLogarithmAndConstantOutside) {
  const Curve curve = MakeCurve({{10, 0.2}, {1000, 0.6}});
  EXPECT_THAT(ValueAt(curve, 1, 1), Near(0.2));
  EXPECT_THAT(ValueAt(curve, 100, 1), Near(0.4));
  EXPECT_THAT(ValueAt(curve, 1e6, 1), Near(0.6));
  EXPECT_THAT(ValueAt(Curve(), 7, 0.9), Near(0.9));
}

TEST(PricingTest, AProductIsBoundByComputingOrByItsOperands) {
  const Pricing pricing(Round());
  // 2e9 operations on 1e12 a second; its operands take 0.06 ms.
  EXPECT_THAT(pricing.Seconds(Product{1000, 1000, 1000, 1, ElementType::kF16}),
              Near(2e-3));
  // One row: 2e6 bytes of the matrix.
  EXPECT_THAT(pricing.Seconds(Product{1, 1000, 1000, 1, ElementType::kF16}),
              Near(2.004e-5));
  // A type without a peak is computed at f32's.
  EXPECT_THAT(pricing.Seconds(Product{1000, 1000, 1000, 2, ElementType::kBf16}),
              Near(4e-2));
}

TEST(PricingTest, EfficienciesAndLaunchCount) {
  Cluster cluster = Round();
  cluster.mutable_device()->set_launch_seconds(1e-3);
  *cluster.mutable_device()->mutable_product_efficiency() =
      MakeCurve({{1, 0.5}});
  *cluster.mutable_device()->mutable_narrow_efficiency() =
      MakeCurve({{100, 0.5}, {1000, 1}});
  *cluster.mutable_device()->mutable_memory_efficiency() =
      MakeCurve({{1, 0.25}});
  const Pricing pricing(cluster);
  EXPECT_THAT(pricing.Seconds(Product{1000, 1000, 1000, 1, ElementType::kF16}),
              Near(5e-3));
  EXPECT_THAT(pricing.Seconds(Product{100, 10000, 1000, 1, ElementType::kF16}),
              Near(9e-3));
  EXPECT_THAT(pricing.Seconds(Traffic{1000000, 0}), Near(1.04e-3));
  EXPECT_THAT(pricing.Seconds(Traffic{0, 0}), Near(1e-3));
}

TEST(PricingTest, AKernelIsBoundByBytesOrOperations) {
  const Pricing pricing(Round());
  EXPECT_THAT(pricing.Seconds(Traffic{1000000, 1000}), Near(1e-5));
  EXPECT_THAT(pricing.Seconds(Traffic{1000000, 1e6}), Near(1e-4));
}

TEST(PricingTest, CausalAttentionComputesHalf) {
  const Pricing pricing(Round());
  Attention attention{8, 1024, 1024, 128, false, false, ElementType::kF16};
  const double flops = 4.0 * 8 * 1024 * 1024 * 128;
  EXPECT_THAT(pricing.Seconds(attention), Near(flops / 1e12));
  attention.causal = true;
  EXPECT_THAT(pricing.Seconds(attention), Near(flops / 2e12));
  attention.gradient = true;
  EXPECT_THAT(pricing.Seconds(attention), Near(2.5 * flops / 2e12));
}

TEST(PricingTest, ARingWithinANode) {
  const Pricing pricing(Round());
  const Group node{4, 1, 4};
  EXPECT_EQ(pricing.LevelOf(node), 0);
  EXPECT_THAT(
      pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000, node)),
      Near(1.5e-4));
  EXPECT_THAT(
      pricing.Seconds(MakeTransfer(CollectiveKind::kAllGather, 1000000, node)),
      Near(0.75e-4));
  EXPECT_THAT(pricing.Seconds(
                  MakeTransfer(CollectiveKind::kReduceScatter, 1000000, node)),
              Near(0.75e-4));
  EXPECT_THAT(
      pricing.Seconds(MakeTransfer(CollectiveKind::kAllToAll, 1000000, node)),
      Near(0.75e-4));
  EXPECT_EQ(
      pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 8, Group{})), 0);
}

TEST(PricingTest, MembersOfANodeBringTheirLinks) {
  const Pricing pricing(Round());
  // One member in each of four nodes: 1.5 times the bytes over 1 GB/s.
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{4, 4, 13})),
              Near(1.5e-3));
  // Two members, a node without one between them.
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{2, 8, 9})),
              Near(1e-3));
  // Two in each of two nodes, two apart.
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{4, 2, 7})),
              Near(0.75e-3));
  // All sixteen devices: 15/8 of the bytes over four links.
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{16, 1, 16})),
              Near(1.875e-3 / 4));
  // Each of eight in two nodes sends half of its bytes out of the node.
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllToAll, 1000000,
                                           Group{8, 1, 8})),
              Near(0.5e-3));
}

TEST(PricingTest, LatencyGrowsAsATreeInAnAllReduceAndAsARingInOthers) {
  Cluster cluster = Round();
  cluster.set_devices(64);
  cluster.mutable_links(0)->set_latency_seconds(1);
  cluster.mutable_links(1)->set_latency_seconds(100);
  cluster.mutable_links(1)->set_start_seconds(0.5);
  const Pricing pricing(cluster);
  const Group all{64, 1, 64};
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 0, all)),
              Near(0.5 + 2 * 2 + 2 * 4 * 100));
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllGather, 0, all)),
              Near(0.5 + 3 + 15 * 100));
}

TEST(PricingTest, FewerMembersMayReachLess) {
  Cluster cluster = Round();
  *cluster.mutable_links(0)->mutable_group_efficiency() =
      MakeCurve({{2, 0.5}, {4, 1}});
  *cluster.mutable_links(0)->mutable_efficiency() = MakeCurve({{1, 0.5}});
  const Pricing pricing(cluster);
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{2, 1, 2})),
              Near(4e-4));
  EXPECT_THAT(pricing.Seconds(MakeTransfer(CollectiveKind::kAllReduce, 1000000,
                                           Group{4, 1, 4})),
              Near(3e-4));
}

TEST(PricingTest, MessagesShareAnAdapterWithTheirNeighbours) {
  Cluster cluster = Round();
  cluster.mutable_links(1)->set_sharing(4);
  cluster.mutable_links(1)->set_latency_seconds(1e-3);
  const Pricing pricing(cluster);
  EXPECT_EQ(pricing.LevelOf(2, 3), 0);
  EXPECT_EQ(pricing.LevelOf(3, 4), 1);
  EXPECT_THAT(pricing.MessageSeconds(1000000, 2, 3), Near(1e-4));
  // Alone on an adapter of 4 GB/s; of two; all four.
  EXPECT_THAT(pricing.MessageSeconds(1000000, 3, 4), Near(1.25e-3));
  EXPECT_THAT(pricing.MessageSeconds(1000000, 2, 4), Near(1.5e-3));
  EXPECT_THAT(pricing.MessageSeconds(1000000, 0, 8), Near(2e-3));
  EXPECT_EQ(pricing.MessageSeconds(1000000, 3, 3), 0);
}

TEST(PricingTest, MemoryIsWhatOthersDoNotKeep) {
  EXPECT_EQ(Pricing(Round()).usable_bytes(), 900000);
}

}  // namespace
}  // namespace mpc::cluster
