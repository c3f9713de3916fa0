#include "runtime/plan/channel_check.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/plan/validate.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

/// Two stages: 0 sends its slot's message and waits for it in a later list;
/// 1 receives it twice in a step, out of slot 0 and slot 1.
plan::Plan TestPlan() {
  return ParseText<plan::Plan>(R"pb(
    version: 1
    mesh {
      axes { name: "dp" size: 2 }
      axes { name: "pp" size: 2 }
    }
    target { device: DEVICE_KIND_CPU }
    training {
      sequence_length: 8
      global_batch: 4
      microbatches: 2
      vocabulary: 100
    }
    channels { name: "activation 0>1" source_stage: 0 destination_stage: 1 }
    channels { name: "gradient 1>0" source_stage: 1 destination_stage: 0 }
    roles {
      persistent_bytes: 64
      slot_bytes: 64
      slots: 2
      transient_bytes: 64
      states {
        name: "x"
        kind: STATE_KIND_OUTGOING
        type: DATA_TYPE_F32
        global_sizes: 8
        logical_sizes: 8
        sharding { dimensions {} }
        slice { region: REGION_PERSISTENT type: DATA_TYPE_F32 sizes: 8 }
      }
      lists {
        name: "send"
        phase: PHASE_TRANSFER
        variant: VARIANT_ONLY
        commands {
          location: "h.0"
          send_start {
            source { region: REGION_SLOT type: DATA_TYPE_F32 sizes: 8 }
          }
        }
      }
      lists {
        name: "sent"
        phase: PHASE_TRANSFER
        variant: VARIANT_ONLY
        commands {
          location: "h.0"
          send_wait {}
        }
      }
      schedule { list: 0 }
      schedule { list: 0 microbatch: 1 slot: 1 }
      schedule { list: 1 }
      schedule { list: 1 microbatch: 1 slot: 1 }
    }
    roles {
      stage: 1
      persistent_bytes: 64
      slot_bytes: 64
      slots: 2
      transient_bytes: 64
      states {
        name: "x"
        kind: STATE_KIND_INCOMING
        type: DATA_TYPE_F32
        global_sizes: 8
        logical_sizes: 8
        sharding { dimensions {} }
        slice { region: REGION_SLOT type: DATA_TYPE_F32 sizes: 8 }
      }
      states {
        name: "y"
        kind: STATE_KIND_STASH
        type: DATA_TYPE_F32
        global_sizes: 8
        logical_sizes: 8
        sharding { dimensions {} }
        slice { region: REGION_SLOT type: DATA_TYPE_F32 sizes: 8 }
      }
      lists {
        name: "receive"
        phase: PHASE_TRANSFER
        variant: VARIANT_ONLY
        commands {
          location: "h.1"
          receive_start {
            destination {
              region: REGION_TRANSIENT
              type: DATA_TYPE_I32
              sizes: 2
              sizes: 4
            }
          }
        }
        commands {
          location: "h.1"
          receive_wait {}
        }
      }
      schedule {}
      schedule { microbatch: 1 slot: 1 }
    })pb");
}

plan::CommandList& List(plan::Plan& plan, int stage, int list) {
  return *plan.mutable_roles(stage)->mutable_lists(list);
}
plan::Channel& Channel(plan::Plan& plan) { return *plan.mutable_channels(0); }
plan::State& State(plan::Plan& plan, int stage, int state) {
  return *plan.mutable_roles(stage)->mutable_states(state);
}
plan::ReceiveStartCommand& Receive(plan::Plan& plan) {
  return *List(plan, 1, 0).mutable_commands(0)->mutable_receive_start();
}

TEST(ChannelCheckTest, AcceptsASoundPlan) {
  const absl::Status status = ValidatePlan(TestPlan());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ChannelCheckTest, IncomingStatesMayLieInBothRegions) {
  plan::Plan plan = TestPlan();
  State(plan, 1, 0).mutable_slice()->set_region(plan::REGION_PERSISTENT);
  const absl::Status status = ValidatePlan(plan);
  EXPECT_TRUE(status.ok()) << status;
}

struct Rejection {
  std::function<void(plan::Plan&)> spoil;
  std::string message;
};

void ExpectRejections(const std::vector<Rejection>& rejections) {
  for (const Rejection& rejection : rejections) {
    plan::Plan plan = TestPlan();
    rejection.spoil(plan);
    const absl::Status status = ValidatePlan(plan);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(rejection.message));
  }
}

TEST(ChannelCheckTest, RejectsChannelsThatJoinNothing) {
  ExpectRejections({
      {[](auto& p) { Channel(p).clear_name(); },
       "channels[0] \"\": expected a name of its own"},
      {[](auto& p) { Channel(p).set_name("gradient 1>0"); },
       "channels[1] \"gradient 1>0\": expected a name of its own"},
      {[](auto& p) { Channel(p).set_source_stage(2); },
       "channels[0] \"activation 0>1\": stage 2, there are 2"},
      {[](auto& p) { Channel(p).set_destination_stage(2); },
       "channels[0] \"activation 0>1\": stage 2, there are 2"},
      {[](auto& p) { Channel(p).set_destination_stage(0); },
       "channels[0] \"activation 0>1\": from stage 0 to itself; expected two "
       "stages"},
      {[](auto& p) {
         p.mutable_mesh()->mutable_axes(1)->set_name("tp");
         p.mutable_roles()->RemoveLast();
       },
       "channels[0] \"activation 0>1\": stage 1, there are 1"},
  });
}

TEST(ChannelCheckTest, RejectsEndsThatAStageDoesNotHave) {
  ExpectRejections({
      {[](auto& p) { Receive(p).set_channel(2); },
       "roles[1]: lists[0] \"receive\": commands[0] \"h.1\": channel #2, there "
       "are 2"},
      {[](auto& p) { Receive(p).set_channel(1); },
       "stage 1 receives from channel \"gradient 1>0\"; only stage 0 does"},
      {[](auto& p) {
         List(p, 0, 0).mutable_commands(0)->mutable_send_start()->set_channel(
             1);
       },
       "roles[0]: lists[0] \"send\": commands[0] \"h.0\": stage 0 sends on "
       "channel \"gradient 1>0\"; only stage 1 does"},
      {[](auto& p) {
         List(p, 0, 1).mutable_commands(0)->mutable_send_wait()->set_channel(1);
       },
       "stage 0 sends on channel \"gradient 1>0\""},
      {[](auto& p) {
         List(p, 1, 0).mutable_commands(1)->mutable_receive_wait()->set_channel(
             1);
       },
       "stage 1 receives from channel \"gradient 1>0\""},
  });
}

TEST(ChannelCheckTest, RejectsMessagesWithoutAStartOrAWait) {
  ExpectRejections({
      {[](auto& p) { List(p, 1, 0).mutable_commands()->SwapElements(0, 1); },
       "roles[1].schedule[0]: list \"receive\": commands[0] \"h.1\": channel "
       "\"activation 0>1\": wait for message 1, 0 were started before"},
      {[](auto& p) { p.mutable_roles(0)->mutable_schedule()->RemoveLast(); },
       "roles[0]: channel \"activation 0>1\": 2 messages are started in a step "
       "and 1 waited for"},
      {[](auto& p) {
         auto& start = *List(p, 0, 0).mutable_commands(0)->mutable_send_start();
         start.mutable_source()->set_region(plan::REGION_TRANSIENT);
       },
       "roles[0].schedule[2]: list \"sent\": commands[0] \"h.0\": channel "
       "\"activation 0>1\": wait for message 1, which schedule[0] started in "
       "REGION_TRANSIENT; expected the wait in the same list"},
  });
}

TEST(ChannelCheckTest, RejectsEndsThatDisagree) {
  ExpectRejections({
      {[](auto& p) { p.mutable_roles(1)->mutable_schedule()->RemoveLast(); },
       "channel \"activation 0>1\": stage 0 sends 2 messages a step, stage 1 "
       "receives 1"},
      {[](auto& p) { Receive(p).mutable_destination()->set_sizes(0, 1); },
       "channel \"activation 0>1\": message 1 of a step has 32 bytes on stage "
       "0 "
       "and 16 bytes on stage 1"},
  });
}

TEST(ChannelCheckTest, RejectsStatesOfMessagesInOtherRegions) {
  ExpectRejections({
      {[](auto& p) {
         State(p, 0, 0).mutable_slice()->set_region(plan::REGION_SLOT);
       },
       "a state of STATE_KIND_OUTGOING in REGION_SLOT"},
      {[](auto& p) {
         State(p, 1, 0).mutable_slice()->set_region(plan::REGION_TRANSIENT);
       },
       "a state of STATE_KIND_INCOMING in REGION_TRANSIENT"},
      {[](auto& p) {
         State(p, 1, 1).mutable_slice()->set_region(plan::REGION_PERSISTENT);
       },
       "a state of STATE_KIND_STASH in REGION_PERSISTENT"},
  });
}

}  // namespace
}  // namespace mpc::runtime
