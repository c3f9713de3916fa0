// Legal plans pass, and so does no random one that hangs or crashes the
// checker.
#include "runtime/checker/check_plan.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checker/stage_plan_for_test.h"
#include "runtime/plan/validate.h"
#include "runtime/testing/bigram_plan.h"

namespace mpc::runtime {
namespace {

TEST(CheckPlanTest, AcceptsPlansOfOneStage) {
  for (int64_t dp : {1, 2})
    for (int64_t cp : {1, 2})
      for (int64_t microbatches : {1, 2, 4})
        for (bool zero : {false, true})
          for (bool adam : {false, true}) {
            BigramOptions options;
            options.dp = dp;
            options.cp = cp;
            options.microbatches = microbatches;
            options.zero = zero && dp > 1;
            options.adam = adam;
            const plan::Plan plan = MakeBigramPlan(options);
            ASSERT_EQ(ValidatePlan(plan), absl::OkStatus());
            EXPECT_EQ(CheckPlan(plan), absl::OkStatus())
                << "dp=" << dp << " cp=" << cp
                << " microbatches=" << microbatches << " zero=" << zero
                << " adam=" << adam;
          }
}

TEST(CheckPlanTest, AcceptsSchedulesOfSeveralStages) {
  for (int stages = 2; stages <= 4; ++stages)
    for (int microbatches : {1, 2, 4, 7}) {
      EXPECT_EQ(CheckPlan(MakeStagePlan(GPipeTable(stages, microbatches))),
                absl::OkStatus())
          << stages << " stages, microbatches: " << microbatches;
      EXPECT_EQ(CheckPlan(MakeStagePlan(
                    OneForwardOneBackwardTable(stages, microbatches))),
                absl::OkStatus())
          << stages << " stages, microbatches: " << microbatches;
    }
}

int IndexOf(const plan::Role& role, const std::string& list) {
  for (int i = 0; i < role.lists_size(); ++i)
    if (role.lists(i).name() == list) return i;
  ADD_FAILURE() << "no list " << list;
  return 0;
}

TEST(CheckPlanTest, AcceptsGradientsThatThePrologueSets) {
  plan::Plan plan = MakeStagePlan(OneForwardOneBackwardTable(2, 4));
  for (plan::Role& role : *plan.mutable_roles()) {
    const uint32_t first = IndexOf(role, "backward_first");
    plan::Command& fill =
        *role.mutable_lists(IndexOf(role, "prologue"))->add_commands();
    *fill.mutable_fill()->mutable_destination() =
        role.lists(first).commands(0).gemm().destination();
    for (plan::ScheduleEntry& entry : *role.mutable_schedule())
      if (entry.list() == first) entry.set_list(IndexOf(role, "backward"));
  }
  EXPECT_EQ(CheckPlan(plan), absl::OkStatus());
}

/// Its value is of the whole step, so each microbatch may read it.
TEST(CheckPlanTest, AcceptsATransientMessageWithinOneList) {
  plan::Plan plan = MakeStagePlan(OneForwardOneBackwardTable(2, 4));
  plan::Role& role = *plan.mutable_roles(0);
  const uint32_t sent = IndexOf(role, "activation_sent");
  plan::CommandList& list =
      *role.mutable_lists(IndexOf(role, "activation_send"));
  plan::Command start = list.commands(0);
  plan::Slice& source = *start.mutable_send_start()->mutable_source();
  source.set_region(plan::REGION_TRANSIENT);
  list.clear_commands();
  *list.add_commands()->mutable_fill()->mutable_destination() = source;
  *list.add_commands() = start;
  *list.add_commands() = role.lists(sent).commands(0);
  auto& schedule = *role.mutable_schedule();
  schedule.erase(std::remove_if(schedule.begin(), schedule.end(),
                                [&](const plan::ScheduleEntry& entry) {
                                  return entry.list() == sent;
                                }),
                 schedule.end());
  EXPECT_EQ(CheckPlan(plan), absl::OkStatus());
}

/// Runs a pass that may be run, at random, until all have been: whatever comes
/// out can be run. A stage may begin a backward only when the one before it has
/// taken the gradient of the last, which leaves in one buffer.
Table RandomTable(int stages, int microbatches, bool splits,
                  std::mt19937& random) {
  Table table(stages);
  std::vector<int> forward(stages), backward(stages), weight(stages);
  for (int left = (splits ? 3 : 2) * stages * microbatches; left > 0;) {
    const int s = random() % stages;
    const auto kind = static_cast<PassKind>(random() % (splits ? 3 : 2));
    int& next = kind == PassKind::kForward    ? forward[s]
                : kind == PassKind::kBackward ? backward[s]
                                              : weight[s];
    const bool is_ready =
        kind == PassKind::kForward ? s == 0 || forward[s - 1] > next
        : kind == PassKind::kBackward
            ? forward[s] > next &&
                  (s == stages - 1 || backward[s + 1] > next) &&
                  (s == 0 || backward[s - 1] >= next)
            : backward[s] > next;
    if (next == microbatches || !is_ready) continue;
    table[s].push_back({kind, next++});
    --left;
  }
  return table;
}

std::string Print(const Table& table) {
  std::string text;
  for (const auto& stage : table) {
    for (const Pass& pass : stage)
      absl::StrAppend(&text,
                      pass.kind == PassKind::kForward    ? "F"
                      : pass.kind == PassKind::kBackward ? "B"
                                                         : "W",
                      pass.microbatch, " ");
    text += "\n";
  }
  return text;
}

TEST(CheckPlanTest, AcceptsRandomTablesThatCanBeRun) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const int stages = 2 + random() % 3;
    const Table table =
        RandomTable(stages, 1 + random() % 6, /*splits=*/i % 2, random);
    ASSERT_EQ(CheckPlan(MakeStagePlan(table)), absl::OkStatus())
        << Print(table);
  }
}

/// Whether the passes of a table, in which microbatches ascend, can be run.
bool CanBeRun(const Table& table) {
  const int stages = table.size();
  std::vector<int> done(stages), forward(stages), backward(stages);
  // The gradient of a microbatch has left when the stage before is about to run
  // backward of it.
  const auto has_taken = [&](int s, int microbatch) {
    if (backward[s] > microbatch) return true;
    const Pass& next = table[s][done[s]];
    return next.kind == PassKind::kBackward && next.microbatch == microbatch;
  };
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (int s = 0; s < stages; ++s) {
      if (done[s] == static_cast<int>(table[s].size())) continue;
      const Pass& pass = table[s][done[s]];
      const bool is_forward = pass.kind == PassKind::kForward;
      int& next = is_forward ? forward[s] : backward[s];
      const bool is_ready =
          is_forward ? s == 0 || forward[s - 1] > next
                     : forward[s] > next &&
                           (s == stages - 1 || backward[s + 1] > next) &&
                           (s == 0 || next == 0 || has_taken(s - 1, next - 1));
      if (pass.microbatch != next || !is_ready) continue;
      ++next;
      ++done[s];
      has_moved = true;
    }
  }
  for (int s = 0; s < stages; ++s)
    if (done[s] != static_cast<int>(table[s].size())) return false;
  return true;
}

/// Each stage runs its passes in an order of its own, in which microbatches
/// ascend, so that all that can be wrong is that the stages do not fit.
TEST(CheckPlanTest, DecidesWhetherRandomStagesFit) {
  std::mt19937 random(2);
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    const int stages = 2 + random() % 3, microbatches = 1 + random() % 6;
    Table table(stages);
    for (auto& stage : table)
      for (int forward = 0, backward = 0; backward < microbatches;) {
        const bool is_forward =
            backward == forward || (forward < microbatches && random() % 2);
        if (is_forward)
          stage.push_back({PassKind::kForward, forward++});
        else
          stage.push_back({PassKind::kBackward, backward++});
      }
    const bool passes = CheckPlan(MakeStagePlan(table)).ok();
    ASSERT_EQ(passes, CanBeRun(table)) << Print(table);
    accepted += passes;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 900);
}

TEST(CheckPlanTest, DecidesAboutRandomOrdersOfEntries) {
  std::mt19937 random(3);
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    const int stages = 2 + random() % 3;
    plan::Plan plan =
        MakeStagePlan(RandomTable(stages, 1 + random() % 4, i % 4 > 1, random));
    auto& entries = *plan.mutable_roles(random() % stages)->mutable_schedule();
    if (i % 2) {
      std::shuffle(entries.begin(), entries.end(), random);
    } else {
      const int place = random() % (entries.size() - 1);
      entries.SwapElements(place, place + 1);
    }
    accepted += CheckPlan(plan).ok();
  }
  // Neighbours that have nothing to do with each other may change places.
  EXPECT_GT(accepted, 10);
  EXPECT_LT(accepted, 500);
}

TEST(CheckPlanTest, TakesTimeInProportionToTheCommands) {
  BigramOptions options;
  options.microbatches = 2;
  plan::Plan plan = MakeBigramPlan(options);
  plan::Role& role = *plan.mutable_roles(0);
  const auto seconds = [&](int commands) {
    for (plan::CommandList& list : *role.mutable_lists()) {
      if (list.phase() != plan::PHASE_FORWARD_BACKWARD) continue;
      while (list.commands_size() < commands / 2) {
        plan::Command& command = *list.add_commands();
        plan::Slice slice;
        slice.set_type(plan::DATA_TYPE_F32);
        slice.add_sizes(16);
        slice.set_offset_bytes(64 * (1 << 16) + 64 * list.commands_size());
        const bool is_even = list.commands_size() % 2 == 0;
        slice.set_region(is_even ? plan::REGION_SLOT : plan::REGION_TRANSIENT);
        *command.mutable_fill()->mutable_destination() = slice;
      }
    }
    const std::clock_t begin = std::clock();
    EXPECT_EQ(CheckPlan(plan), absl::OkStatus());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double seconds_100k = seconds(100'000);
  RecordProperty("milliseconds", static_cast<int>(1000 * seconds_100k));
  EXPECT_LT(seconds_100k, 1);
}

}  // namespace
}  // namespace mpc::runtime
