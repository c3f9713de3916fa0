// That the commands' operands reach the device; what it computes is tested
// there.
#include <cmath>

#include "runtime/device/attention_workspace.h"
#include "runtime/thunks/thunk_harness_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Of the working memory of the commands below.
int64_t AttentionElements() {
  plan::AttentionCommand command;
  for (int64_t size : {1, 2, 1, 1, 2}) command.mutable_query()->add_sizes(size);
  return AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU) / 4;
}

std::string ForwardText() {
  std::string text = absl::StrCat(
      "scale: 0.5 causal: true dropout: 0.25 dropout_key: 9 ",
      SliceText("query", 0, {1, 2, 1, 1, 2}), SliceText("key", 64, {1, 2, 1, 2}),
      SliceText("value", 128, {1, 2, 1, 2}),
      SliceText("query_positions", 192, {1, 2}, "I32"),
      SliceText("key_positions", 256, {1, 2}, "I32"),
      SliceText("seed", 320, {}, "I32"), SliceText("samples", 384, {1}, "I32"),
      SliceText("heads", 448, {1, 1}, "I32"));
  absl::StrAppend(
      &text, SliceText("output", 512, {1, 2, 1, 1, 2}),
      SliceText("logsumexp", 576, {1, 2, 1, 1}),
      "workspace { region: REGION_TRANSIENT type: DATA_TYPE_F32 sizes: ",
      AttentionElements(), "} ");
  return text;
}

plan::Plan ForwardPlan() {
  return PlanWithCommands(
      absl::StrCat("commands { attention { ", ForwardText(), "} }"));
}

plan::Plan GradPlan() {
  return PlanWithCommands(absl::StrCat(
      "commands { attention { ", ForwardText(), "} }",
      "commands { attention_grad { forward { ", ForwardText(), "} ",
      SliceText("output_grad", 640, {1, 2, 1, 1, 2}),
      SliceText("query_grad", 704, {1, 2, 1, 1, 2}),
      SliceText("key_grad", 768, {1, 2, 1, 2}),
      SliceText("value_grad", 832, {1, 2, 1, 2}), "} }"));
}

void WithoutDropout(plan::AttentionCommand& attention) {
  attention.clear_dropout();
  attention.clear_seed();
  attention.clear_samples();
  attention.clear_heads();
}

/// One key is seen by the first query, both by the second.
void WriteOperands(TestRank& rank) {
  const float query[] = {1, 0, 0, 2}, key[] = {3, 4, 5, 6},
              value[] = {10, 20, 30, 40};
  std::copy_n(query, 4, rank.At<float>(0));
  std::copy_n(key, 4, rank.At<float>(64));
  std::copy_n(value, 4, rank.At<float>(128));
  for (int offset : {192, 256}) {
    rank.At<int32_t>(offset)[0] = 0;
    rank.At<int32_t>(offset)[1] = 1;
  }
  for (int i = 0; i < 4; ++i) rank.At<float>(640)[i] = 1;
}

TEST(AttentionThunksTest, TheOperandsReachTheDevice) {
  plan::Plan plan = GradPlan();
  auto& list = *plan.mutable_roles(0)->mutable_lists(0);
  WithoutDropout(*list.mutable_commands(0)->mutable_attention());
  WithoutDropout(
      *list.mutable_commands(1)->mutable_attention_grad()->mutable_forward());
  RunList(plan, WriteOperands, [](TestRank& rank) {
    const float* output = rank.At<float>(512);
    EXPECT_EQ(output[0], 10);
    EXPECT_EQ(output[1], 20);
    // Scores 0.5·8 and 0.5·12.
    const float p = 1 / (1 + std::exp(-2.0f));
    EXPECT_NEAR(output[2], 10 + 20 * p, 1e-5);
    EXPECT_NEAR(output[3], 20 + 20 * p, 1e-5);
    EXPECT_NEAR(rank.At<float>(576)[0], 1.5, 1e-6);
    EXPECT_NEAR(rank.At<float>(576)[1], 6 + std::log1p(std::exp(-2.0)), 1e-6);
    EXPECT_NEAR(rank.At<float>(832)[0], 1 + 1 - p, 1e-6);
    EXPECT_NEAR(rank.At<float>(832)[2], p, 1e-6);
    // dq = ½ Σ ds k, with ds = ∓ p (1 − p) 40 for the two keys.
    const float ds = p * (1 - p) * 40;
    EXPECT_NEAR(rank.At<float>(704)[0], 0, 1e-6);
    EXPECT_NEAR(rank.At<float>(704)[2], 0.5 * ds * (5 - 3), 1e-5);
    EXPECT_NEAR(rank.At<float>(768)[1], 0.5 * -ds * 2, 1e-5);
    EXPECT_NEAR(rank.At<float>(768)[3], 0.5 * ds * 2, 1e-5);
  });
}

TEST(AttentionThunksTest, DeclareTheirOperands) {
  plan::Plan plan = GradPlan();
  EXPECT_THAT(UsesOf(plan, 0).first,
              UnorderedElementsAre(0, 64, 128, 192, 256, 320, 384, 448));
  EXPECT_THAT(UsesOf(plan, 0).second, UnorderedElementsAre(0, 512, 576));
  EXPECT_THAT(UsesOf(plan, 1).first,
              UnorderedElementsAre(0, 64, 128, 192, 256, 320, 384, 448, 512,
                                   576, 640));
  EXPECT_THAT(UsesOf(plan, 1).second,
              UnorderedElementsAre(0, 704, 768, 832));
  auto& attention = *plan.mutable_roles(0)->mutable_lists(0)
                         ->mutable_commands(0)->mutable_attention();
  WithoutDropout(attention);
  attention.clear_causal();
  EXPECT_THAT(UsesOf(plan, 0).first, UnorderedElementsAre(0, 64, 128, 256));
}

plan::AttentionCommand& A(plan::Command& command) {
  return *command.mutable_attention();
}

TEST(AttentionThunksTest, CreateRejects) {
  ExpectRejections(
      ForwardPlan(),
      {{[](auto& c) { A(c).mutable_query()->mutable_sizes()->RemoveLast(); },
        "`query` of sizes [1, 2, 1, 1]; expected [b, s, kv, group, d]"},
       {[](auto& c) { A(c).mutable_key()->add_sizes(1); },
        "`key` of sizes [1, 2, 1, 2, 1]; expected [b, t, kv, d]"},
       {[](auto& c) { A(c).set_dropout(1); }, "dropout of 1; expected 0"},
       {[](auto& c) { A(c).set_dropout(-0.5); }, "dropout of -0.5"},
       {[](auto& c) { A(c).set_dropout(NAN); }, "dropout of nan"},
       {[](auto& c) { A(c).mutable_query()->set_type(plan::DATA_TYPE_I32); },
        "`query` of i32 is not supported"},
       {[](auto& c) { A(c).mutable_query()->set_type(plan::DATA_TYPE_BF16); },
        "`key` of f32 is not supported; supported: bf16"},
       {[](auto& c) { A(c).mutable_query()->set_row_stride(4); },
        "`query` of sizes [1, 2, 1, 1, 2] with row stride 4; expected dense"},
       {[](auto& c) { A(c).mutable_key()->set_sizes(2, 2); },
        "`key` of sizes [1, 2, 2, 2] with row stride 0; expected dense "
        "[1, 2, 1, 2]"},
       {[](auto& c) { A(c).mutable_value()->set_sizes(1, 1); },
        "`value` of sizes [1, 1, 1, 2]"},
       {[](auto& c) { A(c).mutable_output()->set_sizes(4, 1); },
        "`output` of sizes [1, 2, 1, 1, 1]"},
       {[](auto& c) { A(c).mutable_logsumexp()->set_sizes(3, 2); },
        "`logsumexp` of sizes [1, 2, 1, 2]"},
       {[](auto& c) { A(c).clear_query_positions(); }, "`query_positions` of"},
       {[](auto& c) { A(c).mutable_key_positions()->set_sizes(0, 2); },
        "`key_positions` of sizes [2, 2]"},
       {[](auto& c) { A(c).mutable_seed()->add_sizes(2); },
        "`seed` of sizes [2]; expected one element"},
       {[](auto& c) { A(c).clear_samples(); }, "`samples` of"},
       {[](auto& c) { A(c).mutable_heads()->set_sizes(0, 2); },
        "`heads` of sizes [2, 1]"},
       {[](auto& c) { A(c).mutable_output()->set_offset_bytes(0); },
        "`output` (16 bytes at 0) overlaps `query`"},
       {[](auto& c) { A(c).mutable_workspace()->set_sizes(0, 100); },
        "`workspace` of sizes [100] has 400 bytes; expected at least "}});
}

TEST(AttentionThunksTest, CreateRejectsGradients) {
  plan::Plan plan = GradPlan();
  plan.mutable_roles(0)->mutable_lists(0)->mutable_commands()->SwapElements(0,
                                                                            1);
  const auto grad = [](plan::Command& c) -> plan::AttentionGradCommand& {
    return *c.mutable_attention_grad();
  };
  ExpectRejections(
      plan,
      {{[&](auto& c) { grad(c).mutable_forward()->set_dropout(2); },
        "dropout of 2"},
       {[&](auto& c) { grad(c).mutable_output_grad()->set_sizes(1, 1); },
        "`output_grad` of sizes [1, 1, 1, 1, 2]"},
       {[&](auto& c) { grad(c).mutable_query_grad()->set_sizes(1, 1); },
        "`query_grad` of sizes [1, 1, 1, 1, 2]"},
       {[&](auto& c) { grad(c).mutable_key_grad()->set_sizes(1, 1); },
        "`key_grad` of sizes [1, 1, 1, 2]"},
       {[&](auto& c) { grad(c).mutable_value_grad()->set_sizes(1, 1); },
        "`value_grad` of sizes [1, 1, 1, 2]"},
       {[&](auto& c) { grad(c).mutable_query_grad()->set_offset_bytes(640); },
        "`query_grad` (16 bytes at 640) overlaps `output_grad`"}});
}

}  // namespace
}  // namespace mpc::runtime
