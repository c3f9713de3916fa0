//===- ObservedSteps.h - what the ranks of a plan compute -------*- C++ -*-===//
//
// Runs a plan from parameters of the caller's choice and joins, after each step,
// what its ranks hold.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_ORACLE_OBSERVEDSTEPS_H
#define MPC_TEST_ORACLE_OBSERVEDSTEPS_H

#include "absl/status/statusor.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mpc {

/// Logical tensors, row-major: observables by their name (`loss`,
/// `grad:wte.weight`) and, after the step, parameters (`parameter:wte.weight`) and
/// their moments (`moment1:wte.weight`).
using ObservedStep = std::map<std::string, std::vector<double>>;

/// The logical value of a parameter, row-major.
using InitialParameter =
    std::function<std::vector<float>(const plan::State &state)>;

/// Runs `steps` steps on ranks that are threads. Fails, besides what the ranks
/// report, if a rank allocates other than what the plan states, if replicas differ
/// in a bit or padding is not zero.
absl::StatusOr<std::vector<ObservedStep>>
observeSteps(const plan::Plan &plan, const InitialParameter &parameter,
             const runtime::BatchSource &batch, int steps);

} // namespace mpc

#endif // MPC_TEST_ORACLE_OBSERVEDSTEPS_H
