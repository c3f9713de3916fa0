// Early return for absl::Status and absl::StatusOr, which this version of Abseil
// lacks.
#ifndef MPC_RUNTIME_STATUS_MACROS_H_
#define MPC_RUNTIME_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Returns from the enclosing function if `expr` is an error.
#define MPC_RETURN_IF_ERROR(expr)                             \
  do {                                                        \
    if (absl::Status mpc_status_ = (expr); !mpc_status_.ok()) \
      return mpc_status_;                                     \
  } while (false)

#define MPC_CONCAT_INNER_(a, b) a##b
#define MPC_CONCAT_(a, b) MPC_CONCAT_INNER_(a, b)

/// Declares `lhs` from the value of the StatusOr `expr`, or returns its error.
#define MPC_ASSIGN_OR_RETURN(lhs, expr)                    \
  auto MPC_CONCAT_(mpc_status_or_, __LINE__) = (expr);     \
  if (!MPC_CONCAT_(mpc_status_or_, __LINE__).ok())         \
    return MPC_CONCAT_(mpc_status_or_, __LINE__).status(); \
  lhs = *std::move(MPC_CONCAT_(mpc_status_or_, __LINE__))

#endif  // MPC_RUNTIME_STATUS_MACROS_H_
