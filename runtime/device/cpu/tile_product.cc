#include "runtime/device/cpu/tile_product.h"

#include <immintrin.h>

#include <algorithm>

#include "runtime/device/cpu/vector_math.h"

namespace mpc::runtime {
namespace {

/// Sums of 6 × 16 elements, with two vectors of right and one element of left,
/// fill the 16 registers.
constexpr int kBlockRows = 6;

/// Bits of the first `count` elements of a vector.
__m256i MaskOf(int64_t count) {
  const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), places);
}

template <bool kMasked>
__m256 Load(const float* data, __m256i mask) {
  return kMasked ? _mm256_maskload_ps(data, mask) : _mm256_loadu_ps(data);
}

template <bool kMasked>
void Store(float* data, __m256i mask, __m256 value) {
  if (kMasked)
    _mm256_maskstore_ps(data, mask, value);
  else
    _mm256_storeu_ps(data, value);
}

/// kRows × (8 · kVectors) elements of the destination.
template <bool kTransposed, int kRows, int kVectors, bool kMasked>
void MultiplyBlock(const TileProduct& p, int64_t row, int64_t column,
                   __m256i mask) {
  // A pointer a row, lest addresses depend on each other.
  const float* left[kRows];
  for (int i = 0; i < kRows; ++i)
    left[i] = p.left + (kTransposed ? row : (row + i) * p.left_stride);
  const float* right = p.right + column;
  __m256 sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) sums[i][v] = _mm256_setzero_ps();
  for (int64_t k = 0; k < p.inner; ++k) {
    __m256 b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = Load<kMasked>(right + 8 * v, mask);
    for (int i = 0; i < kRows; ++i) {
      const __m256 a = _mm256_broadcast_ss(
          kTransposed ? left[0] + k * p.left_stride + i : left[i] + k);
      for (int v = 0; v < kVectors; ++v)
        sums[i][v] = _mm256_fmadd_ps(a, b[v], sums[i][v]);
    }
    right += p.right_stride;
  }
  const __m256 scale = _mm256_set1_ps(p.scale);
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) {
      float* const to =
          p.destination + (row + i) * p.destination_stride + column + 8 * v;
      const __m256 before =
          p.accumulate ? Load<kMasked>(to, mask) : _mm256_setzero_ps();
      Store<kMasked>(to, mask, _mm256_fmadd_ps(scale, sums[i][v], before));
    }
}

/// All rows of 8 · kVectors columns.
template <bool kTransposed, int kVectors, bool kMasked>
void MultiplyColumns(const TileProduct& p, int64_t column, __m256i mask) {
  int64_t row = 0;
  for (; row + kBlockRows <= p.rows; row += kBlockRows)
    MultiplyBlock<kTransposed, kBlockRows, kVectors, kMasked>(p, row, column,
                                                              mask);
  if (row + 4 <= p.rows) {
    MultiplyBlock<kTransposed, 4, kVectors, kMasked>(p, row, column, mask);
    row += 4;
  }
  for (; row < p.rows; ++row)
    MultiplyBlock<kTransposed, 1, kVectors, kMasked>(p, row, column, mask);
}

template <bool kTransposed>
void MultiplyAll(const TileProduct& p) {
  int64_t column = 0;
  const __m256i mask = MaskOf(p.columns % 8);
  for (; column + 16 <= p.columns; column += 16)
    MultiplyColumns<kTransposed, 2, false>(p, column, mask);
  if (column + 8 <= p.columns) {
    MultiplyColumns<kTransposed, 1, false>(p, column, mask);
    column += 8;
  }
  if (column < p.columns)
    MultiplyColumns<kTransposed, 1, true>(p, column, mask);
}

/// An 8 × 8 block.
void TransposeBlock(const float* source, int64_t source_stride,
                    float* destination, int64_t destination_stride) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(source + i * source_stride);
  // Pairs of elements, then pairs of pairs, then halves.
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(destination + i * destination_stride,
                     _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(destination + (i + 4) * destination_stride,
                     _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

}  // namespace

void Multiply(const TileProduct& p) {
  if (p.transpose_left)
    MultiplyAll<true>(p);
  else
    MultiplyAll<false>(p);
}

void CopyTile(const float* source, int64_t source_stride, int64_t rows,
              int64_t columns, float* destination, int64_t destination_stride) {
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(source + row * source_stride, columns,
                destination + row * destination_stride);
}

void TransposeTile(const float* source, int64_t source_stride, int64_t rows,
                   int64_t columns, float* destination,
                   int64_t destination_stride) {
  const int64_t whole_rows = rows / 8 * 8, whole_columns = columns / 8 * 8;
  for (int64_t i = 0; i < whole_rows; i += 8)
    for (int64_t j = 0; j < whole_columns; j += 8)
      TransposeBlock(source + i * source_stride + j, source_stride,
                     destination + j * destination_stride + i,
                     destination_stride);
  for (int64_t j = 0; j < columns; ++j) {
    float* const row = destination + j * destination_stride;
    const int64_t done = j < whole_columns ? whole_rows : 0;
    for (int64_t i = done; i < rows; ++i) row[i] = source[i * source_stride + j];
    std::fill(row + rows, row + destination_stride, 0.0f);
  }
}

float InnerProduct(const float* a, const float* b, int64_t size) {
  __m256 sum = _mm256_setzero_ps();
  int64_t i = 0;
  for (; i + 8 <= size; i += 8)
    sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sum);
  if (i < size) {
    const __m256i mask = MaskOf(size - i);
    sum = _mm256_fmadd_ps(_mm256_maskload_ps(a + i, mask),
                          _mm256_maskload_ps(b + i, mask), sum);
  }
  return HorizontalSum(sum);
}

}  // namespace mpc::runtime
