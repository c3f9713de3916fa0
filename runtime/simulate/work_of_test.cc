#include "runtime/simulate/work_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "runtime/simulate/simulate_for_test.h"

namespace mpc::runtime {
namespace {

/// The work of the first command.
std::optional<cluster::Work> WorkOfText(const std::string& command) {
  const plan::Plan plan = OneList(command);
  return WorkOf(plan, plan.roles(0).lists(0).commands(0));
}

int64_t BytesOf(const std::string& command) {
  return std::get<cluster::Traffic>(*WorkOfText(command)).bytes;
}

TEST(WorkOfTest, AProductHasItsBatchesAndTheTypeOfItsOperands) {
  const auto work = WorkOfText(R"(commands { gemm {
      rows: 2 inner: 3 columns: 5 left { type: DATA_TYPE_BF16 }
      destination { type: DATA_TYPE_F32 }
      batch { count: 4 } batch { count: 7 } } })");
  const auto& product = std::get<cluster::Product>(*work);
  EXPECT_EQ(product.rows, 2);
  EXPECT_EQ(product.inner, 3);
  EXPECT_EQ(product.columns, 5);
  EXPECT_EQ(product.count, 28);
  EXPECT_EQ(product.type, cluster::ElementType::kBf16);
  EXPECT_EQ(FlopsOf(*work), 2.0 * 2 * 3 * 5 * 28);
}

TEST(WorkOfTest, AttentionHasAHeadForEachSampleAndGroup) {
  const std::string forward = R"(causal: true
      query { sizes: 2 sizes: 16 sizes: 3 sizes: 4 sizes: 8
              type: DATA_TYPE_F16 }
      key { sizes: 2 sizes: 32 sizes: 3 sizes: 8 })";
  const auto work = WorkOfText("commands { attention { " + forward + "} }");
  const auto& attention = std::get<cluster::Attention>(*work);
  EXPECT_EQ(attention.heads, 24);
  EXPECT_EQ(attention.queries, 16);
  EXPECT_EQ(attention.keys, 32);
  EXPECT_EQ(attention.depth, 8);
  EXPECT_TRUE(attention.causal);
  EXPECT_EQ(FlopsOf(*work), 4.0 * 24 * 16 * 32 * 8 / 2);
  const auto gradient =
      WorkOfText("commands { attention_grad { forward { " + forward + "} } }");
  EXPECT_EQ(FlopsOf(*gradient), 10.0 * 24 * 16 * 32 * 8 / 2);
}

TEST(WorkOfTest, AKernelMovesAllOfItsOperands) {
  EXPECT_EQ(BytesOf(R"(commands { kernel { kernel: 1
      inputs { type: DATA_TYPE_BF16 sizes: 10 }
      inputs { type: DATA_TYPE_F32 }
      outputs { type: DATA_TYPE_F32 sizes: 5 sizes: 2 } } })"),
            20 + 4 + 40);
}

TEST(WorkOfTest, AnEmbeddingReadsNoMoreOfItsTableThanItWrites) {
  EXPECT_EQ(BytesOf(R"(commands { kernel { kernel: 0
      inputs { type: DATA_TYPE_F32 sizes: 1000 }
      inputs { type: DATA_TYPE_I32 sizes: 3 }
      outputs { type: DATA_TYPE_F32 sizes: 10 } } })"),
            40 + 12 + 40);
}

TEST(WorkOfTest, CopiesReadAndWriteAndFillsWrite) {
  const std::string small = "{ type: DATA_TYPE_F32 sizes: 10 }";
  const std::string large = "{ type: DATA_TYPE_F32 sizes: 20 }";
  EXPECT_EQ(BytesOf("commands { copy { source " + small + " destination " +
                    small + " } }"),
            80);
  EXPECT_EQ(BytesOf("commands { shard { source " + large + " destination " +
                    small + " } }"),
            80);
  EXPECT_EQ(BytesOf("commands { keep_on_first { source " + small +
                    " destination " + small + " } }"),
            80);
  EXPECT_EQ(BytesOf("commands { fill { destination " + small + " } }"), 40);
}

TEST(WorkOfTest, CommunicationComputesNothing) {
  EXPECT_FALSE(WorkOfText(Wait(0)).has_value());
  EXPECT_FALSE(WorkOfText(Start(0, 0)).has_value());
}

TEST(WorkOfTest, GroupsLieWhereTheirAxesAre) {
  const plan::Plan plan = OneList(Start(0, 0));
  plan::Mesh mesh;
  for (int64_t size : {3, 4, 2}) mesh.add_axes()->set_size(size);
  auto places = [&](std::initializer_list<uint32_t> axes) {
    plan::Group group;
    for (uint32_t axis : axes) group.add_axes(axis);
    const cluster::Group found = PlacesOf(mesh, group);
    return std::vector<int64_t>{found.size, found.stride, found.span};
  };
  EXPECT_THAT(places({2}), ::testing::ElementsAre(2, 1, 2));
  EXPECT_THAT(places({1}), ::testing::ElementsAre(4, 2, 7));
  EXPECT_THAT(places({0, 2}), ::testing::ElementsAre(6, 1, 18));
  EXPECT_THAT(places({0, 1, 2}), ::testing::ElementsAre(24, 1, 24));
}

TEST(WorkOfTest, ACollectiveCountsTheWholeOfItsTensor) {
  plan::Plan plan = OneList(Start(0, 1));
  auto& start = *plan.mutable_roles(0)
                     ->mutable_lists(0)
                     ->mutable_commands(0)
                     ->mutable_collective_start();
  EXPECT_EQ(TransferOf(plan, start).bytes, 400000);
  EXPECT_EQ(TransferOf(plan, start).group.stride, 2);
  start.set_kind(plan::COLLECTIVE_KIND_ALL_GATHER);
  start.mutable_source()->set_sizes(0, 50000);
  EXPECT_EQ(TransferOf(plan, start).bytes, 400000);
  EXPECT_EQ(TransferOf(plan, start).kind, cluster::CollectiveKind::kAllGather);
}

}  // namespace
}  // namespace mpc::runtime
