#include "runtime/simulate/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/simulate/simulate_for_test.h"
#include "runtime/testing/pipeline_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    PipelineOptions options;
    options.stages = 2;
    options.microbatches = 4;
    plan_ = MakePipelinePlan(options);
    plan_.set_model_name("a</script>\"b");
    SimulateOptions record;
    record.record = true;
    simulation_ = *Simulate(plan_, cluster::Pricing(cluster_), record);
  }

  const cluster::Cluster cluster_ = RoundCluster();
  plan::Plan plan_;
  Simulation simulation_;
};

TEST(FormatSecondsTest, ThreeDigits) {
  EXPECT_EQ(FormatSeconds(0), "0");
  EXPECT_EQ(FormatSeconds(1.2345e-6), "1.23 us");
  EXPECT_EQ(FormatSeconds(12.345e-3), "12.3 ms");
  EXPECT_EQ(FormatSeconds(0.9999), "1.00 s");
  EXPECT_EQ(FormatSeconds(123.4), "123 s");
}

TEST_F(ReportTest, TextHasFactsAndTables) {
  const std::string text = PrintSimulation(plan_, cluster_, simulation_);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("round, 2 of 16 devices, round device; node 10.0 GB/s"),
            HasSubstr("32 tokens"), HasSubstr("of 0.100 TFLOP/s (f32)"),
            HasSubstr("time of a rank in a step\n"), HasSubstr("\n  messages "),
            HasSubstr("memory of a rank\n"), Not(HasSubstr("does not fit"))));
  simulation_.usable_bytes = 100;
  EXPECT_THAT(PrintSimulation(plan_, cluster_, simulation_),
              HasSubstr("a device has 100 B: it does not fit"));
}

TEST_F(ReportTest, JsonHasTheNumbers) {
  const Json json =
      Json::parse(PrintSimulationJson(plan_, cluster_, simulation_));
  EXPECT_EQ(json["step_seconds"], simulation_.step_seconds);
  EXPECT_EQ(json["tokens_per_step"], 32);
  EXPECT_TRUE(json["fits"]);
  ASSERT_EQ(json["ranks_simulated"].size(), 2);
  const Json& rank = json["ranks_simulated"][1];
  EXPECT_NEAR(rank["compute_seconds"].get<double>() +
                  rank["exposed_seconds"].get<double>() +
                  rank["bubble_seconds"].get<double>(),
              simulation_.step_seconds, 1e-12);
  EXPECT_EQ(rank["communication"][0]["kind"], "messages");
  EXPECT_EQ(rank["communication"][0]["count"], 8);
  int64_t runs = 0;
  for (const Json& list : rank["lists"])
    if (list["phase"] == "forward") runs += list["runs"].get<int64_t>();
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(json["memory"][0]["slots_in_use"], 2);
}

TEST_F(ReportTest, ThePageHoldsItsDataAndNeedsNothingElse) {
  const std::string page = PrintSimulationHtml(plan_, cluster_, simulation_);
  const size_t begin = page.find("const data = ") + 13;
  const Json data =
      Json::parse(page.substr(begin, page.find(";\n", begin) - begin));
  EXPECT_EQ(data["model"], "a</script>\"b");
  EXPECT_EQ(data["timeline"].size(), 2);
  int forward = 0;
  for (const Json& span : data["timeline"][0]["lists"])
    forward += data["lists"][span[2].get<int>()]["phase"] == "forward";
  EXPECT_EQ(forward, 4);
  EXPECT_EQ(data["memory_over_time"].size(), 2);
  EXPECT_THAT(page, Not(AnyOf(HasSubstr(" src="), HasSubstr("@import"),
                              HasSubstr("<link"), HasSubstr("a</script>"))));
}

TEST_F(ReportTest, ATraceHasAProcessAStage) {
  const Json trace = Json::parse(PrintTrace(plan_, simulation_));
  int processes = 0, forward = 0, messages = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") ++processes;
    const std::string name = event["name"];
    if (event["ph"] != "X") continue;
    if (name.rfind("forward ", 0) == 0) ++forward;
    if (name == "messages" && event["tid"] == 2) ++messages;
    EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(),
              simulation_.step_seconds * 1e6 + 0.01);
  }
  EXPECT_EQ(processes, 2);
  EXPECT_EQ(forward, 8);
  EXPECT_EQ(messages, 2 * 8);
}

}  // namespace
}  // namespace mpc::runtime
