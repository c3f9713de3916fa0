#include "runtime/thunks/device_fill.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/floats/narrow_floats.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {

absl::StatusOr<uint32_t> FillBits(double value, plan::DataType type) {
  if (type == plan::DATA_TYPE_F32) {
    const float rounded = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof(bits));
    return bits;
  }
  if (IsNarrowFloat(type)) {
    const float rounded = static_cast<float>(value);
    uint16_t bits;
    NarrowFloats(type, &rounded, 1, &bits);
    return bits;
  }
  if (type != plan::DATA_TYPE_I32)
    return absl::UnimplementedError(
        absl::StrCat("a constant of ", DataTypeName(type),
                     " is not supported; supported: f32, bf16, f16, i32"));
  if (!(value >= -0x1p31 && value < 0x1p32 && std::trunc(value) == value))
    return absl::InvalidArgumentError(absl::StrFormat(
        "%g in an i32; expected an integer of -2147483648 to 4294967295",
        value));
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

void FillOnDevice(Device& device, const Tensor& destination, uint32_t bits) {
  const int64_t count = ElementCount(destination.sizes);
  const int64_t row = destination.sizes.empty() ? 1 : destination.sizes.back();
  const int64_t stride = destination.row_stride ? destination.row_stride : row;
  if (IsNarrowFloat(destination.type))
    device.Fill(static_cast<uint16_t*>(destination.data), stride, count / row,
                row, static_cast<uint16_t>(bits));
  else
    device.Fill(static_cast<uint32_t*>(destination.data), stride, count / row,
                row, bits);
}

}  // namespace mpc::runtime
