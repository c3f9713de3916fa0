#include "runtime/device/cpu/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/gemm_batch.h"

namespace mpc::runtime {
namespace {

/// Block boundaries are multiples of this, hence of the register tiles of common
/// BLAS kernels (12 and 16): an inner block then takes the same path through
/// them as the whole does.
constexpr int64_t kBlock = 48;

void GemmOfBlock(const GemmArguments& a, int64_t row, int64_t rows,
                 int64_t column, int64_t columns) {
  const float* left = static_cast<const float*>(a.left) +
                      (a.transpose_left ? row : row * a.left_stride);
  const float* right =
      static_cast<const float*>(a.right) +
      (a.transpose_right ? column * a.right_stride : column);
  cblas_sgemm(CblasRowMajor, a.transpose_left ? CblasTrans : CblasNoTrans,
              a.transpose_right ? CblasTrans : CblasNoTrans,
              static_cast<int>(rows), static_cast<int>(columns),
              static_cast<int>(a.inner), 1.0f, left,
              static_cast<int>(a.left_stride), right,
              static_cast<int>(a.right_stride), a.accumulate ? 1.0f : 0.0f,
              static_cast<float*>(a.destination) + row * a.destination_stride +
                  column,
              static_cast<int>(a.destination_stride));
}

/// The size of blocks that cut `size` into about `parts`.
int64_t BlockSize(int64_t size, int parts) {
  const int64_t part = (size + parts - 1) / parts;
  return (part + kBlock - 1) / kBlock * kBlock;
}

/// Cuts the destination of one product among the threads.
void GemmOfOne(const GemmArguments& a, ThreadPool& pool) {
  const int threads = pool.threads();
  // Rows are preferred; few of them would leave threads without work.
  const bool by_rows = a.rows >= a.columns || a.rows >= 2 * kBlock * threads;
  const int64_t size = by_rows ? a.rows : a.columns;
  const int64_t block = BlockSize(size, threads);
  pool.Run((size + block - 1) / block, [&](int64_t item, int) {
    const int64_t begin = item * block;
    const int64_t count = std::min(block, size - begin);
    if (by_rows)
      GemmOfBlock(a, begin, count, 0, a.columns);
    else
      GemmOfBlock(a, 0, a.rows, begin, count);
  });
}

/// Calls `multiply` for each product of which `a` is the sum.
template <typename Multiply>
void GemmOfSum(const GemmArguments& a, const Multiply& multiply) {
  bool accumulate = a.accumulate;
  ForEachProduct(a, /*summed=*/true, [&](GemmArguments product) {
    product.accumulate = accumulate;
    multiply(product);
    accumulate = true;
  });
}

}  // namespace

void Gemm(const GemmArguments& a, ThreadPool& pool) {
  UseBlasInCallingThread();
  std::vector<GemmArguments> sums;
  ForEachProduct(a, /*summed=*/false,
                 [&](const GemmArguments& sum) { sums.push_back(sum); });
  // Whole products where there are enough of them.
  if (sums.size() == 1 || static_cast<int>(sums.size()) < pool.threads()) {
    for (const GemmArguments& sum : sums)
      GemmOfSum(sum, [&](const GemmArguments& one) { GemmOfOne(one, pool); });
    return;
  }
  pool.Run(sums.size(), [&](int64_t item, int) {
    GemmOfSum(sums[item], [](const GemmArguments& one) {
      GemmOfBlock(one, 0, one.rows, 0, one.columns);
    });
  });
}

}  // namespace mpc::runtime
