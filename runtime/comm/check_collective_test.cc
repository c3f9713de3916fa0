#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/comm/communicator.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

using Sizes = std::vector<int64_t>;

struct Case {
  plan::CollectiveKind kind;
  int source_dimension, destination_dimension;
  Sizes source, destination;
  /// What the message says; empty: legal.
  std::string message;
  plan::DataType type = plan::DATA_TYPE_F32;
  plan::Reduction reduction = plan::REDUCTION_SUM;
};

TEST(CheckCollectiveTest, AcceptsAndRejectsAmongFour) {
  const auto all_reduce = plan::COLLECTIVE_KIND_ALL_REDUCE;
  const auto all_gather = plan::COLLECTIVE_KIND_ALL_GATHER;
  const auto reduce_scatter = plan::COLLECTIVE_KIND_REDUCE_SCATTER;
  const auto all_to_all = plan::COLLECTIVE_KIND_ALL_TO_ALL;
  const Case cases[] = {
      {all_reduce, 0, 0, {}, {}, ""},
      {all_reduce, 0, 0, {8, 3}, {8, 3}, ""},
      {all_reduce, 0, 0, {8, 3}, {3, 8}, "[8, 3] into [3, 8]; expected [8, 3]"},
      {all_gather, 0, 1, {8, 3}, {8, 12}, ""},
      {all_gather, 0, 0, {8, 3}, {8, 12}, "expected [32, 3]"},
      {all_gather, 0, 2, {8, 3}, {8, 12}, "destination dimension 2"},
      {all_gather, 0, 0, {}, {4}, "destination dimension 0"},
      {reduce_scatter, 0, 0, {8, 3}, {2, 3}, ""},
      {reduce_scatter, 1, 0, {8, 3}, {8, 3}, "size 3 does not divide among 4"},
      {reduce_scatter, 2, 0, {8, 3}, {8, 3}, "source dimension 2"},
      {all_to_all, 0, 1, {8, 3}, {2, 12}, ""},
      {all_to_all, 0, 0, {8, 3}, {8, 3}, ""},
      {all_to_all, 0, 1, {8, 3}, {8, 3}, "expected [2, 12]"},
      {plan::COLLECTIVE_KIND_UNSPECIFIED, 0, 0, {}, {}, "without a kind"},
      {all_gather, 0, 0, {2}, {8}, "", plan::DATA_TYPE_BF16},
      {all_reduce, 0, 0, {2}, {2}, "", plan::DATA_TYPE_BF16},
      {all_reduce, 0, 0, {2}, {2}, "without a reduction", plan::DATA_TYPE_F32,
       plan::REDUCTION_UNSPECIFIED},
      {all_gather, 0, 0, {2}, {8}, "", plan::DATA_TYPE_F32,
       plan::REDUCTION_UNSPECIFIED},
  };
  for (const Case& c : cases) {
    Collective collective;
    collective.kind = c.kind;
    collective.reduction = c.reduction;
    collective.source_dimension = c.source_dimension;
    collective.destination_dimension = c.destination_dimension;
    collective.source = {nullptr, c.type, c.source};
    collective.destination = {nullptr, c.type, c.destination};
    const absl::Status status = CheckCollective(collective, 4);
    EXPECT_EQ(status.ok(), c.message.empty()) << status << c.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(CheckCollectiveTest, RejectsAChangeOfType) {
  const Sizes sizes = {2};
  Collective collective;
  collective.kind = plan::COLLECTIVE_KIND_ALL_REDUCE;
  collective.reduction = plan::REDUCTION_MAX;
  collective.source = {nullptr, plan::DATA_TYPE_F32, sizes};
  collective.destination = {nullptr, plan::DATA_TYPE_I32, sizes};
  EXPECT_THAT(std::string(CheckCollective(collective, 2).message()),
              HasSubstr("f32 into i32"));
}

}  // namespace
}  // namespace mpc::runtime
