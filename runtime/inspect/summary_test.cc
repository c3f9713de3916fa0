#include "runtime/inspect/summary.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/testing/pipeline_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// One parameter `w` of 13 x 8, padded to 16 x 8 and split over tp; its master
// and moments also over dp.
constexpr char kPlan[] = R"(
  version: 1
  compiler_version: "0.1.0"
  strategy: "tp=2 dp=2 microbatches=3"
  model_hash: "1234"
  model_name: "tiny"
  parameter_count: 104
  mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 2 } }
  groups { axes: 1 }
  groups { axes: 0 }
  target { device: DEVICE_KIND_CPU kernels { symbol: "k" extent: 1 } }
  training {
    sequence_length: 4 global_batch: 6 microbatches: 3 vocabulary: 13
    learning_rate {
      learning_rate: 0.5 min_learning_rate: 0.25 warmup_steps: 2 decay_steps: 9
    }
  }
  roles {
    persistent_bytes: 704 slot_bytes: 256 slots: 2 transient_bytes: 100
    states {
      name: "w" kind: STATE_KIND_MASTER type: DATA_TYPE_F32
      global_sizes: [16, 8] logical_sizes: [13, 8]
      sharding { dimensions { axes: [1, 0] } dimensions {} }
      slice { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: [4, 8] }
    }
    states {
      name: "w" kind: STATE_KIND_MOMENT1 type: DATA_TYPE_F32
      global_sizes: [16, 8] logical_sizes: [13, 8]
      sharding { dimensions { axes: [1, 0] } dimensions {} }
      slice {
        region: REGION_PERSISTENT offset_bytes: 128 type: DATA_TYPE_F32
        sizes: [4, 8]
      }
    }
    states {
      name: "w" kind: STATE_KIND_ACCUMULATOR type: DATA_TYPE_F32
      global_sizes: [16, 8] logical_sizes: [13, 8]
      sharding {
        dimensions { axes: 1 } dimensions {}
        partial_axes: 0 reduction: REDUCTION_SUM
      }
      slice {
        region: REGION_PERSISTENT offset_bytes: 256 type: DATA_TYPE_F32
        sizes: [4, 8]
      }
    }
    states {
      name: "w" kind: STATE_KIND_COMPUTE type: DATA_TYPE_BF16
      global_sizes: [16, 8] logical_sizes: [13, 8]
      sharding { dimensions { axes: 1 } dimensions {} }
      slice {
        region: REGION_PERSISTENT offset_bytes: 512 type: DATA_TYPE_BF16
        sizes: [8, 8]
      }
    }
    states {
      name: "loss" kind: STATE_KIND_METRIC type: DATA_TYPE_F32
      slice {
        region: REGION_PERSISTENT offset_bytes: 640 type: DATA_TYPE_F32
      }
    }
    states {
      name: "ids" kind: STATE_KIND_BATCH type: DATA_TYPE_I32
      batch_input: BATCH_INPUT_IDS global_sizes: [2, 4] logical_sizes: [2, 4]
      sharding { dimensions { axes: 0 } dimensions {} }
      slice { region: REGION_SLOT type: DATA_TYPE_I32 sizes: [1, 4] }
    }
    lists {
      name: "forward" phase: PHASE_FORWARD_BACKWARD variant: VARIANT_FIRST
      commands { gemm {} }
      commands { gemm {} }
      commands {
        collective_start {
          kind: COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: 0
          source { type: DATA_TYPE_F32 sizes: [5, 8] }
          destination { type: DATA_TYPE_F32 sizes: [5, 8] }
        }
      }
      commands { collective_wait {} }
      commands {
        collective_start {
          kind: COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: 0
          source { type: DATA_TYPE_F32 sizes: [3] }
          destination { type: DATA_TYPE_F32 sizes: [3] }
        }
      }
      commands { collective_wait {} }
    }
    lists {
      name: "update" phase: PHASE_UPDATE variant: VARIANT_ONLY
      commands {
        collective_start {
          kind: COLLECTIVE_KIND_ALL_GATHER group: 1
          source { type: DATA_TYPE_BF16 sizes: [4, 8] }
          destination { type: DATA_TYPE_BF16 sizes: [8, 8] }
        }
      }
      commands { collective_wait {} }
    }
    schedule { list: 0 microbatch: 0 }
    schedule { list: 0 microbatch: 1 slot: 1 }
    schedule { list: 0 microbatch: 2 }
    schedule { list: 1 }
  }
  remarks { location: "h.0.attn" text: "25 heads stay whole" }
)";

plan::Plan ParsePlan() {
  plan::Plan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kPlan, &plan));
  return plan;
}

RoleSummary SummarizeOnlyRole() {
  auto summary = Summarize(ParsePlan());
  EXPECT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->roles.size(), 1u);
  return summary->roles[0];
}

TEST(SummaryTest, ParametersShowLayoutsAndBytesOfARank) {
  const RoleSummary role = SummarizeOnlyRole();
  ASSERT_EQ(role.parameters.size(), 1u);
  const ParameterSummary& w = role.parameters[0];
  EXPECT_EQ(w.name, "w");
  EXPECT_THAT(w.logical_sizes, ElementsAre(13, 8));
  EXPECT_THAT(w.global_sizes, ElementsAre(16, 8));
  EXPECT_EQ(w.storage_sharding, R"([{"tp", "dp"}, {}])");
  EXPECT_EQ(w.compute_sharding, R"([{"tp"}, {}])");
  EXPECT_EQ(w.gradient_sharding, R"([{"tp"}, {}] sum = {"dp"})");
  // Three of f32 and one of bf16.
  EXPECT_EQ(w.bytes_per_rank, 3 * 4 * 8 * 4 + 8 * 8 * 2u);
}

TEST(SummaryTest, CommandsAreCountedByKind) {
  const RoleSummary role = SummarizeOnlyRole();
  ASSERT_EQ(role.lists.size(), 2u);
  EXPECT_EQ(role.lists[0].phase, "forward_backward");
  EXPECT_EQ(role.lists[0].variant, "first");
  EXPECT_EQ(role.lists[0].runs_per_step, 3);
  EXPECT_EQ(role.lists[0].commands, 6);
  EXPECT_EQ(role.lists[0].commands_by_kind.at("gemm"), 2);
  EXPECT_EQ(role.lists[0].commands_by_kind.at("collective_wait"), 2);
  EXPECT_EQ(role.lists[1].runs_per_step, 1);
}

TEST(SummaryTest, CollectivesCountEachRunOfTheirList) {
  const RoleSummary role = SummarizeOnlyRole();
  ASSERT_EQ(role.collectives.size(), 2u);
  const CollectiveSummary& reduce = role.collectives[0];
  EXPECT_EQ(reduce.kind, "all_reduce");
  EXPECT_EQ(reduce.reduction, "sum");
  EXPECT_THAT(reduce.axes, ElementsAre("tp"));
  EXPECT_EQ(reduce.group_size, 2);
  EXPECT_EQ(reduce.count_per_step, 2 * 3);
  EXPECT_EQ(reduce.payload_bytes_per_step, (5 * 8 + 3) * 4 * 3u);
  // The payload of a gather is what it gathers, not a member's piece.
  const CollectiveSummary& gather = role.collectives[1];
  EXPECT_EQ(gather.kind, "all_gather");
  EXPECT_EQ(gather.reduction, "");
  EXPECT_THAT(gather.axes, ElementsAre("dp"));
  EXPECT_EQ(gather.count_per_step, 1);
  EXPECT_EQ(gather.payload_bytes_per_step, 8 * 8 * 2u);
}

TEST(SummaryTest, CategoriesSumToTheArena) {
  const MemorySummary memory = SummarizeOnlyRole().memory;
  // Regions are rounded up to 64 bytes.
  EXPECT_EQ(memory.arena_bytes, 704 + 2 * 256 + 128u);
  std::map<std::string, uint64_t> bytes;
  uint64_t sum = 0;
  for (const MemoryCategory& category : memory.categories) {
    bytes[category.name] = category.bytes;
    sum += category.bytes;
  }
  EXPECT_EQ(sum, memory.arena_bytes);
  EXPECT_EQ(bytes["master"], 128u);
  EXPECT_EQ(bytes["moment1"], 128u);
  EXPECT_EQ(bytes["accumulator"], 128u);
  EXPECT_EQ(bytes["compute"], 128u);
  EXPECT_EQ(bytes["metric"], 4u);
  EXPECT_EQ(bytes["batch"], 2 * 16u);
  EXPECT_EQ(bytes["slots"], 2 * (256 - 16u));
  EXPECT_EQ(bytes["transient"], 100u);
  EXPECT_EQ(bytes["other"], (704 - 4 * 128 - 4) + 28u);
}

TEST(SummaryTest, OverlappingStatesAreRefused) {
  plan::Plan plan = ParsePlan();
  plan.mutable_roles(0)->mutable_states(1)->mutable_slice()->set_offset_bytes(
      64);
  EXPECT_THAT(std::string(Summarize(plan).status().message()),
              HasSubstr("state moment1 of w at byte 64 overlaps master of w, "
                        "which ends at byte 128"));
}

TEST(PrintJsonTest, KeysAndValues) {
  const plan::Plan plan = ParsePlan();
  const auto json = nlohmann::json::parse(PrintJson(plan, *Summarize(plan)));
  EXPECT_EQ(json["model_name"], "tiny");
  EXPECT_EQ(json["parameter_count"], 104);
  EXPECT_EQ(json["strategy"], "tp=2 dp=2 microbatches=3");
  EXPECT_EQ(json["model_hash"], "1234");
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["mesh"][1]["name"], "tp");
  EXPECT_EQ(json["mesh"][1]["size"], 2);
  EXPECT_EQ(json["training"]["learning_rate"], 0.5);
  EXPECT_EQ(json["target"]["device"], "cpu");
  EXPECT_EQ(json["remarks"][0]["text"], "25 heads stay whole");
  const auto& role = json["roles"][0];
  EXPECT_EQ(role["memory"]["bytes_by_category"]["master"], 128);
  EXPECT_EQ(role["parameters"][0]["logical_sizes"][0], 13);
  EXPECT_EQ(role["collectives"][0]["payload_bytes_per_step"], 516);
  EXPECT_TRUE(role["collectives"][1]["reduction"].is_null());
  EXPECT_EQ(role["lists"][0]["commands_by_kind"]["gemm"], 2);
}

TEST(PrintTextTest, TellsWhatAPersonAsks) {
  const plan::Plan plan = ParsePlan();
  const std::string text = PrintText(plan, *Summarize(plan));
  EXPECT_THAT(text, HasSubstr("model          tiny, 104 parameters\n"));
  EXPECT_THAT(text, HasSubstr("mesh           dp=2 tp=2, 4 ranks\n"));
  EXPECT_THAT(text, HasSubstr("learning rate  0.5 after 2 steps of warm-up, "
                              "cosine to 0.25 at step 9\n"));
  EXPECT_THAT(text, HasSubstr("  h.0.attn: 25 heads stay whole\n"));
  EXPECT_THAT(text, HasSubstr("  arena        1,344  1.3 KB\n"));
  EXPECT_THAT(text,
              HasSubstr("  update   all_gather      dp          2      1    "
                        "128  128 B\n"));
  EXPECT_THAT(text, HasSubstr(R"(  w     [13, 8]  [16, 8]  f32   )"
                              R"([{"tp", "dp"}, {}]  [{"tp"}, {}]    512)"));
}

TEST(PrintTextTest, TellsWhatIsHidden) {
  plan::Plan plan = ParsePlan();
  EXPECT_TRUE(nlohmann::json::parse(
                  PrintJson(plan, *Summarize(plan)))["training"]["masking"]
                  .is_null());
  plan::Masking& masking = *plan.mutable_training()->mutable_masking();
  masking.set_mask_token(4);
  masking.set_rate(0.25);
  masking.set_mask_share(0.5);
  masking.set_random_share(0.125);
  masking.add_special_tokens(7);
  const char* hidden = "vocabulary 13; 25 % of tokens are hidden, mask token 4";
  EXPECT_THAT(PrintText(plan, *Summarize(plan)),
              HasSubstr(std::string(hidden) + "\n"));
  masking.set_pad_token(0);
  EXPECT_THAT(PrintText(plan, *Summarize(plan)),
              HasSubstr(std::string(hidden) + ", padding 0\n"));
  const auto json = nlohmann::json::parse(
      PrintJson(plan, *Summarize(plan)))["training"]["masking"];
  EXPECT_EQ(json["mask_token"], 4);
  EXPECT_EQ(json["pad_token"], 0);
  EXPECT_EQ(json["special_tokens"][0], 7);
  EXPECT_EQ(json["rate"], 0.25);
  EXPECT_EQ(json["mask_share"], 0.5);
  EXPECT_EQ(json["random_share"], 0.125);
  masking.clear_pad_token();
  EXPECT_TRUE(nlohmann::json::parse(PrintJson(
      plan, *Summarize(plan)))["training"]["masking"]["pad_token"]
                  .is_null());
}

// Two stages of two ranks. A message is four tokens of a rank by eight floats.
plan::Plan TwoStages() {
  PipelineOptions options;
  options.stages = 2;
  options.dp = 2;
  options.microbatches = 4;
  return MakePipelinePlan(options);
}

TEST(SummaryTest, ChannelsCountTheMessagesOfAStep) {
  const auto summary = Summarize(TwoStages());
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->channels.size(), 2u);
  const ChannelSummary& gradient = summary->channels[1];
  EXPECT_EQ(gradient.name, "gradient 1>0");
  EXPECT_EQ(gradient.source_stage, 1u);
  EXPECT_EQ(gradient.destination_stage, 0u);
  EXPECT_EQ(gradient.messages_per_step, 4);
  EXPECT_EQ(gradient.bytes_per_step, 4 * 4 * 8 * 4u);
}

TEST(SummaryTest, EachStageHasItsMemoryAndSchedule) {
  const auto summary = Summarize(TwoStages());
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->roles.size(), 2u);
  std::map<std::string, uint64_t> bytes[2];
  for (const RoleSummary& role : summary->roles)
    for (const MemoryCategory& category : role.memory.categories)
      bytes[role.stage][category.name] = category.bytes;
  // Stage 0 keeps the inputs of both of its layers in two slots; stage 1 one of
  // its layers' and the gradient of the logits, and what it gets, in one.
  EXPECT_EQ(bytes[0]["stash"], 2 * 2 * 128u);
  EXPECT_EQ(bytes[0]["incoming"], 128u);
  EXPECT_EQ(bytes[0]["outgoing"], 128u);
  EXPECT_EQ(bytes[1]["stash"], 2 * 128u);
  EXPECT_EQ(bytes[1]["incoming"], 128u);
  const auto& schedule = summary->roles[0].schedule;
  ASSERT_GT(schedule.size(), 4u);
  EXPECT_EQ(schedule[0].list, "prologue");
  EXPECT_EQ(schedule[1].list, "forward");
  EXPECT_TRUE(schedule[1].load_batch);
  EXPECT_EQ(schedule[2].list, "send");
  EXPECT_FALSE(schedule[2].load_batch);
  EXPECT_EQ(schedule[5].list, "forward");
  EXPECT_EQ(schedule[5].microbatch, 1u);
  EXPECT_EQ(schedule[5].slot, 1u);
}

TEST(PrintJsonTest, AnEntryForEachStageAndChannel) {
  const plan::Plan plan = TwoStages();
  const auto json = nlohmann::json::parse(PrintJson(plan, *Summarize(plan)));
  EXPECT_EQ(json["channels"][0]["name"], "activation 0>1");
  EXPECT_EQ(json["channels"][0]["source_stage"], 0);
  EXPECT_EQ(json["channels"][0]["destination_stage"], 1);
  EXPECT_EQ(json["channels"][0]["messages_per_step"], 4);
  EXPECT_EQ(json["channels"][0]["bytes_per_step"], 512);
  EXPECT_EQ(json["roles"][1]["stage"], 1);
  const auto& entry = json["roles"][0]["schedule"][5];
  EXPECT_EQ(entry["list"], "forward");
  EXPECT_EQ(entry["microbatch"], 1);
  EXPECT_EQ(entry["slot"], 1);
  EXPECT_EQ(entry["load_batch"], true);
}

TEST(PrintTextTest, APipelineHasAPartForEachStage) {
  const plan::Plan plan = TwoStages();
  const std::string text = PrintText(plan, *Summarize(plan));
  EXPECT_THAT(text, HasSubstr("channels, between two ranks in a step\n"));
  EXPECT_THAT(text,
              HasSubstr("  activation 0>1           0         1         4 "
                        "   512  512 B\n"));
  EXPECT_THAT(text, HasSubstr("\npipeline stage 1\n"));
  EXPECT_THAT(text, HasSubstr("schedule (list:microbatch@slot)\n"
                              "  prologue:0@0 forward:0@0 send:0@0 "));
}

TEST(PrintTextTest, OneStageHasNothingOfAPipeline) {
  const plan::Plan plan = ParsePlan();
  const std::string text = PrintText(plan, *Summarize(plan));
  EXPECT_THAT(text, Not(HasSubstr("channels")));
  EXPECT_THAT(text, Not(HasSubstr("schedule")));
}

}  // namespace
}  // namespace mpc::runtime
