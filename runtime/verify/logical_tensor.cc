// Everything here walks rows of the last dimension, which are contiguous in a
// rank's part and in the whole.
#include "runtime/verify/logical_tensor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/floats/narrow_floats.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

absl::Span<const int64_t> LogicalSizes(const plan::State& state) {
  return {state.logical_sizes().data(),
          static_cast<size_t>(state.logical_sizes_size())};
}

// A row of the last dimension of a box.
struct Row {
  // Of its first element, in the rank's part and in the logical tensor.
  int64_t local_begin;
  int64_t logical_begin;
  // Elements of the row, and how many of them (from the first) are logical.
  int64_t size;
  int64_t logical_size;
};

void ForEachRow(const Box& box, absl::Span<const int64_t> logical,
                absl::FunctionRef<void(const Row&)> visit) {
  const size_t rank = box.sizes.size();
  if (rank == 0) return visit({0, 0, 1, 1});
  const size_t last = rank - 1;
  const int64_t row_size = box.sizes[last];
  const int64_t rows = ElementCount(box.sizes) / row_size;
  std::vector<int64_t> index(last, 0);
  for (int64_t r = 0; r < rows; ++r) {
    bool inside = true;
    int64_t begin = 0;
    for (size_t d = 0; d < last; ++d) {
      const int64_t place = box.offsets[d] + index[d];
      inside = inside && place < logical[d];
      begin = (begin + place) * logical[d + 1];
    }
    begin += box.offsets[last];
    const int64_t left =
        std::max<int64_t>(0, logical[last] - box.offsets[last]);
    visit(
        {r * row_size, begin, row_size, inside ? std::min(row_size, left) : 0});
    for (size_t d = last; d-- > 0 && ++index[d] == box.sizes[d];) index[d] = 0;
  }
}

double ElementAt(plan::DataType type, absl::string_view bytes, int64_t i) {
  if (type == plan::DATA_TYPE_F32) {
    float value;
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    return value;
  }
  if (IsNarrowFloat(type)) {
    float value;
    WidenFloats(type, bytes.data() + i * sizeof(uint16_t), 1, &value);
    return value;
  }
  int32_t value;
  std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
  return value;
}

absl::Status CheckType(plan::DataType type) {
  if (DataTypeBytes(type) != 0) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("values of ", DataTypeName(type),
                   " cannot be compared; supported: f32, bf16, f16, i32"));
}

HeldElement ElementOf(const plan::State& state, const Box& box, int64_t rank,
                      absl::string_view piece, int64_t local) {
  HeldElement element;
  element.rank = rank;
  element.index = IndexOf(box.sizes, local);
  for (size_t d = 0; d < element.index.size(); ++d)
    element.index[d] += box.offsets[d];
  element.value = ElementAt(state.type(), piece, local);
  return element;
}

// Axes on which ranks hold something else: those that split, and partial ones.
std::set<uint32_t> DistinguishingAxes(const plan::Sharding& sharding) {
  std::set<uint32_t> axes(sharding.partial_axes().begin(),
                          sharding.partial_axes().end());
  for (const plan::Sharding::Dimension& dimension : sharding.dimensions())
    axes.insert(dimension.axes().begin(), dimension.axes().end());
  return axes;
}

// Equal for replicas.
std::vector<int64_t> HolderKey(const plan::Mesh& mesh,
                               const std::set<uint32_t>& axes, int64_t rank) {
  const std::vector<int64_t> coordinates = CoordinatesOfRank(mesh, rank);
  std::vector<int64_t> key;
  for (uint32_t axis : axes) key.push_back(coordinates[axis]);
  return key;
}

std::optional<AssembledTensor::ReplicaDifference> CompareReplicas(
    const plan::State& state, const Box& box, int64_t rank,
    absl::string_view piece, int64_t first_rank, absl::string_view first) {
  if (piece == first) return std::nullopt;
  const size_t element = DataTypeBytes(state.type());
  for (size_t i = 0; i * element < piece.size(); ++i) {
    if (piece.substr(i * element, element) !=
        first.substr(i * element, element)) {
      return AssembledTensor::ReplicaDifference{
          ElementOf(state, box, rank, piece, i),
          ElementOf(state, box, first_rank, first, i)};
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<double>> DecodeElements(plan::DataType type,
                                                   absl::string_view bytes) {
  MPC_RETURN_IF_ERROR(CheckType(type));
  std::vector<double> values(bytes.size() / DataTypeBytes(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = ElementAt(type, bytes, i);
  return values;
}

std::vector<int64_t> IndexOf(absl::Span<const int64_t> sizes,
                             int64_t position) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

absl::StatusOr<AssembledTensor> Assemble(const plan::Mesh& mesh,
                                         const plan::State& state,
                                         absl::Span<const std::string> pieces) {
  MPC_RETURN_IF_ERROR(CheckType(state.type()));
  const absl::Span<const int64_t> logical = LogicalSizes(state);
  const bool takes_maximum =
      state.sharding().reduction() == plan::REDUCTION_MAX;
  AssembledTensor out;
  out.values.assign(ElementCount(logical), 0);
  // Elements that no rank has contributed to yet.
  std::vector<bool> is_new(takes_maximum ? out.values.size() : 0, true);
  const std::set<uint32_t> axes = DistinguishingAxes(state.sharding());
  std::map<std::vector<int64_t>, int64_t> first_holders;
  for (size_t rank = 0; rank < pieces.size(); ++rank) {
    const std::string& piece = pieces[rank];
    if (piece.empty()) continue;
    const Box box = LocalBox(mesh, state, rank);
    const auto [holder, is_first] =
        first_holders.emplace(HolderKey(mesh, axes, rank), rank);
    if (!is_first) {
      if (!out.replica_difference) {
        out.replica_difference = CompareReplicas(
            state, box, rank, piece, holder->second, pieces[holder->second]);
      }
      continue;
    }
    ForEachRow(box, logical, [&](const Row& row) {
      for (int64_t i = 0; i < row.logical_size; ++i) {
        const double value =
            ElementAt(state.type(), piece, row.local_begin + i);
        const int64_t place = row.logical_begin + i;
        double& whole = out.values[place];
        if (!takes_maximum) {
          whole += value;
        } else if (is_new[place] || value > whole) {
          whole = value;
          is_new[place] = false;
        }
      }
      for (int64_t i = row.logical_size; i < row.size && !out.padding; ++i) {
        const int64_t local = row.local_begin + i;
        if (ElementAt(state.type(), piece, local) != 0)
          out.padding = ElementOf(state, box, rank, piece, local);
      }
    });
  }
  return out;
}

void WritePiece(const plan::Mesh& mesh, const plan::State& state, int64_t rank,
                absl::string_view logical, absl::Span<char> piece) {
  const int64_t element = DataTypeBytes(state.type());
  std::fill(piece.begin(), piece.end(), 0);
  ForEachRow(LocalBox(mesh, state, rank), LogicalSizes(state),
             [&](const Row& row) {
               if (row.logical_size == 0) return;
               std::memcpy(piece.data() + row.local_begin * element,
                           logical.data() + row.logical_begin * element,
                           row.logical_size * element);
             });
}

std::string LogicalBytes(const plan::State& state, absl::string_view piece) {
  const int64_t element = DataTypeBytes(state.type());
  const absl::Span<const int64_t> logical = LogicalSizes(state);
  std::string out(ElementCount(logical) * element, '\0');
  Box whole;
  whole.offsets.assign(state.global_sizes_size(), 0);
  whole.sizes.assign(state.global_sizes().begin(), state.global_sizes().end());
  ForEachRow(whole, logical, [&](const Row& row) {
    if (row.logical_size == 0) return;
    std::memcpy(&out[row.logical_begin * element],
                piece.data() + row.local_begin * element,
                row.logical_size * element);
  });
  return out;
}

std::string DescribeHolders(const plan::Mesh& mesh, const plan::State& state,
                            absl::Span<const std::string> pieces,
                            absl::Span<const int64_t> index) {
  const std::set<uint32_t> axes = DistinguishingAxes(state.sharding());
  std::set<std::vector<int64_t>> seen;
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < RankCount(mesh); ++rank) {
    const Box box = LocalBox(mesh, state, rank);
    bool holds = !pieces[rank].empty();
    for (size_t d = 0; d < index.size(); ++d) {
      holds = holds && index[d] >= box.offsets[d] &&
              index[d] < box.offsets[d] + box.sizes[d];
    }
    if (holds && seen.insert(HolderKey(mesh, axes, rank)).second)
      ranks.push_back(rank);
  }
  if (ranks.size() == 1) return absl::StrCat("rank ", ranks[0]);
  return absl::StrCat("ranks ", absl::StrJoin(ranks, ", "), " together");
}

}  // namespace mpc::runtime
