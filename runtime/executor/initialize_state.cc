// The values of states before the first step.
//
// An element's value depends on its place in the whole tensor alone, so that
// every mesh begins with the same model.
#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/device/cpu/random.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_fill.h"

namespace mpc::runtime {
namespace {

/// The row-major place of a box's element number `i` in a tensor of `sizes`.
int64_t PlaceInWhole(const Box& box, absl::Span<const int64_t> sizes,
                     int64_t i) {
  int64_t place = 0, stride = 1;
  for (int d = static_cast<int>(box.sizes.size()) - 1; d >= 0; --d) {
    place += (box.offsets[d] + i % box.sizes[d]) * stride;
    i /= box.sizes[d];
    stride *= sizes[d];
  }
  return place;
}

/// How many elements from number `i` of the box, the first of a row, lie inside
/// `logical_sizes`.
int64_t LogicalElementsOfRow(const Box& box,
                             absl::Span<const int64_t> logical_sizes,
                             int64_t i) {
  const int last = static_cast<int>(box.sizes.size()) - 1;
  i /= box.sizes[last];
  for (int d = last - 1; d >= 0; --d) {
    if (box.offsets[d] + i % box.sizes[d] >= logical_sizes[d]) return 0;
    i /= box.sizes[d];
  }
  return std::clamp<int64_t>(logical_sizes[last] - box.offsets[last], 0,
                             box.sizes[last]);
}

/// Writes `count` elements of the normal sequence, from number `begin` on.
void WriteNormals(const plan::Initial::Normal& normal, uint32_t seed,
                  int64_t begin, int64_t count, float* destination) {
  std::array<double, 512> values;
  for (int64_t done = 0; done < count;) {
    const int64_t part = std::min<int64_t>(values.size(), count - done);
    NormalValues(seed, normal.key(), begin + done, begin + done + part,
                 values.data());
    for (int64_t i = 0; i < part; ++i)
      destination[done + i] =
          static_cast<float>(values[i] * normal.standard_deviation());
    done += part;
  }
}

absl::Span<const int64_t> Span(
    const google::protobuf::RepeatedField<int64_t>& sizes) {
  return {sizes.data(), static_cast<size_t>(sizes.size())};
}

}  // namespace

absl::Status RankProgram::InitializeCopy(int index, int slot, uint32_t seed) {
  const plan::State& state = role().states(index);
  const plan::Initial& initial = state.initial();
  const absl::Span<char> bytes = StateBytes(index, slot);
  if (!state.has_initial() || initial.has_normal()) {
    device_->ParallelFor(bytes.size(), [&](int64_t begin, int64_t end) {
      std::memset(bytes.data() + begin, 0, end - begin);
    });
    if (!state.has_initial()) return absl::OkStatus();
  }
  auto* const words = reinterpret_cast<uint32_t*>(bytes.data());
  const int64_t count = bytes.size() / sizeof(uint32_t);
  if (initial.kind_case() == plan::Initial::kConstant) {
    MPC_ASSIGN_OR_RETURN(const uint32_t bits,
                         FillBits(initial.constant(), state.type()));
    device_->Fill(words, count, 1, count, bits);
    return absl::OkStatus();
  }
  const Box box = LocalBox(plan().mesh(), state, rank());
  const int64_t row = box.sizes.empty() ? 1 : box.sizes.back();
  const bool is_float = state.type() == plan::DATA_TYPE_F32;
  const auto global_sizes = Span(state.global_sizes());
  const auto logical_sizes = Span(state.logical_sizes());
  device_->ParallelFor(count / row, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * row; i < end * row; i += row) {
      if (initial.has_normal()) {
        const int64_t logical =
            box.sizes.empty() ? 1 : LogicalElementsOfRow(box, logical_sizes, i);
        WriteNormals(initial.normal(), seed,
                     PlaceInWhole(box, logical_sizes, i), logical,
                     reinterpret_cast<float*>(words + i));
        continue;
      }
      const int64_t number =
          initial.iota().start() + PlaceInWhole(box, global_sizes, i);
      for (int64_t j = 0; j < row; ++j)
        if (is_float)
          reinterpret_cast<float*>(words)[i + j] =
              static_cast<float>(number + j);
        else
          words[i + j] = static_cast<uint32_t>(number + j);
    }
  });
  return absl::OkStatus();
}

absl::Status RankProgram::InitializeState(uint32_t seed) {
  for (int i = 0; i < role().states_size(); ++i) {
    const bool in_slots =
        role().states(i).slice().region() == plan::REGION_SLOT;
    const int copies = in_slots ? static_cast<int>(role().slots()) : 1;
    for (int slot = 0; slot < copies; ++slot)
      if (absl::Status status = InitializeCopy(i, slot, seed); !status.ok())
        return absl::Status(status.code(),
                            absl::StrCat("state \"", role().states(i).name(),
                                         "\": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace mpc::runtime
