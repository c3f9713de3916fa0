// The subcommand as a user sees it: files, messages, exit codes.
#include "runtime/train/train_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/cli/command_line.h"
#include "runtime/plan/plan_bytes.h"
#include "runtime/testing/bigram_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TrainCommandTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) {
    return ::testing::TempDir() + "train_command_" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() +
           "_" + name;
  }

  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = Path(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string WritePlan(const plan::Plan& plan) {
    return Write("plan", SerializePlan(plan));
  }

  // A file of `count` ids below 8.
  std::string WriteTokens(int count) {
    std::string tokens;
    for (int i = 0; i < count; ++i) tokens += static_cast<char>(i * i % 8);
    return Write("tokens", tokens);
  }

  // The exit code; what the command printed is in `out_` and `error_`.
  int Run(const std::vector<std::string>& arguments) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = TrainCommand(arguments);
    out_ = ::testing::internal::GetCapturedStdout();
    error_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  std::string out_;
  std::string error_;
};

TEST_F(TrainCommandTest, TrainsLogsAndSaysThatNothingWasSaved) {
  BigramOptions options;
  options.dp = 2;
  const std::string log = Path("log");
  EXPECT_EQ(Run({WritePlan(MakeBigramPlan(options)),
                 "--data=" + WriteTokens(100), "--steps=3", "--log=" + log}),
            kSuccess)
      << error_;
  EXPECT_EQ(out_, "");
  const std::string lines = Read(log);
  EXPECT_THAT(lines, StartsWith("{\"step\": 1, \"loss\": "));
  EXPECT_THAT(lines, HasSubstr("}\n{\"step\": 3, \"loss\": "));
  EXPECT_THAT(lines, Not(HasSubstr("\"step\": 4")));
  EXPECT_THAT(
      error_,
      AllOf(HasSubstr("training bigram (64 parameters) for 3 steps"),
            HasSubstr("\nstep 3/3  loss "), HasSubstr("nothing was saved")));
}

TEST_F(TrainCommandTest, ADashLogsToStandardOutput) {
  EXPECT_EQ(Run({WritePlan(MakeBigramPlan({})), "--data=" + WriteTokens(100),
                 "--steps=1", "--log=-"}),
            kSuccess);
  EXPECT_THAT(out_, StartsWith("{\"step\": 1, "));
  EXPECT_THAT(error_, HasSubstr(" for 1 step: "));
}

TEST_F(TrainCommandTest, EachNonFiniteLossIsAWarningAndNull) {
  BigramOptions options;
  options.loss_kernel = "cross_entropy_not_a_number";
  EXPECT_EQ(Run({WritePlan(MakeBigramPlan(options)),
                 "--data=" + WriteTokens(100), "--steps=2", "--log=-"}),
            kSuccess);
  EXPECT_THAT(out_, HasSubstr("{\"step\": 2, \"loss\": null, "));
  EXPECT_THAT(error_, AllOf(HasSubstr("warning: the loss of step 1 is nan"),
                            HasSubstr("warning: the loss of step 2 is nan")));
}

TEST_F(TrainCommandTest, WrongUsageExitsWith2) {
  EXPECT_EQ(Run({"a.plan"}), kBadUsage);
  EXPECT_THAT(error_, HasSubstr("missing --data=FILE"));
  EXPECT_EQ(Run({"--data=x"}), kBadUsage);
  EXPECT_THAT(error_, HasSubstr("missing PLAN"));
  EXPECT_EQ(Run({"a.plan", "--data=x", "--steps=0"}), kBadUsage);
  EXPECT_EQ(Run({"a.plan", "--data=x", "--data-format=u8"}), kBadUsage);
  EXPECT_THAT(error_, HasSubstr("expected bytes or u16 or u32"));
  EXPECT_EQ(Run({"a.plan", "--data=x", "--seed=4294967296"}), kBadUsage);
}

TEST_F(TrainCommandTest, EveryBadInputIsOneErrorAndNoLog) {
  const std::string plan = WritePlan(MakeBigramPlan({}));
  const std::string log = Path("log");
  EXPECT_EQ(Run({"/nowhere/a.plan", "--data=" + WriteTokens(100)}), kRunFailed);
  EXPECT_THAT(error_, HasSubstr("/nowhere/a.plan"));
  EXPECT_EQ(Run({plan, "--data=/nowhere/text", "--log=" + log}), kRunFailed);
  EXPECT_THAT(error_, HasSubstr("/nowhere/text: cannot be read"));
  EXPECT_EQ(Run({plan, "--data=" + WriteTokens(4), "--log=" + log}),
            kRunFailed);
  EXPECT_THAT(error_, HasSubstr("has 4 tokens, expected at least 5"));
  const std::string high = Write("high", std::string(100, '\x08'));
  EXPECT_EQ(Run({plan, "--data=" + high, "--log=" + log}), kRunFailed);
  EXPECT_THAT(error_, HasSubstr("token 0 (at byte 0) is 8"));
  EXPECT_FALSE(std::ifstream(log).good());
  EXPECT_EQ(Run({plan, "--data=" + WriteTokens(100), "--log=/nowhere/log"}),
            kRunFailed);
  EXPECT_THAT(error_, HasSubstr("log /nowhere/log: cannot be written"));
  EXPECT_EQ(Run({plan, "--data=" + WriteTokens(100), "--log=/dev/full"}),
            kRunFailed);
  EXPECT_THAT(error_, HasSubstr("No space left"));
}

TEST_F(TrainCommandTest, ALogThatIsAlsoReadIsRefusedAndTheInputIsKept) {
  const std::string plan = WritePlan(MakeBigramPlan({}));
  const std::string tokens = WriteTokens(100);
  const std::string labels = Write("labels", std::string(100, '\x01'));
  const std::string link = Path("link");
  std::remove(link.c_str());
  ASSERT_EQ(symlink(tokens.c_str(), link.c_str()), 0);
  for (const std::string& log : {plan, tokens, labels, link}) {
    const std::string before = Read(log);
    EXPECT_EQ(Run({plan, "--data=" + tokens, "--labels=" + labels, "--steps=1",
                   "--log=" + log}),
              kRunFailed)
        << log;
    EXPECT_THAT(error_, HasSubstr("log " + log + ": is the file of "));
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
    EXPECT_EQ(Read(log), before);
  }
}

TEST_F(TrainCommandTest, APlanThatTheCheckerRefusesIsNotRun) {
  plan::Plan plan = MakeBigramPlan({});
  *plan.mutable_roles(0)->add_schedule() = plan.roles(0).schedule(2);
  const std::string path = WritePlan(plan);
  EXPECT_EQ(Run({path, "--data=" + WriteTokens(100)}), kRunFailed);
  EXPECT_THAT(error_,
              HasSubstr("plan " + path + " is not run: rank 0: schedule[3] "
                        "(microbatch 0, slot 0): list \"update\": "));
  EXPECT_THAT(error_, HasSubstr("\"sgd\": updates master \"w\" again"));
}

TEST_F(TrainCommandTest, ARunThatDoesNotFitInMemoryIsRefused) {
  BigramOptions options;
  options.dp = 2;
  plan::Plan plan = MakeBigramPlan(options);
  plan.mutable_roles(0)->set_transient_bytes(uint64_t{1} << 50);
  EXPECT_EQ(Run({WritePlan(plan), "--data=" + WriteTokens(100)}), kRunFailed);
  EXPECT_THAT(error_, AllOf(HasSubstr("needs 2.3 PB in 2 arenas, "),
                            HasSubstr(" available; ")));
}

}  // namespace
}  // namespace mpc::runtime
