// The subcommand as a user sees it: files, messages, exit codes.
#include "runtime/verify/verify_command.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/cli/command_line.h"
#include "runtime/plan/plan_bytes.h"
#include "runtime/testing/bigram_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

std::string WritePlan(const std::string& name, const plan::Plan& plan) {
  const std::string path = ::testing::TempDir() + "verify_command_" + name;
  std::ofstream(path, std::ios::binary) << SerializePlan(plan);
  return path;
}

TEST(VerifyCommandTest, NeitherPlanIsRunIfTheCheckerRefusesOne) {
  plan::Plan plan = MakeBigramPlan({});
  const std::string sound = WritePlan("sound", plan);
  *plan.mutable_roles(0)->add_schedule() = plan.roles(0).schedule(2);
  const std::string broken = WritePlan("broken", plan);
  for (const auto& [tested, reference] :
       {std::make_pair(sound, broken), std::make_pair(broken, sound)}) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(VerifyCommand({tested, "--reference=" + reference}), kRunFailed);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("plan " + broken + " is not run: rank 0: schedule[3]"));
  }
}

}  // namespace
}  // namespace mpc::runtime
