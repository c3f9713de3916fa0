// What collectives compute. Values are small integers: exact in every order.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "runtime/conformance/transport.h"
#include "runtime/floats/narrow_floats.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;
using Sizes = std::vector<int64_t>;

class CollectiveSuite : public TransportSuite {};

/// A group of all ranks.
std::unique_ptr<Communicator> Everyone(World& world) {
  std::vector<int> members(world.size());
  std::iota(members.begin(), members.end(), 0);
  auto communicator = world.Split(members);
  EXPECT_TRUE(communicator.ok()) << communicator.status();
  return *std::move(communicator);
}

void RunToEnd(Communicator& communicator, const Collective& collective) {
  const absl::Status check = CheckCollective(collective, communicator.size());
  ASSERT_TRUE(check.ok()) << check;
  const absl::Status start = communicator.Start(3, collective);
  ASSERT_TRUE(start.ok()) << start;
  const absl::Status wait = communicator.Wait(3);
  ASSERT_TRUE(wait.ok()) << wait;
}

/// A tensor of f32 with gaps after its rows if asked; gaps hold −1.
class Buffer {
 public:
  Buffer(Sizes sizes, int64_t gap)
      : sizes_(std::move(sizes)),
        last_(sizes_.empty() ? 1 : sizes_.back()),
        stride_(last_ + gap),
        data_(ElementCount(sizes_) / last_ * stride_, -1) {}

  const Sizes& sizes() const { return sizes_; }
  int64_t count() const { return ElementCount(sizes_); }
  float& operator[](int64_t i) { return data_[i / last_ * stride_ + i % last_]; }
  Tensor tensor() {
    return {data_.data(), plan::DATA_TYPE_F32, sizes_,
            stride_ == last_ ? 0 : stride_};
  }
  int64_t untouched_gaps() const {
    return std::count(data_.begin(), data_.end(), -1);
  }
  int64_t gaps() const { return data_.size() - count(); }

 private:
  Sizes sizes_;
  int64_t last_, stride_;
  std::vector<float> data_;
};

/// Element `i` of what rank `rank` brings.
float Input(int rank, int64_t i) {
  return static_cast<float>((rank + 1) * 1000 + i);
}

void FillWithInput(Buffer& buffer, int rank) {
  for (int64_t i = 0; i < buffer.count(); ++i) buffer[i] = Input(rank, i);
}

/// The coordinate in `dimension` of row-major element `i`.
int64_t Coordinate(const Sizes& sizes, int dimension, int64_t i) {
  const int64_t below =
      ElementCount(absl::MakeConstSpan(sizes).subspan(dimension + 1));
  return i / below % sizes[dimension];
}

/// The place of element `i` of `sizes` in a tensor whose `dimension` is
/// `new_size` long, moved by `shift` along it.
int64_t Moved(const Sizes& sizes, int dimension, int64_t i, int64_t new_size,
              int64_t shift) {
  const int64_t below =
      ElementCount(absl::MakeConstSpan(sizes).subspan(dimension + 1));
  const int64_t block = i / below / sizes[dimension];
  return (block * new_size + Coordinate(sizes, dimension, i) + shift) * below +
         i % below;
}

/// `value` in a narrow type that holds it exactly.
uint16_t Narrow(plan::DataType type, float value) {
  uint16_t bits;
  NarrowFloats(type, &value, 1, &bits);
  return bits;
}

// Rounded after every addend, the largest number would swallow the others.
TEST_P(CollectiveSuite, SumsOfNarrowFloatsAreRoundedOnce) {
  for (plan::DataType type : {plan::DATA_TYPE_BF16, plan::DATA_TYPE_F16})
    for (int size : kWorldSizes)
      OnEveryRank(size, [&](World& world) {
        constexpr int64_t kCount = 10'001;
        // The next number of the type is 2 more.
        const float large = type == plan::DATA_TYPE_BF16 ? 256 : 2048;
        auto group = Everyone(world);
        std::vector<uint16_t> source(
            kCount, Narrow(type, world.rank() == 0 ? large : 1));
        std::vector<uint16_t> sum(kCount);
        const Sizes sizes = {kCount};
        Collective c;
        c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
        c.reduction = plan::REDUCTION_SUM;
        c.source = {source.data(), type, sizes, 0};
        c.destination = {sum.data(), type, sizes, 0};
        RunToEnd(*group, c);
        EXPECT_THAT(sum, Each(Narrow(type, large + size - 1)));

        c.reduction = plan::REDUCTION_MAX;
        RunToEnd(*group, c);
        EXPECT_THAT(sum, Each(Narrow(type, large)));
      });
}

TEST_P(CollectiveSuite, AllReduceSumsOnEveryRank) {
  for (int size : kWorldSizes)
    for (const Sizes& sizes : {Sizes{}, Sizes{1}, Sizes{5, 3}, Sizes{9, 1000}})
      for (int64_t gap : {0, 2})
        OnEveryRank(size, [&](World& world) {
          auto group = Everyone(world);
          Buffer source(sizes, gap), sum(sizes, 0);
          FillWithInput(source, world.rank());
          Collective c;
          c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
          c.reduction = plan::REDUCTION_SUM;
          c.source = source.tensor();
          c.destination = sum.tensor();
          RunToEnd(*group, c);
          for (int64_t i = 0; i < sum.count(); ++i) {
            float expected = 0;
            for (int r = 0; r < size; ++r) expected += Input(r, i);
            ASSERT_EQ(sum[i], expected) << "element " << i;
          }
        });
}

TEST_P(CollectiveSuite, AllReduceInPlace) {
  for (int size : kWorldSizes)
    OnEveryRank(size, [&](World& world) {
      auto group = Everyone(world);
      Buffer buffer({10000}, 0);
      FillWithInput(buffer, world.rank());
      Collective c;
      c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
      c.reduction = plan::REDUCTION_MAX;
      c.source = c.destination = buffer.tensor();
      RunToEnd(*group, c);
      for (int64_t i = 0; i < buffer.count(); ++i)
        ASSERT_EQ(buffer[i], Input(size - 1, i));
    });
}

// 1e8 + 1 rounds to 1e8: ascending order gives ((1e8 + 1) − 1e8) + 1 = 1, the
// reverse gives 0, and pairs give 2.
TEST_P(CollectiveSuite, ReductionsGoInAscendingGroupOrder) {
  constexpr float kOfRank[] = {1e8f, 1, -1e8f, 1};
  OnEveryRank(4, [&](World& world) {
    auto group = Everyone(world);
    const Sizes all = {4000}, part = {1000};
    std::vector<float> source(4000, kOfRank[world.rank()]);
    std::vector<float> sum(4000), scattered(1000);
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = {source.data(), plan::DATA_TYPE_F32, all};
    c.destination = {sum.data(), plan::DATA_TYPE_F32, all};
    RunToEnd(*group, c);
    EXPECT_THAT(sum, Each(1.0f));
    c.kind = plan::COLLECTIVE_KIND_REDUCE_SCATTER;
    c.destination = {scattered.data(), plan::DATA_TYPE_F32, part};
    RunToEnd(*group, c);
    EXPECT_THAT(scattered, Each(1.0f));
  });
}

// The order is the group's, which may differ from that of ranks.
TEST_P(CollectiveSuite, TheGroupsOrderIsThatOfItsMembers) {
  constexpr float kOfRank[] = {1, 1e8f, 1, -1e8f};
  OnEveryRank(4, [&](World& world) {
    auto group = world.Split({1, 0, 3, 2});
    ASSERT_TRUE(group.ok()) << group.status();
    constexpr int kIndexOfRank[] = {1, 0, 3, 2};
    EXPECT_EQ((*group)->rank(), kIndexOfRank[world.rank()]);
    float sum = kOfRank[world.rank()];
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = c.destination = {&sum, plan::DATA_TYPE_F32, {}};
    RunToEnd(**group, c);
    EXPECT_EQ(sum, 1.0f);
  });
}

TEST_P(CollectiveSuite, IntegersReduceExactly) {
  OnEveryRank(3, [&](World& world) {
    auto group = Everyone(world);
    const Sizes sizes = {2};
    int32_t values[] = {16777217, -5 * world.rank()};
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = c.destination = {values, plan::DATA_TYPE_I32, sizes};
    RunToEnd(*group, c);
    EXPECT_EQ(values[0], 50331651);
    EXPECT_EQ(values[1], -15);
    values[1] = -1 - world.rank();
    c.reduction = plan::REDUCTION_MAX;
    RunToEnd(*group, c);
    EXPECT_EQ(values[1], -1);
  });
}

TEST_P(CollectiveSuite, AMaximumWithNanIsNan) {
  OnEveryRank(3, [&](World& world) {
    auto group = Everyone(world);
    float value = world.rank() == 1 ? NAN : 1;
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_MAX;
    c.source = c.destination = {&value, plan::DATA_TYPE_F32, {}};
    RunToEnd(*group, c);
    EXPECT_NE(value, value);
  });
}

TEST_P(CollectiveSuite, AllGatherJoinsAlongAnyDimension) {
  const Sizes sizes = {2, 3, 5};
  for (int size : kWorldSizes)
    for (int dimension = 0; dimension < 3; ++dimension)
      for (int64_t gap : {0, 3})
        OnEveryRank(size, [&](World& world) {
          auto group = Everyone(world);
          Sizes joined = sizes;
          joined[dimension] *= size;
          Buffer source(sizes, gap), destination(joined, gap);
          FillWithInput(source, world.rank());
          Collective c;
          c.kind = plan::COLLECTIVE_KIND_ALL_GATHER;
          c.destination_dimension = dimension;
          c.source = source.tensor();
          c.destination = destination.tensor();
          RunToEnd(*group, c);
          for (int r = 0; r < size; ++r)
            for (int64_t i = 0; i < source.count(); ++i)
              ASSERT_EQ(destination[Moved(sizes, dimension, i,
                                          joined[dimension],
                                          r * sizes[dimension])],
                        Input(r, i));
          EXPECT_EQ(destination.untouched_gaps(), destination.gaps());
        });
}

TEST_P(CollectiveSuite, ReduceScatterGivesEachItsPiece) {
  for (int size : kWorldSizes)
    for (int dimension = 0; dimension < 3; ++dimension)
      for (int64_t gap : {0, 3})
        OnEveryRank(size, [&](World& world) {
          auto group = Everyone(world);
          Sizes piece = {2, 3, 5}, whole = piece;
          whole[dimension] *= size;
          Buffer source(whole, gap), destination(piece, gap);
          FillWithInput(source, world.rank());
          Collective c;
          c.kind = plan::COLLECTIVE_KIND_REDUCE_SCATTER;
          c.reduction = plan::REDUCTION_SUM;
          c.source_dimension = dimension;
          c.source = source.tensor();
          c.destination = destination.tensor();
          RunToEnd(*group, c);
          for (int64_t i = 0; i < destination.count(); ++i) {
            const int64_t from =
                Moved(piece, dimension, i, whole[dimension],
                      world.rank() * piece[dimension]);
            float expected = 0;
            for (int r = 0; r < size; ++r) expected += Input(r, from);
            ASSERT_EQ(destination[i], expected);
          }
          EXPECT_EQ(destination.untouched_gaps(), destination.gaps());
        });
}

TEST_P(CollectiveSuite, AllToAllExchangesPieces) {
  for (int size : kWorldSizes)
    for (int cut = 0; cut < 3; ++cut)
      for (int join = 0; join < 3; ++join)
        for (int64_t gap : {0, 3})
          OnEveryRank(size, [&](World& world) {
            auto group = Everyone(world);
            const Sizes piece = {2, 3, 5};
            Sizes whole = piece, joined = piece;
            whole[cut] *= size;
            joined[join] *= size;
            Buffer source(whole, gap), destination(joined, gap);
            FillWithInput(source, world.rank());
            Collective c;
            c.kind = plan::COLLECTIVE_KIND_ALL_TO_ALL;
            c.source_dimension = cut;
            c.destination_dimension = join;
            c.source = source.tensor();
            c.destination = destination.tensor();
            RunToEnd(*group, c);
            for (int r = 0; r < size; ++r)
              for (int64_t i = 0; i < ElementCount(piece); ++i) {
                const int64_t from = Moved(piece, cut, i, whole[cut],
                                           world.rank() * piece[cut]);
                const int64_t to =
                    Moved(piece, join, i, joined[join], r * piece[join]);
                ASSERT_EQ(destination[to], Input(r, from));
              }
            EXPECT_EQ(destination.untouched_gaps(), destination.gaps());
          });
}

TEST_P(CollectiveSuite, GroupsOfAMeshWorkSideBySide) {
  OnEveryRank(8, [&](World& world) {
    // Ranks as [2, 4]: a row of four, then a column of two.
    std::vector<int> row, column;
    for (int i = 0; i < 4; ++i) row.push_back(world.rank() / 4 * 4 + i);
    for (int i = 0; i < 2; ++i) column.push_back(world.rank() % 4 + i * 4);
    auto rows = world.Split(row);
    auto columns = world.Split(column);
    ASSERT_TRUE(rows.ok() && columns.ok());
    for (int round = 0; round < 20; ++round) {
      int32_t of_row = world.rank(), of_column = world.rank();
      Collective c;
      c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
      c.reduction = plan::REDUCTION_SUM;
      c.source = c.destination = {&of_row, plan::DATA_TYPE_I32, {}};
      RunToEnd(**rows, c);
      c.source = c.destination = {&of_column, plan::DATA_TYPE_I32, {}};
      RunToEnd(**columns, c);
      EXPECT_EQ(of_row, world.rank() / 4 == 0 ? 6 : 22);
      EXPECT_EQ(of_column, 2 * (world.rank() % 4) + 4);
    }
  });
}

// A thousand steps of a mesh of tp x dp, over tp, over dp and over both in turn, in
// which every rank pauses when it likes: results are those of the step, and nobody
// waits for ever.
TEST_P(CollectiveSuite, ManyStepsWithDelaysOfTheirOwn) {
  OnEveryRank(4, [](World& world) {
    const int tp = world.rank() % 2, dp = world.rank() / 2;
    auto of_tp = world.Split({dp * 2, dp * 2 + 1});
    auto of_dp = world.Split({tp, tp + 2});
    ASSERT_TRUE(of_tp.ok() && of_dp.ok());
    auto of_both = Everyone(world);
    std::minstd_rand random(world.rank() + 1);
    for (int step = 0; step < 1000; ++step) {
      for (Communicator* group : {of_tp->get(), of_dp->get(), of_both.get()}) {
        if (random() % 100 == 0)
          std::this_thread::sleep_for(
              std::chrono::microseconds(random() % 300));
        int32_t value = step * 10 + world.rank();
        Collective c;
        c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
        c.reduction = plan::REDUCTION_SUM;
        c.source = c.destination = {&value, plan::DATA_TYPE_I32, {}};
        RunToEnd(*group, c);
        const int ranks = group == of_tp->get()   ? 4 * dp + 1
                          : group == of_dp->get() ? 2 * tp + 2
                                                  : 6;
        ASSERT_EQ(value, group->size() * step * 10 + ranks) << "step " << step;
      }
    }
  });
}

// Several may be under way, and their waits may come in any order.
TEST_P(CollectiveSuite, HandlesAreIndependent) {
  OnEveryRank(2, [&](World& world) {
    auto group = Everyone(world);
    int32_t first = 1, second = 10;
    Collective c;
    c.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
    c.reduction = plan::REDUCTION_SUM;
    c.source = c.destination = {&first, plan::DATA_TYPE_I32, {}};
    ASSERT_TRUE(group->Start(0, c).ok());
    Collective d = c;
    d.source = d.destination = {&second, plan::DATA_TYPE_I32, {}};
    ASSERT_TRUE(group->Start(1, d).ok());
    EXPECT_EQ(group->Start(1, d).code(),
              absl::StatusCode::kFailedPrecondition);
    ASSERT_TRUE(group->Wait(1).ok());
    ASSERT_TRUE(group->Wait(0).ok());
    EXPECT_EQ(group->Wait(0).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 20);
  });
}

MPC_INSTANTIATE_ON_TRANSPORTS(CollectiveSuite);

}  // namespace
}  // namespace mpc::runtime
