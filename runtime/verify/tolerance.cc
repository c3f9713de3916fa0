// See the header for why each rule is as it is.
#include "runtime/verify/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

// Of f32.
constexpr double kFourUlps = 4.0 / (1 << 23);

// The bound of UpdateAllowance's comment for one element, over lr.
double AdamBound(double m, double m_reference, double v, double v_reference) {
  const double root = std::sqrt(std::max(v, 0.0));
  const double root_reference = std::sqrt(std::max(v_reference, 0.0));
  const double by_m = std::abs(m - m_reference);
  const double by_v = std::abs(m_reference) * std::abs(root - root_reference);
  double bound = 0;
  if (by_m > 0) bound += by_m / root;
  if (by_v > 0) bound += by_v / (root * root_reference);
  return bound;
}

/// m/√v of an element; 0 where it has none.
double AdamRatio(double m, double v) {
  const double ratio = std::abs(m) / std::sqrt(v);
  return std::isfinite(ratio) ? ratio : 0;
}

}  // namespace

double LargestMagnitude(absl::Span<const double> values) {
  double largest = 0;
  for (double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

Tolerances TolerancesOf(plan::DataType precision) {
  if (!IsNarrowFloat(precision)) return {};
  const double unit = precision == plan::DATA_TYPE_BF16 ? 0x1p-8 : 0x1p-11;
  return {8 * unit, unit, unit};
}

double TensorAllowance(absl::Span<const double> reference,
                       double largest_of_kind, double factor,
                       const Tolerances& tolerances) {
  return std::max(factor * tolerances.tensor * LargestMagnitude(reference),
                  tolerances.model * largest_of_kind);
}

double BiasCorrection(const UpdateFacts& facts) {
  double largest = 0;
  for (size_t i = 0; i < facts.after.size(); ++i)
    largest = std::max(largest, AdamRatio(facts.moment1.reference[i],
                                          facts.moment2.reference[i]));
  double correction = 1;
  for (size_t i = 0; i < facts.after.size(); ++i) {
    const double ratio =
        AdamRatio(facts.moment1.reference[i], facts.moment2.reference[i]);
    const double change = std::abs(facts.after[i] - facts.before[i]);
    const double shown = change / (facts.learning_rate * ratio);
    if (ratio > largest / 2 && std::isfinite(shown))
      correction = std::max(correction, shown);
  }
  return correction;
}

std::vector<double> UpdateAllowance(const UpdateFacts& facts) {
  const size_t size = facts.after.size();
  double largest_change = 0;
  for (size_t i = 0; i < size; ++i) {
    const double change = std::abs(facts.after[i] - facts.before[i]);
    if (std::isfinite(change))
      largest_change = std::max(largest_change, change);
  }
  const double most = 2 * (largest_change + facts.learning_rate);
  const Pair& first =
      facts.moment1.value.empty() ? facts.gradient : facts.moment1;
  const double correction =
      facts.moment2.value.empty()
          ? 1
          : std::max(facts.least_correction, BiasCorrection(facts));
  std::vector<double> allowed(size);
  for (size_t i = 0; i < size; ++i) {
    double explained = 0;
    if (!facts.moment2.value.empty()) {
      explained = AdamBound(first.value[i], first.reference[i],
                            facts.moment2.value[i], facts.moment2.reference[i]);
    } else if (!first.value.empty()) {
      explained = std::abs(first.value[i] - first.reference[i]);
    }
    explained *= facts.learning_rate * correction;
    // Not a number where the gradient is none; nothing is explained then.
    if (std::isnan(explained)) explained = 0;
    allowed[i] = facts.tolerances.tensor * largest_change +
                 kFourUlps * std::abs(facts.after[i]) +
                 std::min(explained, most);
  }
  return allowed;
}

Comparison Compare(const Pair& pair,
                   absl::FunctionRef<double(int64_t)> allowed) {
  Comparison result;
  for (size_t i = 0; i < pair.reference.size(); ++i) {
    const double a = pair.value[i];
    const double b = pair.reference[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double limit = allowed(i);
    const double difference = std::abs(a - b);
    if (!std::isfinite(difference) || !(difference <= limit)) {
      if (!result.first)
        result.first = Difference{static_cast<int64_t>(i), a, b, limit};
      result.worst_share = std::numeric_limits<double>::infinity();
    } else {
      result.worst_share = std::max(result.worst_share, difference / limit);
    }
  }
  return result;
}

}  // namespace mpc::runtime
