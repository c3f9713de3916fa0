#include "runtime/thunks/gemm_thunk.h"

#include <limits>

#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;

plan::Plan TestPlan() {
  return PlanWithCommands(absl::StrCat(
      "commands { gemm { rows: 2 columns: 2 inner: 3 transpose_right: true ",
      SliceText("left", 0, {2, 3}), SliceText("right", 64, {2, 3}),
      SliceText("destination", 128, {2, 1, 2}), "} }"));
}

void WriteOperands(TestRank& rank) {
  for (int i = 0; i < 6; ++i) {
    rank.At<float>(0)[i] = i + 1;
    rank.At<float>(64)[i] = i % 3 == 0 ? 1 : i;
  }
  for (int i = 0; i < 8; ++i) rank.At<float>(128)[i] = 100;
}

TEST(GemmThunkTest, MultipliesMatricesOfAnyNumberOfDimensions) {
  RunList(TestPlan(), WriteOperands, [](TestRank& rank) {
    // [1 2 3; 4 5 6] · [1 1 2; 1 4 5]ᵀ
    const float* result = rank.At<float>(128);
    EXPECT_THAT(std::vector<float>(result, result + 5),
                ElementsAre(9, 24, 21, 54, 100));
  });
}

TEST(GemmThunkTest, AddsToStridedRows) {
  plan::Plan plan = TestPlan();
  auto& gemm = *plan.mutable_roles(0)->mutable_lists(0)->mutable_commands(0)
                    ->mutable_gemm();
  gemm.set_accumulate(true);
  gemm.mutable_destination()->set_row_stride(4);
  RunList(plan, WriteOperands, [](TestRank& rank) {
    const float* result = rank.At<float>(128);
    EXPECT_THAT(std::vector<float>(result, result + 8),
                ElementsAre(109, 124, 100, 100, 121, 154, 100, 100));
  });
}

TEST(GemmThunkTest, DeclaresItsOperands) {
  plan::Plan plan = TestPlan();
  EXPECT_THAT(UsesOf(plan, 0).first, ElementsAre(0, 64));
  EXPECT_THAT(UsesOf(plan, 0).second, ElementsAre(128));
  plan.mutable_roles(0)->mutable_lists(0)->mutable_commands(0)->mutable_gemm()
      ->set_accumulate(true);
  EXPECT_THAT(UsesOf(plan, 0).first, ElementsAre(0, 64, 128));
}

TEST(GemmThunkTest, CreateRejects) {
  ExpectRejections(
      TestPlan(),
      {{[](auto& c) { c.mutable_gemm()->set_rows(0); },
        "product of 0 x 2 x 3; expected sizes of 1"},
       {[](auto& c) { c.mutable_gemm()->set_inner(int64_t{1} << 31); },
        "expected sizes of 1 to 2147483647"},
       {[](auto& c) { c.mutable_gemm()->set_rows(3); },
        "`left` of sizes [2, 3] with row stride 0 is not a matrix of 3 x 3"},
       {[](auto& c) { c.mutable_gemm()->set_transpose_right(false),
                      c.mutable_gemm()->set_columns(4); },
        "`right` of sizes [2, 3] with row stride 0 is not a matrix of 3 x 4"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_destination()->set_sizes(2, 3);
        },
        "`destination` of sizes [2, 1, 3]"},
       {[](auto& c) { c.mutable_gemm()->set_transpose_left(true),
                      c.mutable_gemm()->mutable_left()->set_row_stride(4); },
        "`left` of sizes [2, 3] with row stride 4 is not a matrix of 3 x 2"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_right()->set_type(plan::DATA_TYPE_BF16);
        },
        "`right` of bf16 is not supported; supported: f32"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_left()->set_type(plan::DATA_TYPE_I32);
        },
        "`left` of i32 is not supported; supported: f32, bf16, f16"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_destination()->set_type(
              plan::DATA_TYPE_F16);
        },
        "`destination` of f16 is not supported; supported: f32"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_destination()->set_offset_bytes(64);
        },
        "`destination` (16 bytes at 64) overlaps `right` (24 bytes at 64)"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_destination()->set_offset_bytes(0);
        },
        "overlaps `left`"}});
}

// Two products of 2 x 3 by 3 x 1, whose matrices lie beside each other in rows of 6, of 2
// and of 2.
plan::Plan BatchedPlan() {
  return PlanWithCommands(absl::StrCat(
      "commands { gemm { rows: 2 columns: 1 inner: 3 "
      "batch { count: 2 left_stride: 3 right_stride: 1 destination_stride: 1 } "
      "left_row_stride: 6 right_row_stride: 2 destination_row_stride: 2 ",
      SliceText("left", 0, {2, 6}), SliceText("right", 64, {3, 2}),
      SliceText("destination", 128, {2, 2}), "} }"));
}

TEST(GemmThunkTest, RepeatsTheProductOverABatch) {
  RunList(BatchedPlan(),
          [](TestRank& rank) {
            for (int i = 0; i < 12; ++i) rank.At<float>(0)[i] = i + 1;
            for (int i = 0; i < 6; ++i) rank.At<float>(64)[i] = i + 1;
          },
          [](TestRank& rank) {
            // [1 2 3; 7 8 9] · [1 3 5]ᵀ and [4 5 6; 10 11 12] · [2 4 6]ᵀ
            const float* result = rank.At<float>(128);
            EXPECT_THAT(std::vector<float>(result, result + 4),
                        ElementsAre(22, 64, 76, 136));
          });
}

TEST(GemmThunkTest, AddsUpABatchOfOneDestination) {
  plan::Plan plan = BatchedPlan();
  auto& gemm = *plan.mutable_roles(0)->mutable_lists(0)->mutable_commands(0)
                    ->mutable_gemm();
  gemm.mutable_batch(0)->set_destination_stride(0);
  gemm.set_destination_row_stride(1);
  gemm.mutable_destination()->set_sizes(1, 1);
  RunList(plan,
          [](TestRank& rank) {
            for (int i = 0; i < 12; ++i) rank.At<float>(0)[i] = i + 1;
            for (int i = 0; i < 6; ++i) rank.At<float>(64)[i] = i + 1;
            rank.At<float>(128)[0] = 1000;
          },
          [](TestRank& rank) {
            EXPECT_EQ(rank.At<float>(128)[0], 22 + 64);
            EXPECT_EQ(rank.At<float>(128)[1], 76 + 136);
          });
}

TEST(GemmThunkTest, CreateRejectsBatches) {
  ExpectRejections(
      BatchedPlan(),
      {{[](auto& c) { c.mutable_gemm()->clear_batch(); },
        "row strides without a batch"},
       {[](auto& c) { c.mutable_gemm()->mutable_left()->set_row_stride(7); },
        "`left` of a batch has row stride 7; expected a dense slice"},
       {[](auto& c) { c.mutable_gemm()->set_left_row_stride(2); },
        "rows of `left` are 2 elements apart; expected 3 to 2147483647"},
       {[](auto& c) { c.mutable_gemm()->set_right_row_stride(int64_t{1} << 31); },
        "rows of `right` are 2147483648 elements apart"},
       {[](auto& c) { c.mutable_gemm()->mutable_batch(0)->set_count(0); },
        "batch of 0 with stride 3 of `left`; expected at least 1 and 0"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_batch(0)->set_right_stride(-1);
        },
        "batch of 2 with stride -1 of `right`"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_batch(0)->set_left_stride(4);
        },
        "matrices of `left` reach beyond its 12 elements"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_batch(0)->set_left_stride(
              std::numeric_limits<int64_t>::max());
        },
        "matrices of `left` reach beyond its 12 elements"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_batch(0)->set_destination_stride(2);
        },
        "matrices of `destination` reach beyond its 4 elements"},
       {[](auto& c) { c.mutable_gemm()->set_destination_row_stride(1); },
        "matrices of `destination` are not its 4 elements, each once"},
       {[](auto& c) {
          c.mutable_gemm()->mutable_batch(0)->set_destination_stride(0);
        },
        "matrices of `destination` are not its 4 elements, each once"}});
}

}  // namespace
}  // namespace mpc::runtime
