// When two values count as equal: the rules of `verify`, in one place.
//
// Plans add the same numbers in different orders, so that values differ by
// rounding. What is allowed is stated against the reference:
//   - a gradient or a first moment: 1e-5 of the largest element of its tensor,
//     or 1e-7 of the largest element of its kind in the model (some gradients,
//     such as the key bias's, are zero in exact arithmetic);
//   - a second moment, which holds squares: 2e-5, or the same 1e-7;
//   - a metric: 1e-5 of itself; counters and integers are equal;
//   - a parameter after the update: 1e-5 of the largest change of its tensor in
//     this step, 4 units in the last place, and what the accepted differences
//     of the optimizer's inputs explain (below), since Adam divides noise by
//     noise.
// These are for f32. In bf16 and f16 a tensor may differ by more, see TolerancesOf.
#ifndef MPC_RUNTIME_VERIFY_TOLERANCE_H_
#define MPC_RUNTIME_VERIFY_TOLERANCE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

inline constexpr double kSquareFactor = 2;

/// What is allowed of a tensor's largest element, and of the model's.
struct Tolerances {
  double tensor = 1e-5;
  double model = 1e-7;
  /// Of the loss, relative to the reference's, in a free run.
  double free_run = 1e-4;
};

/// For a plan that computes in `precision`. A narrow float is rounded wherever it is
/// stored, and a partial sum before it is reduced: `tensor` is 8 units of its last
/// place (2⁻⁸ and 2⁻¹¹ of the number), `model` and `free_run` one.
Tolerances TolerancesOf(plan::DataType precision);

/// The largest finite magnitude; 0 if there is none.
double LargestMagnitude(absl::Span<const double> values);

/// What is allowed for a tensor whose kind's largest element in the model is
/// `largest_of_kind` (0: no such rule). `factor` is 1 or kSquareFactor.
double TensorAllowance(absl::Span<const double> reference,
                       double largest_of_kind, double factor,
                       const Tolerances& tolerances = {});

/// A value of the plan and the reference's.
struct Pair {
  absl::Span<const double> value;
  absl::Span<const double> reference;
};

/// What is known of a parameter's update. Pairs that the optimizer does not
/// have are empty.
struct UpdateFacts {
  Tolerances tolerances;
  double learning_rate = 0;
  /// The parameter in the reference.
  absl::Span<const double> before;
  absl::Span<const double> after;
  /// After the step.
  Pair gradient;
  Pair moment1;
  Pair moment2;
  /// The bias correction is no smaller: what other parameters show of it.
  double least_correction = 1;
};

/// The bias correction c below, as the reference's own update shows it, at least 1.
/// Read where m/√v is large, so that weight decay hardly counts. Where ε counts, it
/// comes out too small.
double BiasCorrection(const UpdateFacts& facts);

/// The allowance of each element of a parameter after an update.
///
/// With second moments the update is lr·c·m/(√v + ε), where the bias correction
/// c = √(1 − β₂ᵗ)/(1 − β₁ᵗ) is read off the reference's own update. For any ε two
/// updates differ by at most
///   lr·c·(|m − m'|/√v + |m'|·|√v − √v'|/(√v·√v')),
/// which is taken, but no more than twice (the largest change + lr). Otherwise
/// it is lr times a clipped gradient or a moment: lr·|g − g'|.
std::vector<double> UpdateAllowance(const UpdateFacts& facts);

struct Difference {
  /// Row-major position.
  int64_t position = 0;
  double value = 0;
  double reference = 0;
  double allowed = 0;
};

struct Comparison {
  /// The first element that is out of tolerance.
  std::optional<Difference> first;
  /// The largest of |a − b| / allowed; 0 where a = b.
  double worst_share = 0;
};

/// Compares element by element; NaN equals NaN only.
Comparison Compare(const Pair& pair,
                   absl::FunctionRef<double(int64_t)> allowed);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_TOLERANCE_H_
