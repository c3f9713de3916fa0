// Where in a plan something is wrong.
#ifndef MPC_RUNTIME_CHECKER_PLACE_H_
#define MPC_RUNTIME_CHECKER_PLACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A command in a run of its list, as far as it is known.
struct Place {
  /// Index into Plan.roles.
  int role = 0;
  /// Index into Role.schedule; -1: any run of the list.
  int entry = -1;
  /// Index into Role.lists; -1: of the entry, if there is one.
  int list = -1;
  /// -1: the whole list.
  int command = -1;
};

/// `rank 2: schedule[5] (microbatch 1, slot 0): list "forward": commands[3]
/// "h.0.attn"`. The rank stands for all of its stage: its other coordinates are
/// 0.
std::string Describe(const plan::Plan& plan, const Place& place);

absl::Status ErrorAt(const plan::Plan& plan, const Place& place,
                     absl::string_view what);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_PLACE_H_
