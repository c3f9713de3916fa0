// Operations of all ranks, and what happens when one of them fails.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "runtime/conformance/transport.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class WorldSuite : public TransportSuite {
 protected:
  static Collective SumOf(Tensor tensor) {
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = c.destination = tensor;
    return c;
  }
  /// A transport may find a failure in either.
  static absl::Status RunToEnd(Communicator& group, const Collective& c) {
    const absl::Status start = group.Start(0, c);
    return start.ok() ? group.Wait(0) : start;
  }
  static std::unique_ptr<Communicator> Pair(World& world) {
    return *world.Split({0, 1});
  }
};

TEST_P(WorldSuite, RanksAreNumberedFromZero) {
  for (int size : kWorldSizes)
    OnEveryRank(size, [&](World& world) {
      EXPECT_EQ(world.size(), size);
      auto ranks = world.Gather(std::to_string(world.rank()), 0);
      ASSERT_TRUE(ranks.ok()) << ranks.status();
      for (size_t i = 0; i < ranks->size(); ++i)
        EXPECT_EQ((*ranks)[i], std::to_string(i));
    });
}

TEST_P(WorldSuite, BroadcastGivesTheRootsBytes) {
  for (int size : kWorldSizes)
    OnEveryRank(size, [&](World& world) {
      for (int root = 0; root < size; ++root) {
        const std::string own(world.rank() + 1, 'a' + world.rank());
        auto bytes = world.Broadcast(own, root);
        ASSERT_TRUE(bytes.ok()) << bytes.status();
        EXPECT_EQ(*bytes, std::string(root + 1, 'a' + root));
      }
    });
}

TEST_P(WorldSuite, GatherGivesTheRootAllBytes) {
  OnEveryRank(3, [&](World& world) {
    auto bytes = world.Gather(std::string(world.rank(), 'x'), 1);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    if (world.rank() == 1)
      EXPECT_THAT(*bytes, ElementsAre("", "x", "xx"));
    else
      EXPECT_THAT(*bytes, IsEmpty());
  });
}

TEST_P(WorldSuite, NobodyPassesABarrierEarly) {
  // By the clock that all processes of a machine share.
  const auto now = [] {
    return std::chrono::steady_clock::now().time_since_epoch().count();
  };
  constexpr int kRounds = 50;
  for (int size : kWorldSizes)
    OnEveryRank(size, [&](World& world) {
      std::vector<int64_t> times;
      for (int round = 0; round < kRounds; ++round) {
        times.push_back(now());
        ASSERT_TRUE(world.Barrier().ok());
        times.push_back(now());
      }
      auto all = world.Gather({reinterpret_cast<const char*>(times.data()),
                               times.size() * sizeof(int64_t)},
                              0);
      ASSERT_TRUE(all.ok()) << all.status();
      if (world.rank() != 0) return;
      for (int round = 0; round < kRounds; ++round) {
        int64_t last_entry = 0, first_exit = INT64_MAX;
        for (const std::string& of_rank : *all) {
          std::memcpy(times.data(), of_rank.data(), of_rank.size());
          last_entry = std::max(last_entry, times[2 * round]);
          first_exit = std::min(first_exit, times[2 * round + 1]);
        }
        EXPECT_LE(last_entry, first_exit) << "round " << round;
      }
    });
}

TEST_P(WorldSuite, ArgumentsThatCannotBeAreErrors) {
  OnEveryRank(2, [&](World& world) {
    for (const std::vector<int>& members :
         {std::vector<int>{}, {1 - world.rank()}, {0, 1, 2}, {0, 0, 1}})
      EXPECT_EQ(world.Split(members).status().code(),
                absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(world.Broadcast("", 2).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(world.Gather("", -1).status().code(),
              absl::StatusCode::kInvalidArgument);
  });
}

TEST_P(WorldSuite, AnAbortEndsPendingAndLaterCallsOfAll) {
  for (int size : {2, 3, 8})
    OnEveryRank(size, [&](World& world) {
      std::vector<int> members;
      for (int i = 0; i < size; ++i) members.push_back(i);
      auto group = world.Split(members);
      ASSERT_TRUE(group.ok());
      float value = 1;
      absl::Status status;
      if (world.rank() == size - 1) {
        world.Abort(absl::DataLossError("the disk is full"));
      } else {
        status = RunToEnd(**group, SumOf({&value, plan::DATA_TYPE_F32, {}}));
        EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
        EXPECT_EQ(std::string(status.message()),
                  absl::StrCat("rank ", size - 1, ": the disk is full"));
      }
      for (const absl::Status& later :
           {world.Barrier(), world.Broadcast("", 0).status(),
            world.Gather("", 0).status(),
            (*group)->Start(1, SumOf({&value, plan::DATA_TYPE_F32, {}}))})
        EXPECT_THAT(std::string(later.message()), HasSubstr("disk is full"));
    });
}

TEST_P(WorldSuite, OnlyTheFirstAbortCounts) {
  OnEveryRank(2, [&](World& world) {
    if (world.rank() == 1) {
      world.Abort(absl::InternalError("first"));
      world.Abort(absl::InternalError("second"));
    }
    EXPECT_EQ(std::string(world.Barrier().message()), "rank 1: first");
  });
}

TEST_P(WorldSuite, ARankThatEndsEarlyIsMissed) {
  OnEveryRank(3, [&](World& world) {
    if (world.rank() == 1) return;
    EXPECT_THAT(std::string(world.Barrier().message()),
                StartsWith("rank 1: has ended while rank "));
  });
}

TEST_P(WorldSuite, RanksThatDisagreeAllFail) {
  const std::vector<int64_t> four = {4}, two = {2};
  struct Case {
    std::function<void(Collective&)> spoil;
    std::string found;
  };
  const Case cases[] = {
      {[&](Collective& c) { c.source.sizes = c.destination.sizes = two; },
       "f32 [2] into [2]"},
      {[](Collective& c) { c.reduction = plan::REDUCTION_MAX; },
       "REDUCTION_MAX"},
      {[](Collective& c) {
         c.source.type = c.destination.type = plan::DATA_TYPE_I32;
       },
       "i32 [4]"},
      {[&](Collective& c) {
         c.kind = plan::COLLECTIVE_KIND_REDUCE_SCATTER;
         c.destination.sizes = two;
       },
       "REDUCE_SCATTER"},
      {[](Collective& c) { c.source_dimension = 1; }, "dimensions 1 and 0"},
  };
  for (const Case& test_case : cases)
    OnEveryRank(2, [&](World& world) {
      auto group = Pair(world);
      float values[8] = {};
      Collective c = SumOf({values, plan::DATA_TYPE_F32, four});
      if (world.rank() == 1) {
        c.destination.data = values + 4;
        test_case.spoil(c);
      }
      const absl::Status status = RunToEnd(*group, c);
      EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
      EXPECT_THAT(std::string(status.message()),
                  StartsWith("rank 1: starts COLLECTIVE_KIND_"));
      EXPECT_THAT(std::string(status.message()), HasSubstr(test_case.found));
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("rank 0 starts COLLECTIVE_KIND_ALL_REDUCE "
                            "REDUCTION_SUM of f32 [4] into [4]"));
      EXPECT_FALSE(world.Barrier().ok());
    });
}

TEST_P(WorldSuite, DifferentOperationsAreADisagreement) {
  OnEveryRank(2, [&](World& world) {
    const absl::Status status =
        world.rank() == 0 ? world.Barrier() : world.Broadcast("x", 0).status();
    EXPECT_EQ(std::string(status.message()),
              "rank 1: starts a broadcast from rank 0, rank 0 starts a "
              "barrier");
  });
  OnEveryRank(2, [&](World& world) {
    EXPECT_THAT(std::string(world.Gather("", world.rank()).status().message()),
                HasSubstr("starts a gather to rank 1"));
  });
}

MPC_INSTANTIATE_ON_TRANSPORTS(WorldSuite);

}  // namespace
}  // namespace mpc::runtime
