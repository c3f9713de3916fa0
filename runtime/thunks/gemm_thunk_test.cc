#include "runtime/thunks/gemm_thunk.h"

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

}  // namespace
}  // namespace mpc::runtime
