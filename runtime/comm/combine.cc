#include "runtime/comm/combine.h"

namespace mpc::runtime {
namespace {

template <typename T, typename Op>
void Combine(void* left, const void* right, int64_t bytes) {
  T* const a = static_cast<T*>(left);
  const T* const b = static_cast<const T*>(right);
  const int64_t count = bytes / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; ++i) a[i] = Op()(a[i], b[i]);
}

struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

struct Max {
  template <typename T>
  T operator()(T a, T b) const {
    // A NaN on either side stays.
    return a < b || b != b ? b : a;
  }
};

}  // namespace

CombineFunction CombineOf(plan::DataType type, plan::Reduction reduction) {
  const bool is_sum = reduction == plan::REDUCTION_SUM;
  if (type == plan::DATA_TYPE_I32)
    return is_sum ? Combine<uint32_t, Sum> : Combine<int32_t, Max>;
  return is_sum ? Combine<float, Sum> : Combine<float, Max>;
}

}  // namespace mpc::runtime
