#include "runtime/inspect/schedule_picture.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

// A plan with nothing but schedules; a line a stage, e.g. `F0 B0.1`, where the number
// behind the point is the piece of the model.
plan::Plan PlanOf(const std::vector<std::string>& lines) {
  plan::Plan plan;
  for (size_t stage = 0; stage < lines.size(); ++stage) {
    plan::Role& role = *plan.add_roles();
    role.set_stage(stage);
    const std::vector<std::string> words = absl::StrSplit(lines[stage], ' ');
    for (const std::string& word : words) {
      const std::vector<std::string> parts = absl::StrSplit(word.substr(1), '.');
      plan::CommandList& list = *role.add_lists();
      list.set_phase(word[0] == 'F'   ? plan::PHASE_FORWARD
                     : word[0] == 'B' ? plan::PHASE_BACKWARD
                     : word[0] == 'W' ? plan::PHASE_WEIGHT
                                      : plan::PHASE_TRANSFER);
      list.set_chunk(parts.size() > 1 ? std::stoi(parts[1]) : stage);
      plan::ScheduleEntry& entry = *role.add_schedule();
      entry.set_list(role.lists_size() - 1);
      entry.set_microbatch(std::stoi(parts[0]));
    }
  }
  return plan;
}

// The bubble of 1F1B is (p-1)/(m+p-1) of the time (Narayanan et al. 2021, section
// 2.2.1): 1/4 of two stages with three microbatches.
TEST(SchedulePictureTest, OneForwardOneBackward) {
  EXPECT_EQ(PrintSchedulePicture(
                PlanOf({"F0 F1 T0 B0 F2 B1 B2", "F0 B0 F1 T0 B1 F2 B2"})),
            "  stage 0  F0 F1 .  .  B0 -  F2 B1 -  .  B2 - \n"
            "  stage 1  .  F0 B0 -  F1 B1 -  F2 B2 -  .  . \n"
            "  12 units, stages idle 25.0 % of the time if all passes of a kind "
            "take the same\n");
}

TEST(SchedulePictureTest, WeightPassesFillTheBubble) {
  EXPECT_EQ(PrintSchedulePicture(PlanOf({"F0 B0 W0", "F0 B0 W0"})),
            "  stage 0  F0 .  .  B0 W0\n"
            "  stage 1  .  F0 B0 W0 . \n"
            "  5 units, stages idle 40.0 % of the time if all passes of a kind "
            "take the same\n");
}

TEST(SchedulePictureTest, ChunksOfAStageAreNamed) {
  EXPECT_THAT(PrintSchedulePicture(PlanOf(
                  {"F0.0 F0.2 B0.2 B0.0", "F0.1 F0.3 B0.3 B0.1"})),
              ::testing::StartsWith(
                  "  stage 0  F0.0 .    F0.1 .    .    .    B0.1 -    .    .    "
                  "B0.0 -   \n"));
}

TEST(SchedulePictureTest, OneStageHasNone) {
  EXPECT_EQ(PrintSchedulePicture(PlanOf({"T0"})), "");
}

}  // namespace
}  // namespace mpc::runtime
