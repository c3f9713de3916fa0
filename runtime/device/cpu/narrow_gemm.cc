#include "runtime/device/cpu/narrow_gemm.h"

#include <cblas.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/gemm_batch.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

/// The largest block of a product: multiples of the register tiles of common BLAS
/// kernels, and all three matrices together about a second-level cache.
constexpr int64_t kRows = 192, kColumns = 192, kInner = 256;

/// What a thread widens into.
struct Blocks {
  float left[kRows * kInner];
  float right[kInner * kColumns];
  float sum[kRows * kColumns];
};

Blocks& BlocksOfThread() {
  thread_local const std::unique_ptr<Blocks> blocks(new Blocks);
  return *blocks;
}

/// A part of a stored matrix of narrow floats.
struct Part {
  plan::DataType type;
  uint16_t* data;
  int64_t stride, rows, columns;

  /// To and from f32, whose rows lie densely.
  void Widen(float* to) const {
    for (int64_t i = 0; i < rows; ++i)
      WidenFloats(type, data + i * stride, columns, to + i * columns);
  }
  void Narrow(const float* from) const {
    for (int64_t i = 0; i < rows; ++i)
      NarrowFloats(type, from + i * columns, columns, data + i * stride);
  }
};

/// Rows `row` …, columns `column` … of a matrix; stored the other way round if
/// `transpose`.
Part PartOf(plan::DataType type, const void* data, int64_t stride,
            bool transpose, int64_t row, int64_t rows, int64_t column,
            int64_t columns) {
  if (transpose) {
    std::swap(row, column);
    std::swap(rows, columns);
  }
  auto* const first =
      const_cast<uint16_t*>(static_cast<const uint16_t*>(data));
  return {type, first + row * stride + column, stride, rows, columns};
}

/// The block at `row`, `column` of the destination of one sum of products.
void MultiplyBlock(const GemmArguments& a, int64_t row, int64_t column) {
  const int64_t rows = std::min(kRows, a.rows - row);
  const int64_t columns = std::min(kColumns, a.columns - column);
  Blocks& blocks = BlocksOfThread();
  const bool is_wide = a.destination_type == plan::DATA_TYPE_F32;
  const Part destination =
      PartOf(a.destination_type, a.destination, a.destination_stride, false,
             row, rows, column, columns);
  float* sum = blocks.sum;
  int64_t sum_stride = columns;
  if (is_wide) {
    sum = static_cast<float*>(a.destination) + row * a.destination_stride +
          column;
    sum_stride = a.destination_stride;
  } else if (a.accumulate) {
    destination.Widen(sum);
  }
  bool accumulate = a.accumulate;
  ForEachProduct(a, /*summed=*/true, [&](const GemmArguments& product) {
    for (int64_t k = 0; k < a.inner; k += kInner) {
      const int64_t inner = std::min(kInner, a.inner - k);
      const Part left = PartOf(a.type, product.left, a.left_stride,
                               a.transpose_left, row, rows, k, inner);
      const Part right = PartOf(a.type, product.right, a.right_stride,
                                a.transpose_right, k, inner, column, columns);
      left.Widen(blocks.left);
      right.Widen(blocks.right);
      cblas_sgemm(CblasRowMajor, a.transpose_left ? CblasTrans : CblasNoTrans,
                  a.transpose_right ? CblasTrans : CblasNoTrans,
                  static_cast<int>(rows), static_cast<int>(columns),
                  static_cast<int>(inner), 1.0f, blocks.left,
                  static_cast<int>(left.columns), blocks.right,
                  static_cast<int>(right.columns), accumulate ? 1.0f : 0.0f,
                  sum, static_cast<int>(sum_stride));
      accumulate = true;
    }
  });
  if (!is_wide) destination.Narrow(sum);
}

}  // namespace

void NarrowGemm(const GemmArguments& a, ThreadPool& pool) {
  UseBlasInCallingThread();
  const int64_t across = (a.columns + kColumns - 1) / kColumns;
  const int64_t down = (a.rows + kRows - 1) / kRows;
  std::vector<GemmArguments> sums;
  ForEachProduct(a, /*summed=*/false,
                 [&](const GemmArguments& sum) { sums.push_back(sum); });
  pool.Run(sums.size() * down * across, [&](int64_t item, int) {
    MultiplyBlock(sums[item / (down * across)], item / across % down * kRows,
                  item % across * kColumns);
  });
}

}  // namespace mpc::runtime
