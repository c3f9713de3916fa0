#include "runtime/executor/launch.h"

#include <pthread.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/plan/validate.h"

namespace mpc::runtime {
namespace {

using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// y = x wᵀ on dp=2, tp=2: x [4, 2] is the batch, split over dp; w [6, 2] is
/// split over tp; the rows' sums of y go over tp, and the total over dp is kept.
/// Two microbatches in two slots.
plan::Plan TestPlan() {
  plan::Plan plan = ParseText<plan::Plan>(R"pb(
    version: 1
    mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 2 } }
    groups { axes: 0 }
    groups { axes: 1 }
    target { device: DEVICE_KIND_CPU }
    training { sequence_length: 2 global_batch: 4 microbatches: 2 vocabulary: 9 }
    roles {
      persistent_bytes: 300 slot_bytes: 64 slots: 2 transient_bytes: 100
      states {
        name: "w" kind: STATE_KIND_MASTER type: DATA_TYPE_F32
        global_sizes: 6 global_sizes: 2 logical_sizes: 5 logical_sizes: 2
        sharding { dimensions { axes: 1 } dimensions {} }
        slice { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 3 sizes: 2 }
        initial { normal { key: "w" standard_deviation: 0.5 } }
      }
      states {
        name: "rows" kind: STATE_KIND_CONSTANT type: DATA_TYPE_I32
        global_sizes: 6 logical_sizes: 5
        sharding { dimensions { axes: 1 } }
        slice { region: REGION_PERSISTENT offset_bytes: 64 type: DATA_TYPE_I32 sizes: 3 }
        initial { iota {} }
      }
      states {
        name: "loss" kind: STATE_KIND_METRIC type: DATA_TYPE_F32
        slice { region: REGION_PERSISTENT offset_bytes: 128 type: DATA_TYPE_F32 }
        initial { constant: 7 }
      }
      states {
        name: "seed" kind: STATE_KIND_INPUT_SCALAR type: DATA_TYPE_I32
        slice { region: REGION_PERSISTENT offset_bytes: 192 type: DATA_TYPE_I32 }
      }
      states {
        name: "x" kind: STATE_KIND_BATCH type: DATA_TYPE_F32
        global_sizes: 4 global_sizes: 2 logical_sizes: 4 logical_sizes: 2
        sharding { dimensions { axes: 0 } dimensions {} }
        slice { region: REGION_SLOT type: DATA_TYPE_F32 sizes: 2 sizes: 2 }
        batch_input: BATCH_INPUT_IDS
      }
      lists {
        name: "prologue" phase: PHASE_PROLOGUE variant: VARIANT_ONLY
        commands {
          location: "zero"
          fill { destination { region: REGION_PERSISTENT offset_bytes: 256 type: DATA_TYPE_F32 sizes: 2 sizes: 3 } }
        }
      }
      lists {
        name: "forward" phase: PHASE_FORWARD_BACKWARD variant: VARIANT_ONLY
        commands {
          location: "linear"
          gemm {
            rows: 2 columns: 3 inner: 2 transpose_right: true accumulate: true
            left { region: REGION_SLOT type: DATA_TYPE_F32 sizes: 2 sizes: 2 }
            right { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 3 sizes: 2 }
            destination { region: REGION_PERSISTENT offset_bytes: 256 type: DATA_TYPE_F32 sizes: 2 sizes: 3 }
          }
        }
      }
      lists {
        name: "update" phase: PHASE_UPDATE variant: VARIANT_ONLY
        commands {
          location: "sum over tp"
          collective_start {
            kind: COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: 1
            source { region: REGION_PERSISTENT offset_bytes: 256 type: DATA_TYPE_F32 sizes: 2 sizes: 3 }
            destination { region: REGION_TRANSIENT type: DATA_TYPE_F32 sizes: 2 sizes: 3 }
          }
        }
        commands { location: "sum over tp" collective_wait {} }
        commands {
          location: "loss"
          copy {
            source { region: REGION_TRANSIENT type: DATA_TYPE_F32 }
            destination { region: REGION_PERSISTENT offset_bytes: 128 type: DATA_TYPE_F32 }
          }
        }
        commands {
          location: "sum over dp"
          collective_start {
            kind: COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: 0
            source { region: REGION_PERSISTENT offset_bytes: 128 type: DATA_TYPE_F32 }
            destination { region: REGION_PERSISTENT offset_bytes: 128 type: DATA_TYPE_F32 }
          }
        }
        commands { location: "sum over dp" collective_wait {} }
      }
      schedule { list: 0 }
      schedule { list: 1 microbatch: 0 slot: 0 load_batch: true }
      schedule { list: 1 microbatch: 1 slot: 1 load_batch: true }
      schedule { list: 2 }
    })pb");
  const absl::Status status = ValidatePlan(plan);
  EXPECT_TRUE(status.ok()) << status;
  return plan;
}

/// Sets w to its row number on every rank.
void WriteWeights(RankProgram& program) {
  const int w = *program.FindState(plan::STATE_KIND_MASTER, "w");
  const Box box =
      LocalBox(program.plan().mesh(), program.role().states(w), program.rank());
  for (int i = 0; i < 6; ++i)
    program.StateData<float>(w)[i] = box.offsets[0] + i / 2 + 1;
}

TEST(LaunchTest, AStepWalksTheScheduleOnEveryRank) {
  const plan::Plan plan = TestPlan();
  for (int threads : {1, 2}) {
    const absl::Status status =
        LaunchRanks(plan, {threads}, [&](RankProgram& program) {
          EXPECT_TRUE(program.InitializeState(1).ok());
          WriteWeights(program);
          std::vector<std::string> events;
          StepCallbacks callbacks;
          callbacks.load_batch = [&](const plan::ScheduleEntry& entry) {
            events.push_back("load " + std::to_string(entry.microbatch()));
            const int x = *program.FindState(plan::STATE_KIND_BATCH, "x");
            for (float& value : program.StateData<float>(x, entry.slot()))
              value = 1 + 10 * program.coordinates()[0] + entry.microbatch();
            return absl::OkStatus();
          };
          callbacks.after_entry = [&](int entry) {
            events.push_back("after " + std::to_string(entry));
            return absl::OkStatus();
          };
          int commands = 0;
          callbacks.after_command = [&](const plan::Command& command,
                                        std::chrono::nanoseconds time) {
            EXPECT_GE(time.count(), 0);
            commands += !command.location().empty();
          };
          for (int step = 0; step < 2; ++step) {
            events.clear();
            const absl::Status status = program.RunStep(callbacks);
            EXPECT_TRUE(status.ok()) << status;
            EXPECT_THAT(events, ElementsAre("after 0", "load 0", "after 1",
                                            "load 1", "after 2", "after 3"));
          }
          EXPECT_EQ(commands, 16);
          // Rows 1 and 4 of w meet rows of x with sums (1 + 2)·2 and
          // (11 + 12)·2.
          EXPECT_EQ(*program.ReadScalar(plan::STATE_KIND_METRIC, "loss"),
                    (1 + 4) * (3 + 23) * 2);
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(LaunchTest, EveryRankKnowsItsPlace) {
  const plan::Plan plan = TestPlan();
  std::atomic<int> ranks{0};
  const absl::Status status =
      LaunchRanks(plan, {}, [&](RankProgram& program) {
        ranks |= 1 << program.rank();
        EXPECT_EQ(program.world().size(), 4);
        EXPECT_EQ(program.coordinates()[0], program.rank() / 2);
        EXPECT_EQ(program.coordinates()[1], program.rank() % 2);
        EXPECT_EQ(&program.plan(), &plan);
        EXPECT_EQ(&program.role(), &plan.roles(0));
        return program.world().Barrier();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ranks, 0b1111);
}

TEST(LaunchTest, TheArenaHasThePlansBytes) {
  const plan::Plan plan = TestPlan();
  // Each of the regions rounded up to 64.
  EXPECT_EQ(RequiredBytes(plan.roles(0)), 320u + 2 * 64 + 128);
  EXPECT_EQ(RequiredBytes(plan), 4 * RequiredBytes(plan.roles(0)));
  const absl::Status status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    EXPECT_EQ(program.arena_bytes(), RequiredBytes(plan.roles(0)));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LaunchTest, StatesAreFoundByKindAndName) {
  const plan::Plan plan = TestPlan();
  const absl::Status status = LaunchRanks(plan, {}, [](RankProgram& program) {
    EXPECT_EQ(*program.FindState(plan::STATE_KIND_BATCH, "x"), 4);
    EXPECT_EQ(program.StateBytes(4, 1).data() - program.StateBytes(4, 0).data(),
              64);
    EXPECT_THAT(program.StatesOfKind(plan::STATE_KIND_METRIC), ElementsAre(2));
    const absl::Status missing =
        program.FindState(plan::STATE_KIND_METRIC, "norm").status();
    EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(missing.message()),
                HasSubstr("no STATE_KIND_METRIC \"norm\"; it has loss"));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LaunchTest, ScalarsAreReadAndWritten) {
  const plan::Plan plan = TestPlan();
  const auto input = plan::STATE_KIND_INPUT_SCALAR;
  const absl::Status status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    EXPECT_TRUE(program.WriteScalar(input, "seed", -5).ok());
    EXPECT_EQ(*program.ReadScalar(input, "seed"), -5);
    EXPECT_TRUE(program.WriteScalar(input, "seed", 4294967295.0).ok());
    EXPECT_EQ(*program.ReadScalar(input, "seed"), -1);
    for (double bad : {0.5, 4294967296.0, -2147483649.0})
      EXPECT_THAT(
          std::string(program.WriteScalar(input, "seed", bad).message()),
          HasSubstr("state \"seed\": "));
    EXPECT_TRUE(program.WriteScalar(plan::STATE_KIND_METRIC, "loss", 0.25).ok());
    EXPECT_EQ(*program.ReadScalar(plan::STATE_KIND_METRIC, "loss"), 0.25);
    EXPECT_THAT(std::string(program.ReadScalar(plan::STATE_KIND_MASTER, "w")
                                .status()
                                .message()),
                HasSubstr("24 bytes; expected one element"));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LaunchTest, AnErrorOfOneRankStopsAllAndIsTheResult) {
  const plan::Plan plan = TestPlan();
  std::atomic<int> aborted{0};
  const absl::Status status =
      LaunchRanks(plan, {}, [&](RankProgram& program) -> absl::Status {
        if (program.rank() == 2) return absl::DataLossError("the disk is full");
        const absl::Status barrier = program.world().Barrier();
        if (std::string(barrier.message()) == "rank 2: the disk is full")
          ++aborted;
        return barrier;
      });
  EXPECT_EQ(status, absl::DataLossError("rank 2: the disk is full"));
  EXPECT_EQ(aborted, 3);
}

TEST(LaunchTest, ARankThatThrowsStopsAllInTheMiddleOfAStep) {
  const plan::Plan plan = TestPlan();
  for (int thrower = 0; thrower < 4; ++thrower) {
    const absl::Status status =
        LaunchRanks(plan, {}, [&](RankProgram& program) {
          StepCallbacks callbacks;
          callbacks.load_batch = [&](const plan::ScheduleEntry& entry) {
            if (program.rank() == thrower && entry.microbatch() == 1)
              throw std::runtime_error("no more tokens");
            return absl::OkStatus();
          };
          return program.RunStep(callbacks);
        });
    EXPECT_EQ(status,
              absl::InternalError("rank " + std::to_string(thrower) +
                                  ": no more tokens"));
  }
}

TEST(LaunchTest, ARankThatThrowsNoExceptionStopsAllToo) {
  const plan::Plan plan = TestPlan();
  const absl::Status status =
      LaunchRanks(plan, {}, [&](RankProgram& program) -> absl::Status {
        if (program.rank() == 1) throw 7;
        return program.world().Barrier();
      });
  EXPECT_THAT(std::string(status.message()), HasSubstr("rank 1: threw"));
}

TEST(LaunchTest, AnErrorOfACommandNamesItsLocation) {
  const plan::Plan plan = TestPlan();
  const absl::Status status =
      LaunchRanks(plan, {}, [&](RankProgram& program) -> absl::Status {
        // Rank 3 leaves: its peers in both groups wait for it, and the first
        // that notices says so.
        if (program.rank() == 3) return absl::OkStatus();
        StepCallbacks callbacks;
        callbacks.load_batch = [](const plan::ScheduleEntry&) {
          return absl::OkStatus();
        };
        return program.RunStep(callbacks);
      });
  EXPECT_THAT(std::string(status.message()),
              ContainsRegex("rank [0-2]: sum over [dt]p: rank 3: has ended while "
                            "rank [0-2] waits"));
}

TEST(LaunchTest, AnErrorOfACallbackEndsTheStep) {
  const plan::Plan plan = TestPlan();
  absl::Status status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    return program.RunStep({});
  });
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("schedule entry 1 loads a batch, and no loader"));
  status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    StepCallbacks callbacks;
    callbacks.after_entry = [](int entry) {
      return entry == 0 ? absl::OutOfRangeError("stop") : absl::OkStatus();
    };
    return program.RunStep(callbacks);
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
}

TEST(LaunchTest, NothingRunsIfACommandIsWrong) {
  plan::Plan plan = TestPlan();
  plan.mutable_roles(0)->mutable_lists(1)->mutable_commands(0)->mutable_gemm()
      ->set_inner(3);
  bool ran = false;
  const absl::Status status = LaunchRanks(plan, {}, [&](RankProgram&) {
    ran = true;
    return absl::OkStatus();
  });
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("list \"forward\": linear: `left`"));
  EXPECT_FALSE(ran);
}

TEST(LaunchTest, NothingRunsIfTheMachineLacksWhatKernelsNeed) {
  plan::Plan plan = TestPlan();
  plan.mutable_target()->set_triple("x86_64-unknown-linux-gnu");
  plan.mutable_target()->add_cpu_features("avx1024");
  plan.mutable_target()->set_object("x");
  plan.mutable_target()->add_kernels()->set_symbol("k");
  const absl::Status status = LaunchRanks(
      plan, {}, [&](RankProgram&) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("avx1024"));
}

TEST(LaunchTest, LaunchesNest) {
  const plan::Plan plan = TestPlan();
  std::atomic<int> inner{0};
  const absl::Status status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    if (program.rank() != 0) return absl::OkStatus();
    return LaunchRanks(plan, {}, [&](RankProgram& nested) {
      ++inner;
      return nested.world().Barrier();
    });
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(inner, 4);
}

TEST(LaunchTest, ARankWithoutAThreadStopsAll) {
  pthread_attr_t old, huge;
  pthread_getattr_default_np(&old);
  pthread_attr_init(&huge);
  // No address space holds such a stack.
  pthread_attr_setstacksize(&huge, size_t{1} << 47);
  pthread_setattr_default_np(&huge);
  const absl::Status status = LaunchRanks(
      TestPlan(), {},
      [](RankProgram& program) { return program.world().Barrier(); });
  pthread_setattr_default_np(&old);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("rank 0: its thread cannot be created: "));
}

}  // namespace
}  // namespace mpc::runtime
