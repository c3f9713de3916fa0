// Messages between two ranks, and what happens when one of them fails.
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/conformance/transport.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Values = std::vector<int32_t>;

class ChannelSuite : public TransportSuite {};

absl::Span<char> BytesOf(Values& values) {
  return {reinterpret_cast<char*>(values.data()),
          values.size() * sizeof(int32_t)};
}

ChannelId FromTo(int source, int destination, int number = 0) {
  return {number, absl::StrCat("activation ", source, ">", destination), source,
          destination};
}

std::unique_ptr<ChannelEnd> Open(World& world, const ChannelId& id) {
  auto end = world.OpenChannel(id);
  EXPECT_TRUE(end.ok()) << end.status();
  return *std::move(end);
}

/// The content of message `i`.
Values Message(int i, int size = 3) {
  Values values(size);
  std::iota(values.begin(), values.end(), 100 * i);
  return values;
}

void Pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Whichever side starts first; the waits of three messages come after all
// starts.
TEST_P(ChannelSuite, MessagesArriveInOrder) {
  for (const int late : {0, 1})
    OnEveryRank(2, [&](World& world) {
      auto end = Open(world, FromTo(0, 1));
      if (world.rank() == late) Pause(20);
      std::vector<Values> messages;
      for (int i = 0; i < 3; ++i)
        messages.push_back(world.rank() == 0 ? Message(i) : Values(3, -1));
      for (Values& message : messages)
        ASSERT_TRUE(end->Start(BytesOf(message)).ok());
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(end->Wait().ok());
        EXPECT_EQ(messages[i], Message(i));
      }
      ASSERT_TRUE(world.Barrier().ok());
    });
}

// Both ranks start to send before either receives.
TEST_P(ChannelSuite, StartNeverBlocks) {
  OnEveryRank(2, [](World& world) {
    const int rank = world.rank();
    auto out = Open(world, FromTo(rank, 1 - rank));
    auto in = Open(world, FromTo(1 - rank, rank));
    Values sent(100000, rank), received(100000, -1);
    ASSERT_TRUE(out->Start(BytesOf(sent)).ok());
    ASSERT_TRUE(world.Barrier().ok());
    ASSERT_TRUE(in->Start(BytesOf(received)).ok());
    ASSERT_TRUE(out->Wait().ok());
    ASSERT_TRUE(in->Wait().ok());
    EXPECT_EQ(received, Values(100000, 1 - rank));
    ASSERT_TRUE(world.Barrier().ok());
  });
  OnEveryRank(2, [](World& world) {
    const int rank = world.rank();
    auto out = Open(world, FromTo(rank, 1 - rank));
    auto in = Open(world, FromTo(1 - rank, rank));
    Values sent = {rank}, received = {-1};
    ASSERT_TRUE(in->Start(BytesOf(received)).ok());
    ASSERT_TRUE(world.Barrier().ok());
    ASSERT_TRUE(out->Start(BytesOf(sent)).ok());
    ASSERT_TRUE(in->Wait().ok());
    ASSERT_TRUE(out->Wait().ok());
    EXPECT_EQ(received, Values{1 - rank});
    ASSERT_TRUE(world.Barrier().ok());
  });
}

// The wait for a send means that the receiver has the message: the sender may
// write its memory.
TEST_P(ChannelSuite, ASourceIsFreeAfterItsWait) {
  OnEveryRank(2, [](World& world) {
    auto end = Open(world, FromTo(0, 1));
    Values buffer(1000);
    for (int i = 0; i < 20; ++i) {
      if (world.rank() == 0) buffer = Message(i, 1000);
      if (world.rank() == 1 && i % 5 == 0) Pause(1);
      ASSERT_TRUE(end->Start(BytesOf(buffer)).ok());
      ASSERT_TRUE(end->Wait().ok());
      if (world.rank() == 1) EXPECT_EQ(buffer, Message(i, 1000));
      buffer.assign(1000, -1);
    }
    ASSERT_TRUE(world.Barrier().ok());
  });
}

// Two channels of one pair and one direction, used crosswise.
TEST_P(ChannelSuite, ChannelsAreIndependent) {
  OnEveryRank(2, [](World& world) {
    auto first = Open(world, FromTo(0, 1, 0));
    auto second = Open(world, FromTo(0, 1, 1));
    const bool sends = world.rank() == 0;
    Values a = sends ? Message(1) : Values(3),
           b = sends ? Message(2) : Values(3);
    if (sends) {
      ASSERT_TRUE(first->Start(BytesOf(a)).ok());
      ASSERT_TRUE(second->Start(BytesOf(b)).ok());
    } else {
      ASSERT_TRUE(second->Start(BytesOf(b)).ok());
      ASSERT_TRUE(second->Wait().ok());
      ASSERT_TRUE(first->Start(BytesOf(a)).ok());
    }
    ASSERT_TRUE(first->Wait().ok());
    if (sends) ASSERT_TRUE(second->Wait().ok());
    EXPECT_EQ(a, Message(1));
    EXPECT_EQ(b, Message(2));
    ASSERT_TRUE(world.Barrier().ok());
  });
}

// A ring of four: every rank passes on what it gets, beside an all-reduce.
TEST_P(ChannelSuite, ARingPassesMessagesOn) {
  OnEveryRank(4, [](World& world) {
    const int rank = world.rank(), next = (rank + 1) % 4, last = (rank + 3) % 4;
    auto out = Open(world, FromTo(rank, next));
    auto in = Open(world, FromTo(last, rank));
    Values value = {rank}, received = {-1};
    for (int hop = 1; hop <= 8; ++hop) {
      ASSERT_TRUE(in->Start(BytesOf(received)).ok());
      ASSERT_TRUE(out->Start(BytesOf(value)).ok());
      ASSERT_TRUE(in->Wait().ok());
      ASSERT_TRUE(out->Wait().ok());
      value = received;
      EXPECT_EQ(value[0], (rank + 8 - hop) % 4);
    }
    ASSERT_TRUE(world.Barrier().ok());
  });
}

// Up to three under way, and pauses of which neither side knows the other's.
TEST_P(ChannelSuite, ManyMessagesWithDelays) {
  constexpr int kMessages = 1000, kUnderWay = 3;
  OnEveryRank(2, [](World& world) {
    auto end = Open(world, FromTo(0, 1));
    std::minstd_rand random(7 + world.rank());
    std::vector<Values> buffers(kUnderWay, Values(5));
    for (int i = 0; i < kMessages + kUnderWay; ++i) {
      Values& buffer = buffers[i % kUnderWay];
      if (i >= kUnderWay) {
        ASSERT_TRUE(end->Wait().ok());
        ASSERT_EQ(buffer, Message(i - kUnderWay, 5));
      }
      if (random() % 20 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      if (i >= kMessages) continue;
      buffer = world.rank() == 0 ? Message(i, 5) : Values(5, -1);
      ASSERT_TRUE(end->Start(BytesOf(buffer)).ok());
    }
    ASSERT_TRUE(world.Barrier().ok());
  });
}

// Whoever starts second finds it; the other learns it in its wait.
TEST_P(ChannelSuite, SidesThatDisagreeOnBytesFail) {
  for (const int late : {0, 1})
    OnEveryRank(2, [&](World& world) {
      auto end = Open(world, FromTo(0, 1));
      if (world.rank() == late) Pause(20);
      Values good(2), bad(world.rank() == 0 ? 3 : 4);
      absl::Status status = end->Start(BytesOf(good));
      if (status.ok()) status = end->Start(BytesOf(bad));
      if (status.ok()) status = end->Wait();
      if (status.ok()) status = end->Wait();
      EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
      EXPECT_EQ(std::string(status.message()),
                "rank 0: message 2 of channel \"activation 0>1\" has 12 bytes, "
                "rank 1 expects 16 bytes");
      EXPECT_FALSE(world.Barrier().ok());
    });
}

TEST_P(ChannelSuite, AnAbortEndsPendingAndLaterCalls) {
  for (const int pause : {0, 20}) {
    // Lives until every rank has stopped.
    std::vector<Values> buffers(6, Values(3));
    OnEveryRank(3, [&](World& world) {
      const int rank = world.rank();
      if (rank == 2) {
        Pause(pause);
        world.Abort(absl::DataLossError("the disk is full"));
        return;
      }
      // Each waits for a message that the other never starts.
      auto out = Open(world, FromTo(rank, 1 - rank));
      auto in = Open(world, FromTo(1 - rank, rank));
      Values &values = buffers[rank], &others = buffers[3 + rank];
      absl::Status status =
          rank == 0 ? out->Start(BytesOf(values)) : in->Start(BytesOf(values));
      if (status.ok() && rank == 0) status = in->Start(BytesOf(others));
      if (status.ok()) status = in->Wait();
      // Rank 1 gets its message unless the abort comes first.
      if (rank == 0 || !status.ok())
        EXPECT_EQ(std::string(status.message()), "rank 2: the disk is full");
      EXPECT_FALSE(world.Barrier().ok());
      EXPECT_THAT(std::string(out->Start(BytesOf(values)).message()),
                  HasSubstr("disk is full"));
    });
  }
}

TEST_P(ChannelSuite, ARankThatEndsEarlyIsMissed) {
  for (const int ends : {0, 1})
    OnEveryRank(2, [&](World& world) {
      if (world.rank() == ends) return Pause(10);
      auto end = Open(world, FromTo(0, 1));
      Values values(3);
      ASSERT_TRUE(end->Start(BytesOf(values)).ok());
      EXPECT_EQ(std::string(end->Wait().message()),
                absl::StrCat("rank ", ends, ": has ended while rank ", 1 - ends,
                             " waits for message 1 of channel \"activation "
                             "0>1\""));
    });
}

TEST_P(ChannelSuite, CallsThatCannotBeAreErrors) {
  OnEveryRank(3, [](World& world) {
    for (const ChannelId& id :
         {FromTo(0, 3), FromTo(-1, 0), FromTo(1, 1),
          FromTo((world.rank() + 1) % 3, (world.rank() + 2) % 3)}) {
      const absl::Status status = world.OpenChannel(id).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  StartsWith(absl::StrCat("channel \"", id.name, "\" from")));
    }
    if (world.rank() == 2) return;
    auto end = Open(world, FromTo(0, 1));
    EXPECT_EQ(end->Wait().code(), absl::StatusCode::kFailedPrecondition);
    Values values(3);
    ASSERT_TRUE(end->Start(BytesOf(values)).ok());
    ASSERT_TRUE(end->Wait().ok());
    EXPECT_EQ(end->Wait().code(), absl::StatusCode::kFailedPrecondition);
  });
}

MPC_INSTANTIATE_ON_TRANSPORTS(ChannelSuite);

}  // namespace
}  // namespace mpc::runtime
