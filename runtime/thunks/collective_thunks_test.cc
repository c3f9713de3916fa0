#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;

plan::Plan TestPlan(const std::string& kind, std::vector<int64_t> source,
                    std::vector<int64_t> destination) {
  return PlanWithCommands(absl::StrCat(
      "commands { collective_start { kind: COLLECTIVE_KIND_", kind,
      " reduction: REDUCTION_SUM group: 1 handle: 5 destination_dimension: 1 ",
      SliceText("source", 0, std::move(source), "I32"),
      SliceText("destination", 1024, std::move(destination), "I32"),
      "} } commands { collective_wait { handle: 5 } }"));
}

void WriteRank(TestRank& rank) {
  for (int i = 0; i < 4; ++i)
    rank.At<int32_t>(0)[i] = 10 * (rank.world.rank() + 1) + i;
}

std::vector<int32_t> Result(TestRank& rank, int count) {
  return {rank.At<int32_t>(1024), rank.At<int32_t>(1024) + count};
}

TEST(CollectiveThunksTest, ReduceOverTheGroup) {
  RunList(TestPlan("ALL_REDUCE", {2}, {2}), WriteRank, [](TestRank& rank) {
    if (rank.world.rank() < 2)
      EXPECT_THAT(Result(rank, 2), ElementsAre(30, 32));
    else
      EXPECT_THAT(Result(rank, 2), ElementsAre(70, 72));
  });
}

TEST(CollectiveThunksTest, PassTheDimensionsOn) {
  RunList(TestPlan("ALL_GATHER", {2, 1}, {2, 2}), WriteRank,
          [](TestRank& rank) {
            if (rank.world.rank() < 2)
              EXPECT_THAT(Result(rank, 4), ElementsAre(10, 20, 11, 21));
          });
  RunList(TestPlan("ALL_TO_ALL", {2, 1}, {1, 2}), WriteRank,
          [](TestRank& rank) {
            const int i = rank.world.rank();
            if (i < 2)
              EXPECT_THAT(Result(rank, 2), ElementsAre(10 + i, 20 + i));
          });
}

TEST(CollectiveThunksTest, DeclareTheirOperands) {
  const plan::Plan plan = TestPlan("ALL_REDUCE", {2}, {2});
  for (int command : {0, 1}) {
    EXPECT_THAT(UsesOf(plan, command).first, ElementsAre(0));
    EXPECT_THAT(UsesOf(plan, command).second, ElementsAre(1024));
  }
}

TEST(CollectiveThunksTest, StartMayBeInPlaceWhereItReduces) {
  plan::Plan plan = TestPlan("ALL_REDUCE", {2}, {2});
  plan::CommandList& list = *plan.mutable_roles(0)->mutable_lists(0);
  auto& start = *list.mutable_commands(0)->mutable_collective_start();
  start.mutable_destination()->set_offset_bytes(0);
  EXPECT_TRUE(CreateThunk(plan, list, list.commands(0)).ok());
}

TEST(CollectiveThunksTest, CreateRejects) {
  ExpectRejections(
      TestPlan("ALL_REDUCE", {2}, {2}),
      {{[](auto& c) {
          c.mutable_collective_start()->mutable_source()->set_sizes(0, 3);
        },
        "COLLECTIVE_KIND_ALL_REDUCE among 2 members of sizes [3] into [2]"},
       {[](auto& c) {
          c.mutable_collective_start()->mutable_source()->set_sizes(0, 30);
          c.mutable_collective_start()->mutable_destination()->set_sizes(0, 30);
          c.mutable_collective_start()->mutable_destination()
              ->set_offset_bytes(64);
        },
        "`destination` (120 bytes at 64) overlaps `source`"}});
  ExpectRejections(
      TestPlan("ALL_GATHER", {2, 1}, {2, 2}),
      {{[](auto& c) {
          c.mutable_collective_start()->mutable_destination()
              ->set_offset_bytes(0);
        },
        "overlaps `source`"}});
}

TEST(CollectiveThunksTest, AWaitNeedsAStartBefore) {
  plan::Plan plan = TestPlan("ALL_REDUCE", {2}, {2});
  plan::CommandList& list = *plan.mutable_roles(0)->mutable_lists(0);
  list.mutable_commands()->SwapElements(0, 1);
  EXPECT_THAT(
      std::string(CreateThunk(plan, list, list.commands(0)).status().message()),
      ::testing::HasSubstr("wait for collective 5, which was not started"));
}

}  // namespace
}  // namespace mpc::runtime
