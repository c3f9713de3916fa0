// Every row breaks a legal plan in one way, which the checker must refuse with
// the rank, the list and the command.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checker/check_plan.h"
#include "runtime/checker/stage_plan_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

/// Edits a role of a stage plan.
class RoleEditor {
 public:
  RoleEditor(plan::Plan& plan, int stage) : role_(*plan.mutable_roles(stage)) {}

  plan::Role& role() { return role_; }

  int ListIndex(const std::string& name) const {
    for (int i = 0; i < role_.lists_size(); ++i)
      if (role_.lists(i).name() == name) return i;
    ADD_FAILURE() << "no list " << name;
    return 0;
  }
  plan::CommandList& List(const std::string& name) {
    return *role_.mutable_lists(ListIndex(name));
  }
  plan::Command& Command(const std::string& list, int command) {
    return *List(list).mutable_commands(command);
  }
  void RemoveCommand(const std::string& list, int command) {
    List(list).mutable_commands()->DeleteSubrange(command, 1);
  }
  void SwapCommands(const std::string& list, int a, int b) {
    List(list).mutable_commands()->SwapElements(a, b);
  }
  plan::Command& InsertCommand(const std::string& list, int place) {
    auto& commands = *List(list).mutable_commands();
    commands.Add();
    for (int i = commands.size() - 1; i > place; --i)
      commands.SwapElements(i, i - 1);
    commands[place].set_location("new");
    return commands[place];
  }

  int EntryIndex(const std::string& list, int microbatch) const {
    const uint32_t index = ListIndex(list);
    for (int i = 0; i < role_.schedule_size(); ++i)
      if (role_.schedule(i).list() == index &&
          static_cast<int>(role_.schedule(i).microbatch()) == microbatch)
        return i;
    ADD_FAILURE() << "no entry of " << list << " for " << microbatch;
    return 0;
  }
  plan::ScheduleEntry& Entry(const std::string& list, int microbatch) {
    return *role_.mutable_schedule(EntryIndex(list, microbatch));
  }
  void RemoveEntry(const std::string& list, int microbatch) {
    role_.mutable_schedule()->DeleteSubrange(EntryIndex(list, microbatch), 1);
  }
  void SwapEntries(int a, int b) {
    role_.mutable_schedule()->SwapElements(a, b);
  }
  /// Moves an entry to where another one is, the others make room.
  void MoveEntry(int from, int to) {
    for (; from < to; ++from) SwapEntries(from, from + 1);
    for (; from > to; --from) SwapEntries(from, from - 1);
  }
  void InsertEntry(const plan::ScheduleEntry& entry, int place) {
    *role_.add_schedule() = entry;
    MoveEntry(role_.schedule_size() - 1, place);
  }
  void SetSlot(int microbatch, int slot) {
    for (auto& entry : *role_.mutable_schedule())
      if (static_cast<int>(entry.microbatch()) == microbatch)
        entry.set_slot(slot);
  }

  plan::Slice Of(plan::StateKind kind) const {
    for (const plan::State& state : role_.states())
      if (state.kind() == kind) return state.slice();
    return {};
  }

 private:
  plan::Role& role_;
};

plan::Command Fill(const plan::Slice& slice) {
  plan::Command command;
  command.set_location("fill");
  *command.mutable_fill()->mutable_destination() = slice;
  return command;
}

/// Over the replicas of a stage; handle 9.
plan::CollectiveStartCommand AllReduceInPlace(const plan::Slice& slice) {
  plan::CollectiveStartCommand start;
  start.set_kind(plan::COLLECTIVE_KIND_ALL_REDUCE);
  start.set_reduction(plan::REDUCTION_SUM);
  start.set_group(1);
  *start.mutable_source() = slice;
  *start.mutable_destination() = slice;
  start.set_handle(9);
  return start;
}

struct Mutation {
  const char* name;
  /// Breaks a plan of two stages and four microbatches, of which the second is
  /// led by rank 2.
  std::function<void(plan::Plan& plan, RoleEditor& first, RoleEditor& second)>
      edit;
  /// What the refusal says.
  std::vector<std::string> expected;
  /// The table; 1F1B if empty.
  Table table = {};
};

void PrintTo(const Mutation& mutation, std::ostream* stream) {
  *stream << mutation.name;
}

constexpr PassKind kF = PassKind::kForward, kB = PassKind::kBackward,
                   kW = PassKind::kWeight;

using P = plan::Plan;
using E = RoleEditor;

const Mutation kMutations[] = {
    // ------------------------------------------------------------- messages
    {"ReceiveRemoved",
     [](P&, E&, E& second) {
       second.RemoveEntry("activation_receive", 1);
       second.RemoveEntry("activation_received", 1);
     },
     {"rank 2: schedule[6] (microbatch 1, slot 0): list \"forward\": "
      "commands[0] \"layer.1.in\": reads bytes",
      "hold microbatch 0 since rank 2: schedule[2]"}},
    {"ReceiveStartRemoved",
     [](P&, E&, E& second) { second.RemoveEntry("activation_receive", 1); },
     {"rank 2: schedule[6] (microbatch 1, slot 0): list "
      "\"activation_received\": commands[0] \"activation\": waits for message "
      "1 of channel \"activation 0>1\", which it has not started before"}},
    {"ReceiveWaitRemoved",
     [](P&, E&, E& second) { second.RemoveEntry("activation_received", 1); },
     {"rank 2: schedule[7] (microbatch 1, slot 0): list \"forward\": "
      "commands[0] \"layer.1.in\": reads a buffer that is being written since "
      "rank 2: schedule[6]"}},
    {"ReceiveWaitBeforeStart",
     [](P&, E&, E& second) { second.SwapEntries(1, 2); },
     {"rank 2: schedule[1]", "\"activation_received\": commands[0]",
      "has not started before"}},
    {"ReceiveTwice",
     [](P&, E&, E& second) {
       second.InsertEntry(second.Entry("activation_receive", 3),
                          second.EntryIndex("activation_received", 3));
     },
     {"rank 2: schedule[19]", "\"activation_receive\": commands[0]",
      "writes a buffer that is being written since rank 2: schedule[18]"}},
    {"SendRemoved",
     [](P&, E& first, E&) { first.RemoveEntry("activation_send", 3); },
     {"rank 0", "\"activation_sent\": commands[0] \"activation\"",
      "waits for message 3", "which it has not started before"}},
    {"SendWaitRemoved",
     [](P&, E& first, E&) { first.RemoveEntry("activation_sent", 1); },
     {"rank 0: schedule[14] (microbatch 3, slot 1): list \"forward\": "
      "commands[1] \"layer.0.out\": writes a buffer that is being read since "
      "rank 0: schedule[4]"}},
    {"LastSendWaitRemoved",
     [](P&, E& first, E&) { first.RemoveEntry("activation_sent", 3); },
     {"rank 0: schedule[16] (microbatch 3, slot 1): list \"activation_send\": "
      "commands[0] \"activation\": starts a message that is not waited for"}},
    {"LastSendWaitRemovedOnSecondStage",
     [](P&, E&, E& second) { second.RemoveEntry("gradient_sent", 3); },
     {"rank 2: schedule[23]", "\"gradient_send\": commands[0] \"gradient\"",
      "is not waited for"}},
    {"SendWaitTwice",
     [](P&, E& first, E&) {
       first.InsertEntry(first.Entry("activation_sent", 3),
                         first.EntryIndex("activation_sent", 3));
     },
     {"rank 0: schedule[22]", "\"activation_sent\": commands[0]",
      "has not started before"}},
    {"BatchLoadedWhileSent",
     [](P&, E& first, E&) {
       *first.Command("activation_send", 0)
            .mutable_send_start()
            ->mutable_source() = first.Of(plan::STATE_KIND_BATCH);
       first.RemoveEntry("activation_sent", 1);
     },
     {"rank 0: schedule[14] (microbatch 3, slot 1): list \"forward\": writes a "
      "buffer that is being read since rank 0: schedule[4]"}},
    {"PersistentBufferWrittenWhileSent",
     [](P&, E&, E& second) { second.RemoveEntry("gradient_sent", 0); },
     {"rank 2: schedule[9] (microbatch 1, slot 0): list \"backward\": "
      "commands[1] \"layer.1.input\": writes a buffer that is being read since "
      "rank 2: schedule[5]"}},
    {"SendsSwapped",
     [](P&, E& first, E&) { first.MoveEntry(2, 4); },
     {"rank 2: schedule[3] (microbatch 0, slot 0): list \"forward\": "
      "commands[0] \"layer.1.in\"",
      "hold microbatch 1"}},
    {"ReceivesSwapped",
     [](P&, E&, E& second) {
       second.Entry("activation_receive", 0).set_slot(1);
       second.Entry("activation_received", 0).set_slot(1);
       second.Entry("activation_receive", 1).set_slot(0);
       second.Entry("activation_received", 1).set_slot(0);
     },
     {"rank 2: schedule[3] (microbatch 0, slot 0): list \"forward\": "
      "commands[0] \"layer.1.in\"",
      "of its slot, which nothing has written in this step"},
     GPipeTable(2, 4)},
    {"SentBeforeComputed",
     [](P&, E& first, E&) { first.SwapEntries(1, 2); },
     {"rank 0: schedule[1]", "\"activation_send\": commands[0] \"activation\"",
      "of its slot, which nothing has written in this step"}},
    {"SentBeforeComputedFromPersistent",
     [](P&, E&, E& second) { second.SwapEntries(4, 5); },
     {"rank 2: schedule[4]", "\"gradient_send\": commands[0] \"gradient\"",
      "of a message's buffer, which nothing has written in this step"}},
    {"BytesDiffer",
     [](P&, E&, E& second) {
       second.Command("activation_receive", 0)
           .mutable_receive_start()
           ->mutable_destination()
           ->set_sizes(0, 8);
     },
     {"rank 0: schedule[2]", "\"activation_send\": commands[0]",
      "message 0 of channel \"activation 0>1\" has 64 bytes, and 32 bytes at "
      "rank 2: schedule[1] (microbatch 0, slot 0): list "
      "\"activation_receive\": commands[0] \"activation\""}},
    {"WrongEndOfChannel",
     [](P&, E& first, E&) {
       first.Command("activation_send", 0).mutable_send_start()->set_channel(1);
     },
     {"rank 0: schedule[2]", "\"activation_send\": commands[0]",
      "stage 0 sends on channel \"gradient 1>0\"; only stage 1 does"}},
    {"NoSuchChannel",
     [](P&, E& first, E&) {
       first.Command("activation_sent", 0).mutable_send_wait()->set_channel(7);
     },
     {"rank 0: schedule[5]", "\"activation_sent\": commands[0]",
      "channel #7, there are 2"}},
    {"TransientMessageOutlivesList",
     [](P&, E& first, E&) {
       plan::Command& send = first.Command("activation_send", 0);
       send.mutable_send_start()->mutable_source()->set_region(
           plan::REGION_TRANSIENT);
       const plan::Command fill = Fill(send.send_start().source());
       first.InsertCommand("activation_send", 0) = fill;
     },
     {"rank 0: schedule[2]", "list \"activation_send\": ends with a message"}},
    // ----------------------------------------------------------- deadlocks
    {"WaitsForGradientBeforeSending",
     [](P&, E& first, E&) {
       first.MoveEntry(6, 2);
       first.MoveEntry(7, 3);
     },
     {"the step does not end",
      "rank 0: schedule[3] (microbatch 0, slot 0): list \"gradient_received\": "
      "commands[0] \"gradient\": waits for stage 1 to start to send message 0 "
      "of channel \"gradient 1>0\"",
      "rank 2: schedule[2] (microbatch 0, slot 0): list "
      "\"activation_received\": commands[0] \"activation\": waits for stage 0 "
      "to start to send message 0 of channel \"activation 0>1\""}},
    {"TablesDoNotFit",
     [](P&, E&, E&) {},
     {"the step does not end", "rank 0: schedule[5]", "\"gradient_received\"",
      "rank 2: schedule[5]", "\"activation_received\""},
     {{{kF, 0}, {kB, 0}, {kF, 1}, {kB, 1}},
      {{kF, 0}, {kF, 1}, {kB, 0}, {kB, 1}}}},
    {"RendezvousOfBothDirections",
     [](P&, E& first, E& second) {
       // Each stage ends its send before it begins to receive.
       first.MoveEntry(first.EntryIndex("activation_sent", 0), 3);
       first.MoveEntry(first.EntryIndex("activation_sent", 1), 6);
       second.MoveEntry(second.EntryIndex("gradient_sent", 0), 6);
     },
     {"the step does not end",
      "rank 0: schedule[6] (microbatch 1, slot 1): list \"activation_sent\": "
      "commands[0] \"activation\": waits for stage 1 to start to receive "
      "message 1",
      "rank 2: schedule[6] (microbatch 0, slot 0): list \"gradient_sent\": "
      "commands[0] \"gradient\": waits for stage 0 to start to receive message "
      "0"}},
    {"NothingIsSent",
     [](P&, E& first, E&) {
       first.RemoveEntry("activation_send", 3);
       first.RemoveEntry("activation_sent", 3);
     },
     {"the step does not end", "rank 2: schedule[19]",
      "\"activation_received\"", "message 3 of channel \"activation 0>1\""}},
    {"NothingIsReceived",
     [](P&, E& first, E&) {
       first.RemoveEntry("gradient_receive", 3);
       first.RemoveEntry("gradient_received", 3);
     },
     {"rank 0: schedule[22] (microbatch 3, slot 1): list \"backward\": "
      "commands[0] \"layer.0.weight\"",
      "hold microbatch 2"}},
    // --------------------------------------------------------- collectives
    {"CollectiveReordered",
     [](P&, E&, E& second) { second.SwapCommands("update", 3, 4); },
     {"rank 2: schedule[25] (microbatch 0, slot 0): list \"update\": "
      "commands[3] \"loss\": starts COLLECTIVE_KIND_ALL_REDUCE",
      "as collective 1 over stages, for which rank 0: schedule[25]",
      "commands[3] \"norm\" starts"}},
    {"CollectiveReplaced",
     [](P&, E&, E& second) {
       plan::Command& norm = second.Command("update", 3);
       norm = Fill(norm.collective_start().destination());
       second.RemoveCommand("update", 5);
     },
     {"rank 2: schedule[25]", "list \"update\": commands[4] \"loss\"",
      "as collective 1 over stages"}},
    {"CollectiveMissing",
     [](P&, E&, E& second) {
       second.RemoveCommand("update", 7);
       second.RemoveCommand("update", 4);
     },
     {"the step does not end; rank 0: schedule[25] (microbatch 0, slot 0): "
      "list \"update\": commands[7] \"loss\": waits for the other stages to "
      "start collective 2 over stages"}},
    {"CollectiveOfOtherKind",
     [](P&, E&, E& second) {
       second.Command("update", 3)
           .mutable_collective_start()
           ->set_kind(plan::COLLECTIVE_KIND_ALL_GATHER);
     },
     {"rank 2", "list \"update\": commands[3] \"norm\"",
      "starts COLLECTIVE_KIND_ALL_GATHER"}},
    {"CollectiveOfOtherReduction",
     [](P&, E&, E& second) {
       second.Command("prologue", 1)
           .mutable_collective_start()
           ->set_reduction(plan::REDUCTION_MAX);
     },
     {"rank 2: schedule[0]", "list \"prologue\": commands[1] \"count\"",
      "REDUCTION_MAX", "as collective 0 over stages"}},
    {"CollectiveOfOtherSizes",
     [](P&, E&, E& second) {
       second.Command("update", 3)
           .mutable_collective_start()
           ->mutable_source()
           ->add_sizes(1);
     },
     {"rank 2", "list \"update\": commands[3] \"norm\"",
      "of f32 [1] to f32 []"}},
    {"CollectiveOfOtherType",
     [](P&, E&, E& second) {
       second.Command("update", 4)
           .mutable_collective_start()
           ->mutable_destination()
           ->set_type(plan::DATA_TYPE_I32);
     },
     {"rank 2", "list \"update\": commands[4] \"loss\"", "to i32 []"}},
    {"CollectiveOfOtherGroup",
     [](P&, E&, E& second) {
       second.Command("update", 4).mutable_collective_start()->set_group(0);
     },
     {"rank 2", "list \"update\": commands[4] \"loss\"", "over group #0"}},
    {"CollectiveOfStagesDeadlocks",
     [](P&, E& first, E&) {
       first.MoveEntry(first.EntryIndex("prologue", 0),
                       first.EntryIndex("update", 0) - 1);
     },
     {"the step does not end", "rank 0: schedule[4]", "\"activation_sent\"",
      "rank 2: schedule[0]",
      "list \"prologue\": commands[2] \"count\": waits for the other stages to "
      "start collective 0"}},
    {"DestinationOfCollectiveRead",
     [](P&, E& first, E&) { first.SwapCommands("update", 1, 2); },
     {"rank 0: list \"update\": commands[1] \"norm\": reads a buffer that is "
      "being written since rank 0: list \"update\": commands[0] \"reduce\""}},
    {"DestinationOfStageCollectiveRead",
     [](P&, E&, E& second) { second.SwapCommands("update", 5, 6); },
     {"rank 2: list \"update\": commands[5] \"adam\": reads a buffer that is "
      "being written since rank 2: list \"update\": commands[3] \"norm\""}},
    {"SourceOfCollectiveWritten",
     [](P&, E& first, E&) {
       first.InsertCommand("update", 1) =
           Fill(first.Of(plan::STATE_KIND_ACCUMULATOR));
     },
     {"rank 0: list \"update\": commands[1] \"fill\": writes a buffer that is "
      "being read since rank 0: list \"update\": commands[0] \"reduce\""}},
    // -------------------------------------------------------------- memory
    {"TransientReadBeforeWritten",
     [](P&, E& first, E&) { first.SwapCommands("forward", 0, 1); },
     {"rank 0: list \"forward\": commands[0] \"layer.0.out\": reads bytes 64 "
      "to 128 of the transient region"}},
    {"TransientReadWherePartWritten",
     [](P&, E&, E& second) {
       second.Command("forward", 0)
           .mutable_kernel()
           ->mutable_outputs(0)
           ->set_sizes(0, 8);
     },
     {"rank 2: list \"forward\": commands[1] \"layer.1.out\": reads bytes 96 "
      "to 128 of the transient region"}},
    {"BatchNotLoaded",
     [](P&, E& first, E&) { first.Entry("forward", 1).set_load_batch(false); },
     {"rank 0: schedule[3] (microbatch 1, slot 1): list \"forward\": "
      "commands[0] \"layer.0.in\"",
      "of its slot, which nothing has written in this step"}},
    {"BatchOfOtherMicrobatch",
     [](P&, E& first, E&) { first.Entry("forward", 2).set_load_batch(false); },
     {"rank 0: schedule[9] (microbatch 2, slot 0): list \"forward\": "
      "commands[0] \"layer.0.in\"",
      "hold microbatch 0 since rank 0: schedule[1]"}},
    {"SlotReusedWhileSent",
     [](P&, E& first, E&) { first.SetSlot(1, 0); },
     {"rank 0: schedule[3] (microbatch 1, slot 0): list \"forward\": "
      "commands[1] \"layer.0.out\": writes a buffer that is being read since "
      "rank 0: schedule[2]"}},
    {"SlotReusedTooEarly",
     [](P&, E&, E& second) { second.SetSlot(3, 2); },
     {"rank 2",
      "(microbatch 2, slot 2): list \"backward\": commands[0] "
      "\"layer.1.weight\"",
      "hold microbatch 3"},
     GPipeTable(2, 4)},
    {"BackwardInWrongSlot",
     [](P&, E& first, E&) { first.Entry("backward", 1).set_slot(0); },
     {"rank 0: schedule[14] (microbatch 1, slot 0): list \"backward\": "
      "commands[0] \"layer.0.weight\"",
      "hold microbatch 2"}},
    {"ReceivesIntoWhatIsStillRead",
     [](P&, E&, E& second) {
       second.MoveEntry(second.EntryIndex("activation_receive", 1), 4);
     },
     {"rank 2: schedule[5] (microbatch 0, slot 0): list \"backward_first\": "
      "commands[0] \"layer.1.weight\": reads a buffer that is being written "
      "since rank 2: schedule[4]"}},
    // ------------------------------------------------------- microbatches
    {"MicrobatchMissing",
     [](P&, E& first, E&) { first.RemoveEntry("forward", 2); },
     {"rank 0: no entry of the schedule runs microbatch 2 through phase "
      "forward "
      "of chunk 0"}},
    {"MicrobatchTwice",
     [](P&, E& first, E&) { first.InsertEntry(first.Entry("forward", 2), 10); },
     {"rank 0: schedule[10] (microbatch 2, slot 0): list \"forward\": runs "
      "microbatch 2 through phase forward of chunk 0, as schedule[9] has"}},
    {"MicrobatchMistaken",
     [](P&, E&, E& second) { second.Entry("backward", 3).set_microbatch(2); },
     {"rank 2: schedule[22] (microbatch 2, slot 0): list \"backward\": runs "
      "microbatch 2"}},
    {"BackwardBeforeForward",
     [](P&, E&, E& second) { second.SwapEntries(3, 4); },
     {"rank 2: schedule[4] (microbatch 0, slot 0): list \"forward\": runs "
      "microbatch 0 through phase forward of chunk 0 after phase backward of "
      "chunk 0 in schedule[3]"}},
    {"WeightBeforeBackward",
     [](P&, E& first, E&) {
       first.SwapEntries(first.EntryIndex("weight", 1),
                         first.EntryIndex("backward", 1));
     },
     {"rank 0: schedule[14] (microbatch 1, slot 1): list \"backward\": runs "
      "microbatch 1 through phase backward of chunk 0 after phase weight"},
     Table(2, {{kF, 0}, {kF, 1}, {kB, 0}, {kW, 0}, {kB, 1}, {kW, 1}})},
    {"SlotReusedBeforeWeight",
     [](P&, E&, E& second) { second.SetSlot(1, 0); },
     {"rank 2",
      "(microbatch 0, slot 0): list \"backward_first\": commands[0] "
      "\"layer.1.input\"",
      "hold microbatch 1"},
     Table(2, {{kF, 0}, {kF, 1}, {kB, 0}, {kB, 1}, {kW, 0}, {kW, 1}})},
    {"WeightsOutOfOrder",
     [](P&, E&, E&) {},
     {"rank 0",
      "(microbatch 0, slot 0): list \"weight\": commands[0] "
      "\"layer.0.weight\": adds microbatch 0 to gradient \"layer.0\" after "
      "microbatch 1"},
     Table(2, {{kF, 0}, {kF, 1}, {kB, 0}, {kB, 1}, {kW, 1}, {kW, 0}})},
    // ----------------------------------------------------------- gradients
    {"AccumulatesOutOfOrder",
     [](P&, E&, E&) {},
     {"rank 0",
      "(microbatch 0, slot 0): list \"backward\": commands[0] "
      "\"layer.0.weight\": adds microbatch 0 to gradient \"layer.0\" "
      "after microbatch 1"},
     Table(2, {{kF, 0}, {kF, 1}, {kB, 1}, {kB, 0}})},
    {"FirstMicrobatchAdds",
     [](P&, E& first, E&) {
       first.Entry("backward_first", 0).set_list(first.ListIndex("backward"));
     },
     {"rank 0: schedule[8] (microbatch 0, slot 0): list \"backward\": "
      "commands[0] \"layer.0.weight\": adds to gradient \"layer.0\", which is "
      "not set in this step"}},
    {"LaterMicrobatchOverwrites",
     [](P&, E&, E& second) {
       second.Entry("backward", 2).set_list(second.ListIndex("backward_first"));
     },
     {"rank 2: schedule[16] (microbatch 2, slot 0): list \"backward_first\": "
      "commands[0] \"layer.1.weight\": overwrites gradient \"layer.1\" with "
      "microbatch 2"}},
    {"ProductDoesNotAccumulate",
     [](P&, E&, E& second) {
       second.Command("backward", 0).mutable_gemm()->set_accumulate(false);
     },
     {"rank 2: schedule[10]", "list \"backward\": commands[0]",
      "overwrites gradient \"layer.1\" with microbatch 1"}},
    {"ReducedBeforeTheLastMicrobatch",
     [](P&, E&, E& second) {
       second.InsertCommand("backward", 1).mutable_collective_wait()->set_handle(9);
       *second.InsertCommand("backward", 1).mutable_collective_start() =
           AllReduceInPlace(second.Of(plan::STATE_KIND_ACCUMULATOR));
     },
     {"rank 2: schedule[16] (microbatch 2, slot 0): list \"backward\": "
      "commands[0] \"layer.1.weight\": adds microbatch 2 to gradient "
      "\"layer.1\", which schedule[10] has reduced already"}},
    {"ReducedBeforeTheAddend",
     [](P&, E&, E& second) {
       second.InsertCommand("backward", 0).mutable_collective_wait()->set_handle(9);
       *second.InsertCommand("backward", 0).mutable_collective_start() =
           AllReduceInPlace(second.Of(plan::STATE_KIND_ACCUMULATOR));
     },
     {"rank 2: schedule[10]", "list \"backward\": commands[0] \"new\"",
      "the list adds to gradient \"layer.1\" behind the collective that "
      "reduces it"}},
    {"MiddleVariantFirst",
     [](P&, E& first, E&) {
       first.List("backward_first").set_variant(plan::VARIANT_MIDDLE);
     },
     {"rank 0: schedule[8]", "list \"backward_first\": commands[0]",
      "the list is VARIANT_MIDDLE, for microbatch 0",
      "expected FIRST or ONLY"}},
    {"FirstVariantLater",
     [](P&, E& first, E&) {
       first.List("backward").set_variant(plan::VARIANT_FIRST);
     },
     {"rank 0: schedule[14]", "list \"backward\": commands[0]",
      "the list is VARIANT_FIRST, for microbatch 1",
      "expected MIDDLE or LAST"}},
    {"AddendsMissing",
     [](P&, E& first, E&) { first.RemoveCommand("backward", 0); },
     {"rank 0: schedule[8]", "list \"backward_first\": commands[0]",
      "is the last to add to gradient \"layer.0\"; expected 4 microbatches, "
      "found 1"}},
    {"GradientNeverSet",
     [](P&, E&, E& second) {
       second.RemoveCommand("backward_first", 0);
       second.RemoveCommand("backward", 0);
     },
     {"rank 2: schedule[25]",
      "list \"update\": commands[0] \"reduce\": reads "
      "gradient \"layer.1\", which is not set"}},
    {"UpdateReadsGradientTooEarly",
     [](P&, E& first, E&) {
       plan::CommandList& list = *first.role().add_lists();
       list.set_name("early");
       list.set_phase(plan::PHASE_UPDATE);
       list.set_variant(plan::VARIANT_ONLY);
       plan::CopyCommand& copy = *list.add_commands()->mutable_copy();
       *copy.mutable_source() = first.Of(plan::STATE_KIND_ACCUMULATOR);
       *copy.mutable_destination() =
           first.Command("update", 0).collective_start().destination();
       plan::ScheduleEntry entry;
       entry.set_list(first.ListIndex("early"));
       first.InsertEntry(entry, first.EntryIndex("backward", 3));
     },
     {"rank 0: schedule[25] (microbatch 3, slot 1): list \"backward\": "
      "commands[0] \"layer.0.weight\": adds microbatch 3 to gradient "
      "\"layer.0\", which schedule[24] has read already"}},
    // ------------------------------------------------------------- updates
    {"ParameterUpdatedTwiceByList",
     [](P&, E& first, E&) {
       const plan::Command adam = first.Command("update", 6);
       first.InsertCommand("update", 7) = adam;
     },
     {"rank 0: schedule[25]", "list \"update\": commands[7] \"adam\": updates ",
      "\"layer.0\" again after rank 0: schedule[25]"}},
    {"ParameterUpdatedTwiceBySchedule",
     [](P&, E& first, E& second) {
       *first.role().add_schedule() = first.Entry("update", 0);
       *second.role().add_schedule() = second.Entry("update", 0);
     },
     {"rank 0: schedule[26]", "list \"update\": commands[6] \"adam\": updates ",
      "again after rank 0: schedule[25]"}},
    {"ParameterNotUpdated",
     [](P&, E&, E& second) {
       second.Command("update", 6)
           .mutable_kernel()
           ->mutable_outputs()
           ->RemoveLast();
     },
     {"rank 2: no list of the schedule updates master \"layer.1\""}},
    {"ParameterUpdatedInPart",
     [](P&, E& first, E&) {
       first.Command("update", 6)
           .mutable_kernel()
           ->mutable_outputs(2)
           ->set_sizes(0, 8);
     },
     {"rank 0: no list of the schedule updates master \"layer.0\", or not the "
      "whole of it"}},
    {"MomentNotUpdated",
     [](P&, E& first, E&) {
       first.Command("update", 6)
           .mutable_kernel()
           ->mutable_outputs()
           ->DeleteSubrange(1, 1);
     },
     {"rank 0: no list of the schedule updates moment2 \"layer.0\""}},
    {"ParameterWrittenByForward",
     [](P&, E& first, E&) {
       first.InsertCommand("forward", 1) =
           Fill(first.Of(plan::STATE_KIND_MASTER));
     },
     {"rank 0: schedule[1] (microbatch 0, slot 0): list \"forward\": "
      "commands[1] \"fill\": writes master \"layer.0\" in PHASE_FORWARD"}},
};

class PlanMutationsTest : public ::testing::TestWithParam<Mutation> {};

TEST_P(PlanMutationsTest, IsRefused) {
  const Mutation& mutation = GetParam();
  plan::Plan plan =
      MakeStagePlan(mutation.table.empty() ? OneForwardOneBackwardTable(2, 4)
                                           : mutation.table);
  RoleEditor first(plan, 0), second(plan, 1);
  mutation.edit(plan, first, second);
  const absl::Status status = CheckPlan(plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (const std::string& text : mutation.expected)
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(All, PlanMutationsTest,
                         ::testing::ValuesIn(kMutations),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mpc::runtime
