#include "runtime/executor/rank_program.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_fill.h"

namespace mpc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status AtLocation(const plan::Command& command,
                        const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(command.location(), ": ", status.message()));
}

}  // namespace

RankProgram::~RankProgram() = default;

const plan::Plan& RankProgram::plan() const { return *program_->plan; }
const plan::Role& RankProgram::role() const { return *program_->role; }
uint64_t RankProgram::arena_bytes() const { return arena_->bytes(); }

absl::Status RankProgram::RunEntry(const plan::ScheduleEntry& entry,
                                   const StepCallbacks& callbacks) {
  const ThunkContext context = {*device_,
                                program_->kernels,
                                communicators_,
                                channels_,
                                arena_->data(),
                                layout_,
                                static_cast<int>(entry.slot())};
  for (const auto& thunk : program_->lists[entry.list()]) {
    const Clock::time_point begin =
        callbacks.after_command ? Clock::now() : Clock::time_point();
    if (absl::Status status = thunk->Execute(context); !status.ok())
      return AtLocation(thunk->command(), status);
    if (callbacks.after_command)
      callbacks.after_command(thunk->command(), Clock::now() - begin);
  }
  return absl::OkStatus();
}

absl::Status RankProgram::RunStep(const StepCallbacks& callbacks) {
  for (int i = 0; i < role().schedule_size(); ++i) {
    const plan::ScheduleEntry& entry = role().schedule(i);
    if (entry.load_batch()) {
      if (!callbacks.load_batch)
        return absl::FailedPreconditionError(absl::StrFormat(
            "schedule entry %d loads a batch, and no loader was given", i));
      MPC_RETURN_IF_ERROR(callbacks.load_batch(entry));
    }
    MPC_RETURN_IF_ERROR(RunEntry(entry, callbacks));
    if (callbacks.after_entry) MPC_RETURN_IF_ERROR(callbacks.after_entry(i));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> RankProgram::FindState(plan::StateKind kind,
                                           absl::string_view name) const {
  std::vector<absl::string_view> others;
  for (int i : StatesOfKind(kind)) {
    if (role().states(i).name() == name) return i;
    others.push_back(role().states(i).name());
  }
  const std::string where =
      plan().roles_size() == 1
          ? "the plan"
          : absl::StrCat("stage ", role().stage(), " of the plan");
  return absl::NotFoundError(absl::StrCat(
      where, " has no ", plan::StateKind_Name(kind), " \"", name, "\"; it has ",
      others.empty() ? "none" : absl::StrJoin(others, ", ")));
}

std::vector<int> RankProgram::StatesOfKind(plan::StateKind kind) const {
  std::vector<int> states;
  for (int i = 0; i < role().states_size(); ++i)
    if (role().states(i).kind() == kind) states.push_back(i);
  return states;
}

absl::Span<char> RankProgram::StateBytes(int state, int slot) const {
  const plan::Slice& slice = role().states(state).slice();
  return {arena_->data() + layout_.Offset(slice, slot),
          static_cast<size_t>(SpanBytes(slice))};
}

absl::StatusOr<int> RankProgram::FindScalar(plan::StateKind kind,
                                            absl::string_view name) const {
  MPC_ASSIGN_OR_RETURN(const int index, FindState(kind, name));
  const plan::State& state = role().states(index);
  if (StateBytes(index).size() !=
      static_cast<size_t>(DataTypeBytes(state.type())))
    return absl::InvalidArgumentError(absl::StrFormat(
        "state \"%s\" has %d bytes; expected one element", name,
        StateBytes(index).size()));
  if (state.type() == plan::DATA_TYPE_F32 ||
      state.type() == plan::DATA_TYPE_I32)
    return index;
  return absl::UnimplementedError(
      absl::StrFormat("state \"%s\" is of %s; supported: f32, i32", name,
                      DataTypeName(state.type())));
}

absl::Status RankProgram::WriteScalar(plan::StateKind kind,
                                      absl::string_view name, double value) {
  MPC_ASSIGN_OR_RETURN(const int index, FindScalar(kind, name));
  auto bits = FillBits(value, role().states(index).type());
  if (!bits.ok())
    return absl::Status(
        bits.status().code(),
        absl::StrCat("state \"", name, "\": ", bits.status().message()));
  std::memcpy(StateBytes(index).data(), &*bits, sizeof(*bits));
  return absl::OkStatus();
}

absl::StatusOr<double> RankProgram::ReadScalar(plan::StateKind kind,
                                               absl::string_view name) const {
  MPC_ASSIGN_OR_RETURN(const int index, FindScalar(kind, name));
  if (role().states(index).type() == plan::DATA_TYPE_F32)
    return StateData<float>(index)[0];
  return StateData<int32_t>(index)[0];
}

}  // namespace mpc::runtime
