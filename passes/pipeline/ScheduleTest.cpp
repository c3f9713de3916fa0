//===- ScheduleTest.cpp -----------------------------------------*- C++ -*-===//

#include "passes/pipeline/Schedule.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mpc;
using ::testing::HasSubstr;

namespace {

struct Sizes {
  int64_t stages, microbatches, chunks = 1;
};

class ScheduleTest : public ::testing::Test {
protected:
  ScheduleTest() { context.loadDialect<tfm::TfmDialect>(); }

  tfm::StrategyAttr strategy(StringRef kind, Sizes sizes, StringRef table = "") {
    Builder builder(&context);
    return tfm::StrategyAttr::get(
        &context, /*tp=*/1, /*dp=*/1, sizes.microbatches,
        /*sequence_parallel=*/false, /*zero=*/0, /*strict=*/false,
        /*reference=*/false, sizes.stages, sizes.chunks, {},
        builder.getStringAttr(kind),
        kind == "file" ? builder.getStringAttr(table) : StringAttr(),
        /*recompute=*/{}, /*attention=*/{});
  }

  Schedule make(StringRef kind, Sizes sizes, StringRef table = "") {
    FailureOr<Schedule> schedule =
        makeSchedule(strategy(kind, sizes, table), UnknownLoc::get(&context));
    EXPECT_TRUE(succeeded(schedule));
    return succeeded(schedule) ? *schedule : Schedule{0, 1, 0, {}};
  }

  std::string errorOf(StringRef table, Sizes sizes) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    EXPECT_TRUE(failed(makeSchedule(strategy("file", sizes, table),
                                    UnknownLoc::get(&context))));
    return error;
  }

  MLIRContext context;
};

std::string print(const Schedule &schedule) {
  std::string text;
  for (const StageSchedule &stage : schedule.stages) {
    for (const ScheduleEntry &entry : stage) {
      text += std::string(1, "FBW"[int(entry.pass)]) +
              std::to_string(entry.microbatch);
      if (schedule.chunks > 1)
        text += "." + std::to_string(entry.piece / schedule.stageCount);
      text += &entry == &stage.back() ? "\n" : " ";
    }
  }
  return text;
}

TEST_F(ScheduleTest, GPipeRunsAllForwardsFirst) {
  EXPECT_EQ(print(make("gpipe", {2, 3})), "F0 F1 F2 B0 B1 B2\n"
                                          "F0 F1 F2 B0 B1 B2\n");
}

TEST_F(ScheduleTest, OneForwardOneBackward) {
  EXPECT_EQ(print(make("1f1b", {3, 4})), "F0 F1 F2 B0 F3 B1 B2 B3\n"
                                         "F0 F1 B0 F2 B1 F3 B2 B3\n"
                                         "F0 B0 F1 B1 F2 B2 F3 B3\n");
}

TEST_F(ScheduleTest, FewerMicrobatchesThanStages) {
  EXPECT_EQ(print(make("1f1b", {4, 1})), "F0 B0\nF0 B0\nF0 B0\nF0 B0\n");
}

// Narayanan et al. 2021, figure 4: the first stage begins seven forward passes
// of 2 stages x 2 chunks... of which four are of the first two microbatches.
TEST_F(ScheduleTest, InterleavedPassesGroupsThroughTheChunks) {
  EXPECT_EQ(print(make("interleaved", {2, 4, 2})),
            "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 "
            "B3.1 B2.0 B3.0\n"
            "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 "
            "B3.1 B2.0 B3.0\n");
}

TEST_F(ScheduleTest, ZeroBubbleDelaysWeightsByTheStage) {
  EXPECT_EQ(print(make("zero-bubble", {2, 3})),
            "F0 F1 B0 W0 F2 B1 W1 B2 W2\n"
            "F0 B0 F1 B1 W0 F2 B2 W1 W2\n");
}

// Activations kept at once: p - i (1F1B); p·v + p - 1 - 2i chunks (interleaved,
// Korthikanti et al. 2022, the factor 1 + (p-1)/(p·v) of the first stage); p
// (ZB-H1, Qi et al. 2023); all (GPipe).
TEST_F(ScheduleTest, StashesAreWhatThePapersSay) {
  for (int64_t p : {2, 3, 4, 8})
    for (int64_t i = 0; i != p; ++i) {
      EXPECT_EQ(make("1f1b", {p, 4 * p}).getSlotCount(i), p - i);
      EXPECT_EQ(make("gpipe", {p, 4 * p}).getSlotCount(i), 4 * p);
      EXPECT_LE(make("zero-bubble", {p, 4 * p}).getSlotCount(i), p);
      for (int64_t v : {2, 3})
        EXPECT_EQ(make("interleaved", {p, 4 * p, v}).getSlotCount(i),
                  p * v + p - 1 - 2 * i);
    }
}

TEST_F(ScheduleTest, EveryKnownScheduleIsLegalForAllSmallSizes) {
  for (int64_t p = 2; p <= 6; ++p)
    for (int64_t m = 1; m <= 13; ++m) {
      for (StringRef kind : {"gpipe", "1f1b", "zero-bubble"})
        make(kind, {p, m});
      for (int64_t v = 2; v <= 4; ++v)
        make("interleaved", {p, m, v});
    }
}

TEST_F(ScheduleTest, SlotsAreNotSharedByLiveMicrobatches) {
  Schedule schedule = make("zero-bubble", {4, 9});
  for (const StageSchedule &stage : schedule.stages) {
    std::map<int64_t, int64_t> holder;
    for (const ScheduleEntry &entry : stage) {
      if (entry.pass == PassKind::Forward)
        EXPECT_TRUE(holder.emplace(entry.slot, entry.microbatch).second);
      EXPECT_EQ(holder.at(entry.slot), entry.microbatch);
      if (entry.pass == PassKind::Weight)
        holder.erase(entry.slot);
    }
  }
}

// -------------------------------------------------------------------- tables

TEST_F(ScheduleTest, ATableIsReadWithComments) {
  EXPECT_EQ(print(make("file", {2, 2}, "# two stages\n\nF0  F1 B0 B1 # first\n"
                                       "F0 B0 F1 B1\n")),
            "F0 F1 B0 B1\nF0 B0 F1 B1\n");
}

TEST_F(ScheduleTest, WhatIsWrongWithATableIsNamed) {
  struct Case {
    const char *table;
    Sizes sizes;
    const char *error;
  };
  const Case cases[] = {
      {"F0 B0\n", {2, 1}, "has 1 lines with entries; expected one a stage, pp=2"},
      {"F0 X0\nF0 B0\n", {2, 1}, "line 1 of the schedule has \"X0\""},
      {"F0 B-1\nF0 B0\n", {2, 1}, "\"B-1\"; expected F, B or W"},
      {"F0.0 B0\nF0 B0\n", {2, 1}, "\"F0.0\""},
      {"F0 B0\nF0 B0\n", {2, 1, 2}, "expected F, B or W and a microbatch, a point"},
      {"F0 B0\nF0\n", {2, 1}, "stage 1 has 1 entries; expected 2, F and B"},
      {"F0 B0 W0\nF0 B0\n", {2, 1}, "stage 1 has 2 entries; expected 3, F, B and W"},
      {"F0 F0 B0\nF0 B0\n", {2, 1}, "stage 0 has F0 twice"},
      {"F0 B0 F1 B1\nF0 B0\n", {2, 1}, "stage 0 has F1 of 1 microbatches"},
      {"B0 F0\nF0 B0\n", {2, 1}, "stage 0 has B0 before its F"},
      {"F0 F1 B1 B0\nF0 F1 B0 B1\n", {2, 2}, "expected ascending microbatches"},
      {"F0 F1 B0 B1\nF1 F0 B0 B1\n", {2, 2},
       "runs F1 on stage 1 where stage 0 runs F0"},
      {"F0 B0 F1 B1\nF0 F1 B0 B1\n", {2, 2},
       "deadlocks: stage 0 waits at B0 for ever"},
  };
  for (const Case &item : cases)
    EXPECT_THAT(errorOf(item.table, item.sizes), HasSubstr(item.error))
        << item.table;
}

/// A table of passes in an order in which they could run one after another.
std::string randomTable(std::mt19937 &random, Sizes sizes) {
  std::vector<std::string> lines(sizes.stages);
  std::vector<int64_t> forward(sizes.stages), backward(sizes.stages);
  for (int64_t left = 2 * sizes.stages * sizes.microbatches; left != 0;) {
    int64_t stage = random() % sizes.stages;
    bool isForward = random() % 2;
    bool isLast = stage + 1 == sizes.stages;
    int64_t &done = isForward ? forward[stage] : backward[stage];
    bool canRun =
        isForward ? done < (stage == 0 ? sizes.microbatches : forward[stage - 1])
                  : done < (isLast ? forward[stage] : backward[stage + 1]);
    // One message under way in each direction.
    canRun &= isForward ? isLast || done <= forward[stage + 1]
                        : stage == 0 || done <= backward[stage - 1];
    if (!canRun)
      continue;
    lines[stage] += (isForward ? "F" : "B") + std::to_string(done++) + " ";
    --left;
  }
  std::string table;
  for (const std::string &line : lines)
    table += line + "\n";
  return table;
}

TEST_F(ScheduleTest, RandomTablesThatCanRunAreLegal) {
  std::mt19937 random(1);
  for (int i = 0; i != 1000; ++i) {
    Sizes sizes{int64_t(2 + random() % 4), int64_t(1 + random() % 6)};
    make("file", sizes, randomTable(random, sizes));
  }
}

} // namespace
