#include "runtime/comm/combine.h"

#include <algorithm>
#include <cstring>

#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

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

template <typename T>
void Copy(void* to, const void* from, int64_t count) {
  std::memcpy(to, from, count * sizeof(T));
}

template <typename T, typename Op>
void Join(void* accumulator, const void* next, int64_t count) {
  T* const a = static_cast<T*>(accumulator);
  const T* const b = static_cast<const T*>(next);
  for (int64_t i = 0; i < count; ++i) a[i] = Op()(a[i], b[i]);
}

template <plan::DataType kType>
void Widen(void* accumulator, const void* first, int64_t count) {
  WidenFloats(kType, first, count, static_cast<float*>(accumulator));
}

template <plan::DataType kType, typename Op>
void JoinNarrow(void* accumulator, const void* next, int64_t count) {
  constexpr int64_t kBlock = 512;
  float block[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t size = std::min(kBlock, count - i);
    WidenFloats(kType, static_cast<const uint16_t*>(next) + i, size, block);
    Join<float, Op>(static_cast<float*>(accumulator) + i, block, size);
  }
}

template <plan::DataType kType>
void Narrow(void* result, const void* accumulator, int64_t count) {
  NarrowFloats(kType, static_cast<const float*>(accumulator), count, result);
}

template <typename T, typename Op>
constexpr Combiner kWhole = {sizeof(T), sizeof(T), Copy<T>, Join<T, Op>,
                             Copy<T>};
template <plan::DataType kType, typename Op>
constexpr Combiner kNarrow = {2, 4, Widen<kType>, JoinNarrow<kType, Op>,
                              Narrow<kType>};

}  // namespace

Combiner CombinerOf(plan::DataType type, plan::Reduction reduction) {
  const bool is_sum = reduction == plan::REDUCTION_SUM;
  switch (type) {
    case plan::DATA_TYPE_I32:
      return is_sum ? kWhole<uint32_t, Sum> : kWhole<int32_t, Max>;
    case plan::DATA_TYPE_BF16:
      return is_sum ? kNarrow<plan::DATA_TYPE_BF16, Sum>
                    : kNarrow<plan::DATA_TYPE_BF16, Max>;
    case plan::DATA_TYPE_F16:
      return is_sum ? kNarrow<plan::DATA_TYPE_F16, Sum>
                    : kNarrow<plan::DATA_TYPE_F16, Max>;
    default:
      return is_sum ? kWhole<float, Sum> : kWhole<float, Max>;
  }
}

}  // namespace mpc::runtime
