#include "runtime/plan/mesh.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/parse_text_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

plan::Mesh TestMesh() {
  return ParseText<plan::Mesh>(
      R"pb(axes { name: "pp" size: 2 } axes { name: "dp" size: 3 } axes { name: "tp" size: 4 })pb");
}

plan::Group GroupOf(std::initializer_list<uint32_t> axes) {
  plan::Group group;
  for (uint32_t axis : axes) group.add_axes(axis);
  return group;
}

TEST(MeshTest, RanksAndCoordinatesAreInverse) {
  const plan::Mesh mesh = TestMesh();
  EXPECT_EQ(RankCount(mesh), 24);
  EXPECT_THAT(CoordinatesOfRank(mesh, 23), ElementsAre(1, 2, 3));
  EXPECT_THAT(CoordinatesOfRank(mesh, 6), ElementsAre(0, 1, 2));
  for (int64_t rank = 0; rank < 24; ++rank)
    EXPECT_EQ(RankOfCoordinates(mesh, CoordinatesOfRank(mesh, rank)), rank);
  EXPECT_EQ(DescribeCoordinates(mesh, 6), "pp=0 dp=1 tp=2");
}

TEST(MeshTest, AMeshWithoutAxesIsOneRank) {
  const plan::Mesh mesh;
  EXPECT_EQ(RankCount(mesh), 1);
  EXPECT_THAT(CoordinatesOfRank(mesh, 0), IsEmpty());
  EXPECT_EQ(RankOfCoordinates(mesh, {}), 0);
  EXPECT_EQ(DescribeCoordinates(mesh, 0), "");
  EXPECT_THAT(GroupMembers(mesh, {}, 0), ElementsAre(0));
}

TEST(MeshTest, BlocksCountTheAxesMajorToMinor) {
  const plan::Mesh mesh = TestMesh();
  EXPECT_EQ(BlockCount(mesh, {}), 1);
  EXPECT_EQ(BlockCount(mesh, {2, 1}), 12);
  EXPECT_EQ(BlockIndex(mesh, {}, 6), 0);
  EXPECT_EQ(BlockIndex(mesh, {1, 2}, 6), 1 * 4 + 2);
  EXPECT_EQ(BlockIndex(mesh, {2, 1}, 6), 2 * 3 + 1);
}

TEST(MeshTest, GroupsHoldTheRanksThatDifferInTheirAxes) {
  const plan::Mesh mesh = TestMesh();
  EXPECT_THAT(GroupMembers(mesh, GroupOf({2}), 6), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(GroupMembers(mesh, GroupOf({1}), 6), ElementsAre(2, 6, 10));
  EXPECT_THAT(GroupMembers(mesh, GroupOf({0, 1}), 6),
              ElementsAre(2, 6, 10, 14, 18, 22));
  EXPECT_THAT(GroupMembers(mesh, GroupOf({1, 0}), 6),
              ElementsAre(2, 14, 6, 18, 10, 22));
  EXPECT_EQ(GroupSize(mesh, GroupOf({1, 0})), 6);
  for (const plan::Group& group :
       {GroupOf({}), GroupOf({2}), GroupOf({1, 0}), GroupOf({0, 1, 2})})
    for (int64_t rank = 0; rank < 24; ++rank)
      EXPECT_EQ(
          GroupMembers(mesh, group, rank)[GroupIndex(mesh, group, rank)],
          rank);
}

TEST(MeshTest, TheStageIsTheCoordinateOfPp) {
  plan::Plan plan;
  EXPECT_EQ(StageOfRank(plan, 0), 0);
  *plan.mutable_mesh() = TestMesh();
  EXPECT_EQ(StageOfRank(plan, 11), 0);
  EXPECT_EQ(StageOfRank(plan, 12), 1);
  EXPECT_EQ(StageCount(plan.mesh()), 2);
  EXPECT_EQ(RankOfStage(plan.mesh(), 17, 0), 5);
  EXPECT_EQ(RankOfStage(plan.mesh(), 5, 1), 17);
  EXPECT_EQ(RankOfStage(plan.mesh(), 5, 0), 5);
  // In the middle, and missing.
  plan.mutable_mesh()->mutable_axes(0)->set_name("dp");
  EXPECT_EQ(StageCount(plan.mesh()), 1);
  EXPECT_EQ(RankOfStage(plan.mesh(), 7, 0), 7);
  plan.mutable_mesh()->mutable_axes(1)->set_name("pp");
  EXPECT_EQ(RankOfStage(plan.mesh(), 13, 2), 21);
}

}  // namespace
}  // namespace mpc::runtime
