#include "runtime/thunks/kernel_thunk.h"

#include <fstream>
#include <sstream>

#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;

plan::Plan TestPlan() {
  plan::Plan plan = PlanWithCommands(absl::StrCat(
      "commands { kernel { ", SliceText("inputs", 0, {4}),
      SliceText("inputs", 64, {4}), SliceText("outputs", 128, {4}), "} }"));
  plan::Target& target = *plan.mutable_target();
  target.set_triple("x86_64-unknown-linux-gnu");
  std::stringstream object;
  object << std::ifstream(MPC_KERNELS_FOR_TEST, std::ios::binary).rdbuf();
  target.set_object(object.str());
  target.add_kernels()->set_symbol("add_rows");
  target.mutable_kernels(0)->set_extent(4);
  return plan;
}

TEST(KernelThunkTest, PassesInputsThenOutputs) {
  const plan::Plan plan = TestPlan();
  auto kernels =
      (*CreatePlatform(plan::DEVICE_KIND_CPU))->LoadKernels(plan.target());
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  RunList(
      plan, kernels->get(),
      [](TestRank& rank) {
        for (int i = 0; i < 4; ++i) {
          rank.At<float>(0)[i] = i;
          rank.At<float>(64)[i] = 10 * i;
        }
      },
      [](TestRank& rank) {
        const float* sum = rank.At<float>(128);
        EXPECT_THAT(std::vector<float>(sum, sum + 5),
                    ElementsAre(0, 11, 22, 33, 0));
      });
}

TEST(KernelThunkTest, DeclaresItsBuffers) {
  EXPECT_THAT(UsesOf(TestPlan(), 0).first, ElementsAre(0, 64));
  EXPECT_THAT(UsesOf(TestPlan(), 0).second, ElementsAre(128));
}

TEST(KernelThunkTest, CreateRejectsWhatKernelsAreNotCompiledFor) {
  ExpectRejections(
      TestPlan(),
      {{[](auto& c) {
          c.mutable_kernel()->mutable_inputs(1)->add_sizes(1);
          c.mutable_kernel()->mutable_inputs(1)->set_row_stride(2);
        },
        "`inputs[1]` of sizes [4, 1] with row stride 2 at 64; expected dense"},
       {[](auto& c) {
          c.mutable_kernel()->mutable_outputs(0)->set_row_stride(4);
          c.mutable_kernel()->mutable_outputs(0)->set_offset_bytes(132);
        },
        "`outputs[0]` of sizes [4] with row stride 4 at 132; expected dense at "
        "a multiple of 64"}});
}

}  // namespace
}  // namespace mpc::runtime
