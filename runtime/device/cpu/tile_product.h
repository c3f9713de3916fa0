// Products of small matrices, and copies that bring them into a good order.
//
// A BLAS copies both operands for each product; attention meets the same tiles
// several times and copies them once.
#ifndef MPC_RUNTIME_DEVICE_CPU_TILE_PRODUCT_H_
#define MPC_RUNTIME_DEVICE_CPU_TILE_PRODUCT_H_

#include <cstdint>

namespace mpc::runtime {

/// destination = scale · op(left) · right, or += with `accumulate`; op transposes
/// if asked. Strides count the elements from row to row of what is stored.
///
/// An element is summed over k in ascending order, whatever the sizes.
struct TileProduct {
  int64_t rows = 0, columns = 0, inner = 0;
  bool transpose_left = false;
  const float* left = nullptr;
  int64_t left_stride = 0;
  const float* right = nullptr;
  int64_t right_stride = 0;
  float* destination = nullptr;
  int64_t destination_stride = 0;
  float scale = 1;
  bool accumulate = false;
};

void Multiply(const TileProduct& product);

/// Copies rows; strides are in elements.
void CopyTile(const float* source, int64_t source_stride, int64_t rows,
              int64_t columns, float* destination, int64_t destination_stride);

/// Writes the transpose of rows × columns elements: `columns` rows of
/// `destination_stride` elements, the last of which are 0 if there are more than
/// `rows`.
void TransposeTile(const float* source, int64_t source_stride, int64_t rows,
                   int64_t columns, float* destination,
                   int64_t destination_stride);

/// Σ a[i] · b[i].
float InnerProduct(const float* a, const float* b, int64_t size);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_TILE_PRODUCT_H_
