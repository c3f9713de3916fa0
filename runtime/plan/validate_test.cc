#include "runtime/plan/validate.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/parse_text_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

plan::Plan TestPlan() {
  return ParseText<plan::Plan>(R"pb(
    version: 1
    mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 4 } }
    groups { axes: 1 }
    groups { axes: 0 axes: 1 }
    target {
      device: DEVICE_KIND_CPU triple: "x86_64-linux" object: "x"
      kernels { symbol: "k" extent: 4 }
    }
    training { sequence_length: 8 global_batch: 4 microbatches: 2 vocabulary: 100 }
    roles {
      persistent_bytes: 256 slot_bytes: 128 slots: 2 transient_bytes: 128
      states {
        name: "w" kind: STATE_KIND_MASTER type: DATA_TYPE_F32
        global_sizes: 8 global_sizes: 4 logical_sizes: 7 logical_sizes: 4
        sharding { dimensions { axes: 1 } dimensions {} partial_axes: 0 reduction: REDUCTION_SUM }
        slice { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 2 sizes: 4 }
        initial { constant: 0 }
      }
      states {
        name: "ids" kind: STATE_KIND_BATCH type: DATA_TYPE_I32
        global_sizes: 4 logical_sizes: 4
        sharding { dimensions { axes: 0 } }
        slice { region: REGION_SLOT type: DATA_TYPE_I32 sizes: 2 }
        batch_input: BATCH_INPUT_IDS
      }
      states {
        name: "loss" kind: STATE_KIND_METRIC type: DATA_TYPE_F32
        slice { region: REGION_PERSISTENT offset_bytes: 64 type: DATA_TYPE_F32 }
      }
      lists {
        name: "step" phase: PHASE_FORWARD_BACKWARD variant: VARIANT_ONLY
        commands {
          location: "h.0"
          kernel {
            inputs { region: REGION_SLOT type: DATA_TYPE_I32 sizes: 2 }
            outputs { region: REGION_TRANSIENT offset_bytes: 4 type: DATA_TYPE_F32 sizes: 3 sizes: 4 row_stride: 8 }
          }
        }
        commands {
          location: "h.1"
          collective_start {
            kind: COLLECTIVE_KIND_ALL_REDUCE reduction: REDUCTION_SUM group: 1
            source { region: REGION_PERSISTENT offset_bytes: 64 type: DATA_TYPE_F32 }
            destination { region: REGION_PERSISTENT offset_bytes: 64 type: DATA_TYPE_F32 }
            handle: 3
          }
        }
        commands { location: "h.1" collective_wait { handle: 3 } }
        commands {
          location: "h.2"
          shard {
            source { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 8 }
            destination { region: REGION_TRANSIENT type: DATA_TYPE_F32 sizes: 2 }
          }
        }
        commands {
          location: "h.3"
          keep_on_first {
            source { region: REGION_PERSISTENT type: DATA_TYPE_F32 }
            destination { region: REGION_TRANSIENT type: DATA_TYPE_F32 }
          }
        }
      }
      schedule { microbatch: 0 slot: 0 load_batch: true }
      schedule { microbatch: 1 slot: 1 load_batch: true }
      observables { name: "loss" state: 2 schedule_entry: 1 location: "loss" }
    })pb");
}

TEST(ValidateTest, AcceptsASoundPlan) {
  const absl::Status status = ValidatePlan(TestPlan());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ValidateTest, AcceptsMasking) {
  plan::Plan plan = TestPlan();
  plan::Masking& masking = *plan.mutable_training()->mutable_masking();
  masking.set_mask_token(99);
  masking.set_pad_token(0);
  masking.set_rate(1);
  masking.set_mask_share(0.5);
  masking.set_random_share(0.5);
  EXPECT_TRUE(ValidatePlan(plan).ok()) << ValidatePlan(plan);
  masking.clear_pad_token();
  EXPECT_TRUE(ValidatePlan(plan).ok()) << ValidatePlan(plan);
}

/// One way to spoil the plan, and what the message says about it.
struct Rejection {
  std::function<void(plan::Plan&)> spoil;
  std::string message;
};

void ExpectRejections(const std::vector<Rejection>& rejections) {
  for (const Rejection& rejection : rejections) {
    plan::Plan plan = TestPlan();
    rejection.spoil(plan);
    const absl::Status status = ValidatePlan(plan);
    EXPECT_FALSE(status.ok()) << rejection.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(rejection.message));
  }
}

plan::Role& Role(plan::Plan& plan) { return *plan.mutable_roles(0); }
plan::State& State(plan::Plan& plan, int i) {
  return *Role(plan).mutable_states(i);
}
plan::Command& Command(plan::Plan& plan, int i) {
  return *Role(plan).mutable_lists(0)->mutable_commands(i);
}
plan::Masking& Masking(plan::Plan& plan) {
  plan::Masking& masking = *plan.mutable_training()->mutable_masking();
  masking.set_rate(0.15);
  masking.set_mask_share(0.8);
  masking.set_random_share(0.1);
  return masking;
}
plan::Slice& Output(plan::Plan& plan) {
  return *Command(plan, 0).mutable_kernel()->mutable_outputs(0);
}

TEST(ValidateTest, RejectsWhatIsWrongWithTheWhole) {
  ExpectRejections({
      {[](auto& p) { p.mutable_mesh()->mutable_axes(1)->set_name("dp"); },
       "mesh axis \"dp\"; expected a name of its own"},
      {[](auto& p) { p.mutable_mesh()->mutable_axes(1)->set_size(1); },
       "mesh axis \"tp\" has size 1; expected at least 2"},
      {[](auto& p) { p.mutable_mesh()->mutable_axes(1)->set_size(1 << 30); },
       "no more than 16777216 ranks"},
      {[](auto& p) { p.mutable_groups(0)->add_axes(2); },
       "groups[0]: mesh axis #2, there are 2"},
      {[](auto& p) { p.mutable_groups(0)->add_axes(1); },
       "groups[0]: mesh axis \"tp\" twice"},
      {[](auto& p) { p.mutable_target()->clear_object(); },
       "target has 1 kernels and no object"},
      {[](auto& p) { p.mutable_target()->mutable_kernels(0)->set_extent(0); },
       "kernel #0 has symbol \"k\" and extent 0"},
      {[](auto& p) { p.mutable_target()->mutable_kernels(0)->clear_symbol(); },
       "kernel #0 has symbol \"\""},
      {[](auto& p) { p.mutable_training()->set_sequence_length(0); },
       "training.sequence_length is 0"},
      {[](auto& p) { p.mutable_training()->set_global_batch(-1); },
       "training.global_batch is -1"},
      {[](auto& p) { p.mutable_training()->set_microbatches(0); },
       "training.microbatches is 0"},
      {[](auto& p) { p.mutable_training()->set_vocabulary(0); },
       "training.vocabulary is 0"},
      {[](auto& p) { Masking(p).set_mask_token(100); },
       "training.masking.mask_token is 100; expected a token below the "
       "vocabulary of 100"},
      {[](auto& p) { Masking(p).set_pad_token(-1); },
       "training.masking.pad_token is -1"},
      {[](auto& p) { Masking(p).add_special_tokens(100); },
       "training.masking.special_tokens is 100"},
      {[](auto& p) { Masking(p).set_rate(0); },
       "training.masking.rate is 0; expected above 0 and at most 1"},
      {[](auto& p) { Masking(p).set_rate(1.5); },
       "training.masking.rate is 1.5"},
      {[](auto& p) { Masking(p).set_mask_share(-0.5); },
       "training.masking has shares -0.5 and 0.1; expected at least 0 and at "
       "most 1 together"},
      {[](auto& p) { Masking(p).set_random_share(0.5); },
       "training.masking has shares 0.8 and 0.5"},
      {[](auto& p) { p.clear_roles(); }, "0 roles for a mesh of 1 stages"},
      {[](auto& p) { p.mutable_mesh()->mutable_axes(0)->set_name("pp"); },
       "1 roles for a mesh of 2 stages"},
      {[](auto& p) { Role(p).set_stage(1); }, "roles[0]: stage 1"},
      {[](auto& p) { Role(p).set_transient_bytes(uint64_t{1} << 51); },
       "a region of 2251799813685248 bytes"},
      {[](auto& p) { Role(p).set_slots(1 << 21); }, "2097152 slots"},
  });
}

TEST(ValidateTest, RejectsFieldsThatAreUnsetOrUnknown) {
  ExpectRejections({
      {[](auto& p) { p.mutable_target()->clear_device(); },
       "target: `device` is unset; legal: DEVICE_KIND_CPU"},
      {[](auto& p) {
         p.mutable_target()->set_device(static_cast<plan::DeviceKind>(77));
       },
       "`device` is 77, which is not known; legal: DEVICE_KIND_CPU"},
      {[](auto& p) { Role(p).mutable_lists(0)->clear_variant(); },
       "roles[0].lists[0] \"step\": `variant` is unset"},
      {[](auto& p) { Command(p, 2).clear_kind(); },
       "commands[2] \"h.1\": `kind` is unset"},
      {[](auto& p) { Output(p).clear_region(); },
       "commands[0] \"h.0\".kernel.outputs[0]: `region` is unset"},
      {[](auto& p) { Command(p, 3).mutable_shard()->clear_source(); },
       "commands[3] \"h.2\".shard: `source` is missing"},
      {[](auto& p) { State(p, 0).mutable_initial()->clear_kind(); },
       "states[0] \"w\".initial: `kind` is unset"},
      {[](auto& p) {
         p.GetReflection()->MutableUnknownFields(&p)->AddVarint(99, 1);
       },
       "field number 99 of Plan is not known"},
      {[](auto& p) {
         auto& gemm = *Command(p, 0).mutable_gemm();
         gemm.GetReflection()->MutableUnknownFields(&gemm)->AddVarint(12, 1);
       },
       "gemm: field number 12 of GemmCommand is not known"},
  });
}

TEST(ValidateTest, RejectsSlicesOutsideTheirRegion) {
  ExpectRejections({
      {[](auto& p) { Output(p).set_sizes(0, 5); },
       "outputs[0]: 144 bytes at 4 exceed REGION_TRANSIENT of 128 bytes"},
      {[](auto& p) { Output(p).set_offset_bytes(1000); },
       "80 bytes at 1000 exceed REGION_TRANSIENT of 128 bytes"},
      {[](auto& p) { Role(p).set_slots(0); }, "exceed REGION_SLOT of 0 bytes"},
      {[](auto& p) { Output(p).set_sizes(0, 0); },
       "sizes [0, 4]; each must be at least 1"},
      {[](auto& p) { Output(p).set_sizes(0, int64_t{1} << 60); },
       "sizes [1152921504606846976, 4] with row stride 8 exceed"},
      {[](auto& p) { Output(p).set_row_stride(3); },
       "row stride 3 with sizes [3, 4]"},
      {[](auto& p) { Output(p).set_offset_bytes(6); },
       "offset 6; expected a multiple of 4"},
      {[](auto& p) { Output(p).clear_row_stride(); },
       "offset 4; expected a multiple of 64"},
  });
}

TEST(ValidateTest, RejectsStatesThatDoNotFit) {
  ExpectRejections({
      {[](auto& p) { State(p, 0).clear_name(); }, "a state without a name"},
      {[](auto& p) { *Role(p).add_states() = State(p, 0); },
       "states[3] \"w\": a second state of this name and STATE_KIND_MASTER"},
      {[](auto& p) { State(p, 0).set_logical_sizes(0, 9); },
       "logical sizes [9, 4] of global sizes [8, 4]"},
      {[](auto& p) { State(p, 0).set_logical_sizes(0, 0); },
       "logical sizes [0, 4]"},
      {[](auto& p) { State(p, 0).add_global_sizes(1); },
       "logical sizes [7, 4] of global sizes [8, 4, 1]"},
      {[](auto& p) {
         State(p, 0).mutable_sharding()->mutable_dimensions()->RemoveLast();
       },
       "sharding of 1 dimensions, the state has 2"},
      {[](auto& p) {
         State(p, 0).mutable_sharding()->mutable_dimensions(1)->add_axes(5);
       },
       "sharding over axis #5, the mesh has 2"},
      {[](auto& p) {
         State(p, 0).mutable_sharding()->mutable_dimensions(1)->add_axes(1);
       },
       "sharding over axis \"tp\" twice"},
      {[](auto& p) { State(p, 0).mutable_sharding()->add_partial_axes(0); },
       "sharding over axis \"dp\" twice"},
      {[](auto& p) { State(p, 0).mutable_sharding()->clear_reduction(); },
       "1 partial axes and reduction REDUCTION_UNSPECIFIED"},
      {[](auto& p) { State(p, 0).mutable_sharding()->clear_partial_axes(); },
       "0 partial axes and reduction REDUCTION_SUM"},
      {[](auto& p) {
         State(p, 0).set_global_sizes(0, 10);
       },
       "dimension 0 of size 10 does not divide into 4 blocks"},
      {[](auto& p) { State(p, 0).mutable_slice()->set_sizes(0, 1); },
       "slice of [1, 4], a rank's part is [2, 4]"},
      {[](auto& p) {
         State(p, 0).mutable_slice()->set_type(plan::DATA_TYPE_I32);
       },
       "a state of f32 in a slice of i32"},
      {[](auto& p) { State(p, 0).mutable_slice()->set_row_stride(5); },
       "gaps between rows"},
      {[](auto& p) {
         State(p, 0).mutable_slice()->set_region(plan::REGION_TRANSIENT);
       },
       "STATE_KIND_MASTER in REGION_TRANSIENT"},
      {[](auto& p) {
         State(p, 0).mutable_slice()->set_region(plan::REGION_SLOT);
       },
       "STATE_KIND_MASTER in REGION_SLOT"},
      {[](auto& p) { State(p, 1).clear_batch_input(); },
       "BATCH_INPUT_UNSPECIFIED for a state of STATE_KIND_BATCH"},
      {[](auto& p) { State(p, 0).set_batch_input(plan::BATCH_INPUT_IDS); },
       "BATCH_INPUT_IDS for a state of STATE_KIND_MASTER"},
      {[](auto& p) { State(p, 0).mutable_initial()->set_constant(1); },
       "initial value of a state with partial axes"},
      {[](auto& p) { State(p, 1).mutable_initial()->mutable_normal(); },
       "normal initial values of a state of i32"},
      {[](auto& p) { State(p, 1).set_kind(plan::STATE_KIND_COUNTER);
                     State(p, 1).clear_batch_input();
                     State(p, 1).mutable_slice()->set_region(
                         plan::REGION_PERSISTENT); },
       "sizes [4] of a state of STATE_KIND_COUNTER; expected one element"},
  });
}

TEST(ValidateTest, RejectsAPipelineAxisThatSplitsATensor) {
  plan::Plan plan = TestPlan();
  plan.mutable_mesh()->mutable_axes(1)->set_name("pp");
  for (int stage = 1; stage < 4; ++stage) {
    *plan.add_roles() = plan.roles(0);
    plan.mutable_roles(stage)->set_stage(stage);
  }
  EXPECT_THAT(std::string(ValidatePlan(plan).message()),
              HasSubstr("dimension 0 is split over \"pp\""));
}

TEST(ValidateTest, RejectsIndicesThatDoNotExist) {
  ExpectRejections({
      {[](auto& p) { Command(p, 0).mutable_kernel()->set_kernel(1); },
       "commands[0] \"h.0\": kernel #1, there are 1"},
      {[](auto& p) { Command(p, 1).mutable_collective_start()->set_group(2); },
       "commands[1] \"h.1\": group #2, there are 2"},
      {[](auto& p) { Command(p, 3).mutable_shard()->set_group(2); },
       "commands[3] \"h.2\": group #2, there are 2"},
      {[](auto& p) { Command(p, 4).mutable_keep_on_first()->set_group(2); },
       "commands[4] \"h.3\": group #2, there are 2"},
      {[](auto& p) { Role(p).mutable_schedule(1)->set_list(1); },
       "schedule[1]: list #1, there are 1"},
      {[](auto& p) { Role(p).mutable_schedule(1)->set_microbatch(2); },
       "schedule[1]: microbatch 2, there are 2"},
      {[](auto& p) { Role(p).mutable_schedule(1)->set_slot(2); },
       "schedule[1]: slot 2, there are 2"},
      {[](auto& p) { Role(p).mutable_observables(0)->set_state(3); },
       "observables[0] \"loss\": state #3, there are 3"},
      {[](auto& p) { Role(p).mutable_observables(0)->set_schedule_entry(2); },
       "observables[0] \"loss\": schedule entry #2, there are 2"},
      {[](auto& p) { *Role(p).add_observables() = Role(p).observables(0); },
       "observables[1] \"loss\": expected a name of its own"},
  });
}

TEST(ValidateTest, RejectsCollectivesWithoutAStartOrAWait) {
  ExpectRejections({
      {[](auto& p) { Command(p, 2).mutable_collective_wait()->set_handle(4); },
       "commands[2] \"h.1\": wait for collective 4, which was not started"},
      {[](auto& p) { Command(p, 2).mutable_fill()->mutable_destination()
                         ->CopyFrom(State(p, 2).slice()); },
       "lists[0] \"step\": collective 3 is started and not waited for"},
      {[](auto& p) { Command(p, 2) = Command(p, 1); },
       "commands[2] \"h.1\": start of collective 3, which is under way"},
  });
}

}  // namespace
}  // namespace mpc::runtime
