// Thunks that move or set elements within a rank: copy, fill, shard, keep on
// first.
#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

void WriteIota(TestRank& rank) {
  for (int i = 0; i < 64; ++i) rank.At<int32_t>(0)[i] = i;
  for (int i = 0; i < 64; ++i) rank.At<int32_t>(1024)[i] = -1;
}

std::vector<int32_t> Result(TestRank& rank, int count) {
  return {rank.At<int32_t>(1024), rank.At<int32_t>(1024) + count};
}

plan::Plan CopyPlan() {
  return PlanWithCommands(
      absl::StrCat("commands { copy { ", SliceText("source", 0, {2, 3}, "I32"),
                   SliceText("destination", 1024, {2, 3}, "I32"), "} }"));
}

plan::Command& OnlyCommand(plan::Plan& plan) {
  return *plan.mutable_roles(0)->mutable_lists(0)->mutable_commands(0);
}

TEST(CopyThunkTest, CopiesBetweenStrides) {
  for (int64_t source_stride : {0, 5})
    for (int64_t destination_stride : {0, 4}) {
      plan::Plan plan = CopyPlan();
      auto& copy = *OnlyCommand(plan).mutable_copy();
      copy.mutable_source()->set_row_stride(source_stride);
      copy.mutable_destination()->set_row_stride(destination_stride);
      RunList(plan, WriteIota, [&](TestRank& rank) {
        const int from = source_stride ? 5 : 3, to = destination_stride ? 4 : 3;
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 3; ++j)
            EXPECT_EQ(rank.At<int32_t>(1024)[i * to + j], i * from + j);
        if (to == 4) EXPECT_EQ(rank.At<int32_t>(1024)[3], -1);
        EXPECT_EQ(rank.At<int32_t>(1024)[to + 3], -1);
      });
    }
}

TEST(CopyThunkTest, ReadsTheSlotOfTheEntry) {
  plan::Plan plan = CopyPlan();
  OnlyCommand(plan).mutable_copy()->mutable_source()->set_region(
      plan::REGION_SLOT);
  RunList(
      plan,
      [](TestRank& rank) {
        for (int i = 0; i < 6; ++i) rank.At<int32_t>(2 * 4096)[i] = 70 + i;
      },
      [](TestRank& rank) {
        EXPECT_THAT(Result(rank, 6), ElementsAre(70, 71, 72, 73, 74, 75));
      });
}

TEST(CopyThunkTest, CreateRejects) {
  ExpectRejections(
      CopyPlan(),
      {{[](auto& c) { c.mutable_copy()->mutable_source()->set_sizes(0, 3); },
        "`destination` of i32 [2, 3], `source` of i32 [3, 3]; expected the "
        "same"},
       {[](auto& c) {
          c.mutable_copy()->mutable_source()->set_type(plan::DATA_TYPE_F32);
        },
        "`source` of f32 [2, 3]"},
       {[](auto& c) {
          c.mutable_copy()->mutable_destination()->set_offset_bytes(0);
        },
        "overlaps"}});
  EXPECT_THAT(UsesOf(CopyPlan(), 0).first, ElementsAre(0));
  EXPECT_THAT(UsesOf(CopyPlan(), 0).second, ElementsAre(1024));
}

plan::Plan FillPlan(const std::string& type, double value) {
  return PlanWithCommands(
      absl::StrCat("commands { fill { value: ", value,
                   SliceText(" destination", 1024, {2, 3}, type), "} }"));
}

TEST(FillThunkTest, SetsEveryElementAndNoGap) {
  plan::Plan plan = FillPlan("I32", -7);
  OnlyCommand(plan).mutable_fill()->mutable_destination()->set_row_stride(4);
  RunList(plan, WriteIota, [](TestRank& rank) {
    EXPECT_THAT(Result(rank, 8), ElementsAre(-7, -7, -7, -1, -7, -7, -7, -1));
  });
  RunList(FillPlan("F32", 0.5), WriteIota, [](TestRank& rank) {
    EXPECT_THAT(std::vector<float>(rank.At<float>(1024),
                                   rank.At<float>(1024) + 6),
                Each(0.5f));
  });
}

TEST(FillThunkTest, FillsAScalar) {
  plan::Plan plan = FillPlan("I32", 3);
  OnlyCommand(plan).mutable_fill()->mutable_destination()->clear_sizes();
  RunList(plan, WriteIota, [](TestRank& rank) {
    EXPECT_THAT(Result(rank, 2), ElementsAre(3, -1));
  });
}

TEST(FillThunkTest, CreateRejects) {
  ExpectRejections(FillPlan("I32", 1),
                   {{[](auto& c) { c.mutable_fill()->set_value(0.5); },
                     "0.5 in an i32; expected an integer"},
                    {[](auto& c) {
                       c.mutable_fill()->mutable_destination()->set_type(
                           plan::DATA_TYPE_UNSPECIFIED);
                     },
                     "a constant of type 0 is not supported"}});
  EXPECT_THAT(UsesOf(FillPlan("I32", 1), 0).second, ElementsAre(1024));
}

plan::Plan ShardPlan(int dimension, std::vector<int64_t> piece) {
  return PlanWithCommands(absl::StrCat(
      "commands { shard { group: 1 dimension: ", dimension,
      SliceText(" source", 0, {2, 4, 2}, "I32"),
      SliceText("destination", 1024, std::move(piece), "I32"), "} }"));
}

TEST(ShardThunkTest, TakesTheRanksPieceOfAnyDimension) {
  const std::vector<int64_t> whole = {2, 4, 2};
  for (int dimension = 0; dimension < 3; ++dimension)
    for (int64_t gap : {0, 1}) {
      std::vector<int64_t> piece = whole;
      piece[dimension] /= 2;
      plan::Plan plan = ShardPlan(dimension, piece);
      if (gap)
        OnlyCommand(plan).mutable_shard()->mutable_destination()
            ->set_row_stride(piece[2] + gap);
      RunList(plan, WriteIota, [&](TestRank& rank) {
        const int index = rank.world.rank() % 2;
        int64_t to = 0;
        for (int i = 0; i < piece[0]; ++i)
          for (int j = 0; j < piece[1]; ++j) {
            for (int k = 0; k < piece[2]; ++k) {
              int at[] = {i, j, k};
              at[dimension] += index * piece[dimension];
              ASSERT_EQ(rank.At<int32_t>(1024)[to++],
                        (at[0] * 4 + at[1]) * 2 + at[2]);
            }
            to += gap;
          }
        EXPECT_EQ(rank.At<int32_t>(1024)[to], -1);
      });
    }
}

TEST(ShardThunkTest, CreateRejects) {
  ExpectRejections(
      ShardPlan(1, {2, 2, 2}),
      {{[](auto& c) { c.mutable_shard()->set_dimension(3); },
        "dimension 3 of sizes [2, 4, 2] does not divide into 2 pieces"},
       {[](auto& c) { c.mutable_shard()->mutable_source()->set_sizes(1, 5); },
        "dimension 1 of sizes [2, 5, 2] does not divide into 2"},
       {[](auto& c) { c.mutable_shard()->set_dimension(0); },
        "`destination` of i32 [2, 2, 2], `piece of source` of i32 [1, 4, 2]"},
       {[](auto& c) {
          c.mutable_shard()->mutable_destination()->set_offset_bytes(0);
        },
        "overlaps"}});
  EXPECT_THAT(UsesOf(ShardPlan(1, {2, 2, 2}), 0).first, ElementsAre(0));
  EXPECT_THAT(UsesOf(ShardPlan(1, {2, 2, 2}), 0).second, ElementsAre(1024));
}

plan::Plan KeepPlan(int destination) {
  return PlanWithCommands(absl::StrCat(
      "commands { keep_on_first { group: 0 ",
      SliceText("source", 0, {3}, "I32"),
      SliceText("destination", destination, {3}, "I32"), "} }"));
}

TEST(KeepOnFirstThunkTest, TheOthersGetZero) {
  RunList(KeepPlan(1024), WriteIota, [](TestRank& rank) {
    if (rank.world.rank() / 2 == 0)
      EXPECT_THAT(Result(rank, 4), ElementsAre(0, 1, 2, -1));
    else
      EXPECT_THAT(Result(rank, 4), ElementsAre(0, 0, 0, -1));
  });
}

TEST(KeepOnFirstThunkTest, WorksInPlace) {
  RunList(KeepPlan(0), WriteIota, [](TestRank& rank) {
    EXPECT_EQ(rank.At<int32_t>(0)[2], rank.world.rank() / 2 == 0 ? 2 : 0);
    EXPECT_EQ(rank.At<int32_t>(0)[3], 3);
  });
}

TEST(KeepOnFirstThunkTest, CreateRejects) {
  ExpectRejections(
      KeepPlan(1024),
      {{[](auto& c) {
          c.mutable_keep_on_first()->mutable_source()->set_sizes(0, 2);
        },
        "expected the same"},
       {[](auto& c) {
          c.mutable_keep_on_first()->mutable_source()->set_sizes(0, 20);
          c.mutable_keep_on_first()->mutable_destination()->set_sizes(0, 20);
          c.mutable_keep_on_first()->mutable_destination()->set_offset_bytes(
              64);
        },
        "overlaps"},
       {[](auto& c) {
          c.mutable_keep_on_first()->mutable_source()->set_type(
              plan::DATA_TYPE_UNSPECIFIED);
          c.mutable_keep_on_first()->mutable_destination()->set_type(
              plan::DATA_TYPE_UNSPECIFIED);
        },
        "type 0 is not supported"}});
  EXPECT_THAT(UsesOf(KeepPlan(1024), 0).first, ElementsAre(0));
  EXPECT_THAT(UsesOf(KeepPlan(1024), 0).second, ElementsAre(1024));
}

TEST(ThunkTest, ACommandWithoutAKindIsRejected) {
  const plan::Plan plan = PlanWithCommands("commands { location: \"h.0\" }");
  const plan::CommandList& list = plan.roles(0).lists(0);
  EXPECT_EQ(CreateThunk(plan, list, list.commands(0)).status(),
            absl::InvalidArgumentError("h.0: a command without a kind"));
}

}  // namespace
}  // namespace mpc::runtime
