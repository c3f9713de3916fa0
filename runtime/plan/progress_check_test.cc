#include "runtime/plan/progress_check.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/plan/validate.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using Commands = std::vector<std::string>;

/// Channel 0 goes from stage 0 to stage 1, channel 1 back.
std::string Send(int channel) {
  return absl::StrCat("send_start { channel: ", channel,
                      " source { region: REGION_PERSISTENT type: DATA_TYPE_F32 "
                      "} }");
}
std::string Receive(int channel) {
  return absl::StrCat("receive_start { channel: ", channel,
                      " destination { region: REGION_PERSISTENT type: "
                      "DATA_TYPE_F32 } }");
}
std::string Sent(int channel) {
  return absl::StrCat("send_wait { channel: ", channel, " }");
}
std::string Received(int channel) {
  return absl::StrCat("receive_wait { channel: ", channel, " }");
}
/// Over the group and a handle of its own.
std::string Reduce(int group, int handle) {
  return absl::StrCat(
      "collective_start { kind: COLLECTIVE_KIND_ALL_REDUCE reduction: "
      "REDUCTION_SUM group: ",
      group, " handle: ", handle,
      " source { region: REGION_PERSISTENT type: DATA_TYPE_F32 } destination { "
      "region: REGION_PERSISTENT type: DATA_TYPE_F32 } }");
}
std::string Reduced(int handle) {
  return absl::StrCat("collective_wait { handle: ", handle, " }");
}

/// A role that runs one list.
std::string RoleText(int stage, const Commands& commands) {
  std::string text = absl::StrCat(
      "roles { stage: ", stage,
      " persistent_bytes: 64 lists { "
      "name: \"all\" phase: PHASE_TRANSFER variant: VARIANT_ONLY ");
  for (const std::string& command : commands)
    absl::StrAppend(&text, "commands { location: \"x\" ", command, " } ");
  return text + "} schedule {} } ";
}

absl::Status Validate(const Commands& first, const Commands& second) {
  return ValidatePlan(ParseText<plan::Plan>(absl::StrCat(
      R"pb(version: 1
           mesh {
             axes { name: "pp" size: 2 }
             axes { name: "dp" size: 2 }
           }
           groups { axes: 0 }
           groups { axes: 0 axes: 1 }
           groups { axes: 1 }
           target { device: DEVICE_KIND_CPU }
           training {
             sequence_length: 1
             global_batch: 1
             microbatches: 1
             vocabulary: 9
           }
           channels { name: "there" source_stage: 0 destination_stage: 1 }
           channels { name: "back" source_stage: 1 destination_stage: 0 })pb",
      RoleText(0, first), RoleText(1, second))));
}

std::string ErrorOf(const Commands& first, const Commands& second) {
  const absl::Status status = Validate(first, second);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ProgressCheckTest, AcceptsStagesThatTakeTurns) {
  for (const auto& [first, second] : std::vector<std::pair<Commands, Commands>>{
           {{Send(0), Sent(0), Receive(1), Received(1)},
            {Receive(0), Received(0), Send(1), Sent(1)}},
           // Both send before they receive: a start never blocks.
           {{Send(0), Receive(1), Received(1), Sent(0)},
            {Send(1), Receive(0), Received(0), Sent(1)}},
           // Two under way.
           {{Send(0), Send(0), Sent(0), Sent(0)},
            {Receive(0), Receive(0), Received(0), Received(0)}},
           {{Send(0), Sent(0), Reduce(0, 1), Reduced(1)},
            {Receive(0), Received(0), Reduce(0, 1), Reduced(1)}},
           // A collective within a stage holds up no other.
           {{Reduce(2, 1), Reduced(1)}, {}}}) {
    const absl::Status status = Validate(first, second);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(ProgressCheckTest, RejectsStagesThatWaitForEachOther) {
  EXPECT_EQ(
      ErrorOf({Receive(1), Received(1), Send(0), Sent(0)},
              {Receive(0), Received(0), Send(1), Sent(1)}),
      "the stages of a step wait for each other for ever; "
      "roles[0].schedule[0]: list \"all\": commands[1] \"x\" waits for the "
      "sender of message 1 of channel \"back\"; roles[1].schedule[0]: list "
      "\"all\": commands[1] \"x\" waits for the sender of message 1 of "
      "channel \"there\"");
  EXPECT_THAT(ErrorOf({Send(0), Sent(0), Receive(1), Received(1)},
                      {Send(1), Sent(1), Receive(0), Received(0)}),
              HasSubstr("waits for the receiver of message 1 of channel "
                        "\"there\"; "));
  // The second message only starts after the first has been waited for.
  EXPECT_THAT(
      ErrorOf(
          {Send(0), Send(0), Sent(0), Sent(0), Receive(1), Received(1)},
          {Receive(0), Received(0), Send(1), Sent(1), Receive(0), Received(0)}),
      HasSubstr("commands[3] \"x\" waits for the receiver of message 2 "
                "of channel \"there\"; "));
}

TEST(ProgressCheckTest, RejectsCollectivesThatNotAllStagesReach) {
  EXPECT_THAT(
      ErrorOf({Reduce(1, 1), Reduced(1), Send(0), Sent(0)},
              {Receive(0), Received(0), Reduce(1, 1), Reduced(1)}),
      HasSubstr("commands[0] \"x\" waits for all stages at collective 1 "
                "of group #1; roles[1]"));
  EXPECT_THAT(ErrorOf({Reduce(0, 1), Reduced(1), Reduce(0, 1), Reduced(1)},
                      {Reduce(0, 1), Reduced(1)}),
              HasSubstr("waits for all stages at collective 2 of group #0"));
  EXPECT_THAT(ErrorOf({Reduce(0, 1), Reduced(1), Reduce(1, 1), Reduced(1)},
                      {Reduce(1, 1), Reduced(1), Reduce(0, 1), Reduced(1)}),
              HasSubstr("at collective 1 of group #0; roles[1]"));
}

}  // namespace
}  // namespace mpc::runtime
