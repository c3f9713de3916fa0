#include "runtime/checker/gradient_check.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/checker/microbatch_check.h"
#include "runtime/checker/place.h"
#include "runtime/checker/state_uses.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// The addends of one phase of one chunk.
struct Addends {
  /// The last command that has added one.
  Place last;
  int64_t count = 0;
};

/// An accumulator within a step.
struct Sum {
  bool is_set = false;
  /// The entry outside microbatches that has read it first, or -1.
  int taken = -1;
  /// The entry of a microbatch that has reduced it over ranks, or -1.
  int reduced = -1;
  /// Of the addend that is not added but written; -1: there is none.
  int64_t first_microbatch = -1;
  int64_t last_microbatch = -1;
  /// By phase and chunk.
  std::map<std::pair<plan::Phase, uint32_t>, Addends> addends;
};

class GradientWalk {
 public:
  GradientWalk(const plan::Plan& plan, int role)
      : plan_(plan), role_(plan.roles(role)), place_{role} {}

  absl::Status Run(const std::vector<std::vector<StateUse>>& uses) {
    for (int i = 0; i < role_.schedule_size(); ++i) {
      place_.entry = i;
      for (const StateUse& use : uses[role_.schedule(i).list()]) {
        place_.command = use.command;
        MPC_RETURN_IF_ERROR(Step(use, sums_[use.state]));
      }
    }
    for (const auto& [state, sum] : sums_)
      MPC_RETURN_IF_ERROR(CheckCount(state, sum));
    return absl::OkStatus();
  }

 private:
  const plan::CommandList& list() const {
    return role_.lists(role_.schedule(place_.entry).list());
  }

  std::string Name(int state) const {
    return absl::StrCat("gradient \"", role_.states(state).name(), "\"");
  }

  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return ErrorAt(plan_, place_, absl::StrCat(parts...));
  }

  absl::Status Step(const StateUse& use, Sum& sum) {
    if (use.writes && IsOfMicrobatch(list().phase())) {
      MPC_RETURN_IF_ERROR(CheckOrder(use.state, sum));
      MPC_RETURN_IF_ERROR(CheckFirst(use, sum));
      if (use.writes_after_reduction)
        return Error("the list adds to ", Name(use.state),
                     " behind the collective that reduces it");
      if (use.is_reduced) sum.reduced = place_.entry;
      sum.is_set = true;
      return absl::OkStatus();
    }
    if (use.reads_first && !sum.is_set)
      return Error("reads ", Name(use.state),
                   ", which is not set in this step");
    if (use.reads && !IsOfMicrobatch(list().phase()) && sum.taken < 0)
      sum.taken = place_.entry;
    if (use.writes) sum.is_set = true;
    return absl::OkStatus();
  }

  absl::Status CheckOrder(int state, Sum& sum) {
    const int64_t microbatch = role_.schedule(place_.entry).microbatch();
    if (sum.taken >= 0)
      return Error("adds microbatch ", microbatch, " to ", Name(state),
                   ", which schedule[", sum.taken, "] has read already");
    if (sum.reduced >= 0)
      return Error("adds microbatch ", microbatch, " to ", Name(state),
                   ", which schedule[", sum.reduced, "] has reduced already");
    Addends& addends = sum.addends[{list().phase(), list().chunk()}];
    if (microbatch < sum.last_microbatch)
      return Error("adds microbatch ", microbatch, " to ", Name(state),
                   " after microbatch ", sum.last_microbatch,
                   "; expected them in ascending order");
    addends.last = place_;
    sum.last_microbatch = microbatch;
    ++addends.count;
    return absl::OkStatus();
  }

  /// The first addend is told apart by the variant of its list, and overwrites.
  absl::Status CheckFirst(const StateUse& use, Sum& sum) const {
    if (!sum.is_set) {
      sum.first_microbatch = sum.last_microbatch;
      if (use.reads_first)
        return Error("adds to ", Name(use.state),
                     ", which is not set in this step; expected a list that "
                     "overwrites it");
    } else if (!use.reads_first) {
      return Error("overwrites ", Name(use.state), " with microbatch ",
                   sum.last_microbatch, "; expected to add to it");
    }
    const plan::Variant variant = list().variant();
    const bool is_of_first =
        variant == plan::VARIANT_FIRST || variant == plan::VARIANT_ONLY;
    if (is_of_first == (sum.last_microbatch == sum.first_microbatch))
      return absl::OkStatus();
    return Error("the list is ", plan::Variant_Name(variant),
                 ", for microbatch ", sum.last_microbatch, " of ",
                 Name(use.state), " expected ",
                 is_of_first ? "MIDDLE or LAST" : "FIRST or ONLY");
  }

  absl::Status CheckCount(int state, const Sum& sum) const {
    for (const auto& [passage, addends] : sum.addends)
      if (addends.count != plan_.training().microbatches())
        return ErrorAt(
            plan_, addends.last,
            absl::StrFormat("is the last to add to %s; expected %d "
                            "microbatches, found %d",
                            Name(state), plan_.training().microbatches(),
                            addends.count));
    return absl::OkStatus();
  }

  const plan::Plan& plan_;
  const plan::Role& role_;
  Place place_;
  /// By state.
  std::map<int, Sum> sums_;
};

}  // namespace

absl::Status CheckGradients(const plan::Plan& plan, int role,
                            const RoleAccesses& accesses) {
  return GradientWalk(plan, role)
      .Run(FindStateUses(plan.roles(role), {plan::STATE_KIND_ACCUMULATOR},
                         accesses));
}

}  // namespace mpc::runtime
