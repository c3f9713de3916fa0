#include "runtime/plan/layout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/arena_layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/plan/parse_text_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

plan::Mesh TestMesh() {
  return ParseText<plan::Mesh>(
      R"pb(axes { name: "dp" size: 2 } axes { name: "tp" size: 4 })pb");
}

TEST(LayoutTest, TypesHaveSizesAndNames) {
  EXPECT_EQ(DataTypeBytes(plan::DATA_TYPE_F32), 4);
  EXPECT_EQ(DataTypeBytes(plan::DATA_TYPE_I32), 4);
  EXPECT_EQ(DataTypeBytes(plan::DATA_TYPE_BF16), 2);
  EXPECT_EQ(DataTypeBytes(plan::DATA_TYPE_F16), 2);
  EXPECT_EQ(DataTypeBytes(plan::DATA_TYPE_UNSPECIFIED), 0);
  EXPECT_EQ(DataTypeName(plan::DATA_TYPE_BF16), "bf16");
}

TEST(LayoutTest, TheSpanOfASliceEndsWithItsLastElement) {
  plan::Slice slice;
  slice.set_type(plan::DATA_TYPE_F32);
  EXPECT_EQ(SpanBytes(slice), 4);
  slice.add_sizes(3);
  slice.add_sizes(5);
  EXPECT_EQ(SpanBytes(slice), 60);
  EXPECT_TRUE(IsDense(slice));
  slice.set_row_stride(5);
  EXPECT_TRUE(IsDense(slice));
  slice.set_row_stride(8);
  EXPECT_FALSE(IsDense(slice));
  EXPECT_EQ(SpanBytes(slice), (2 * 8 + 5) * 4);
}

TEST(LayoutTest, ABoxIsTheRanksPart) {
  const auto state = ParseText<plan::State>(R"pb(
    global_sizes: 16 global_sizes: 6 global_sizes: 5
    sharding { dimensions { axes: 1 axes: 0 } dimensions {} dimensions {} })pb");
  // Rank 6 is dp=1, tp=2: block 2·2 + 1 of 8.
  const Box box = LocalBox(TestMesh(), state, 6);
  EXPECT_THAT(box.offsets, ElementsAre(10, 0, 0));
  EXPECT_THAT(box.sizes, ElementsAre(2, 6, 5));
  EXPECT_THAT(LocalBox(TestMesh(), plan::State(), 6).sizes, IsEmpty());
}

TEST(LayoutTest, ABoxIsClippedToTheLogicalPart) {
  const Box box = {{10, 4}, {2, 2}};
  EXPECT_THAT(ClipToLogical(box, {16, 6}).sizes, ElementsAre(2, 2));
  EXPECT_THAT(ClipToLogical(box, {11, 5}).sizes, ElementsAre(1, 1));
  EXPECT_THAT(ClipToLogical(box, {9, 5}).sizes, ElementsAre(0, 1));
  EXPECT_THAT(ClipToLogical(box, {9, 5}).offsets, ElementsAre(10, 4));
}

TEST(LayoutTest, EveryBlockHasOneFirstReplica) {
  const auto mesh = ParseText<plan::Mesh>(
      R"pb(axes { name: "pp" size: 2 } axes { name: "dp" size: 2 } axes { name: "tp" size: 2 })pb");
  plan::State state =
      ParseText<plan::State>("sharding { dimensions { axes: 2 } }");
  std::vector<int64_t> first;
  for (int64_t rank = 0; rank < 8; ++rank)
    if (IsFirstReplica(mesh, state, rank)) first.push_back(rank);
  EXPECT_THAT(first, ElementsAre(0, 1, 4, 5));
}

TEST(LayoutTest, RegionsFollowEachOtherInTheArena) {
  const auto role = ParseText<plan::Role>(
      "persistent_bytes: 100 slot_bytes: 65 slots: 3 transient_bytes: 1");
  const ArenaLayout layout(role);
  EXPECT_EQ(layout.bytes(), 128u + 3 * 128 + 64);
  plan::Slice slice;
  slice.set_offset_bytes(64);
  slice.set_region(plan::REGION_PERSISTENT);
  EXPECT_EQ(layout.Offset(slice, 2), 64u);
  slice.set_region(plan::REGION_SLOT);
  EXPECT_EQ(layout.Offset(slice, 0), 128u + 64);
  EXPECT_EQ(layout.Offset(slice, 2), 128u + 256 + 64);
  slice.set_region(plan::REGION_TRANSIENT);
  EXPECT_EQ(layout.Offset(slice, 2), 128u + 384 + 64);
}

}  // namespace
}  // namespace mpc::runtime
