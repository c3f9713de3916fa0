//===- Layout.cpp - what each rank holds, by definition ---------*- C++ -*-===//

#include "test/execution/Layout.h"
#include <cstring>
#include <limits>
#include <map>

using namespace mlir;

namespace mpc::execution {

using dist::AxesAttr;
using dist::MeshAttr;
using dist::ReductionKind;
using dist::ShardingAttr;

/// The place of a rank along one axis: axes are major to minor in rank order.
static int64_t getCoordinate(MeshAttr mesh, StringAttr axis, int64_t rank) {
  ArrayRef<int64_t> sizes = mesh.getSizes();
  unsigned index = mesh.getAxisIndex(axis);
  for (int64_t size : llvm::reverse(sizes.drop_front(index + 1)))
    rank /= size;
  return rank % sizes[index];
}

int64_t getPlace(MeshAttr mesh, ArrayRef<StringAttr> axes, int64_t rank) {
  int64_t place = 0;
  for (StringAttr axis : axes)
    place = place * mesh.getAxisSize(axis) + getCoordinate(mesh, axis, rank);
  return place;
}

SmallVector<int64_t> getGroup(MeshAttr mesh, ArrayRef<StringAttr> axes,
                              int64_t rank) {
  SmallVector<int64_t> group(
      mesh.getGroupSize(AxesAttr::get(mesh.getContext(), axes)), -1);
  for (int64_t other = 0; other < mesh.getRankCount(); ++other) {
    bool differsElsewhere = llvm::any_of(mesh.getAxes(), [&](StringAttr axis) {
      return !llvm::is_contained(axes, axis) &&
             getCoordinate(mesh, axis, rank) !=
                 getCoordinate(mesh, axis, other);
    });
    if (!differsElsewhere)
      group[getPlace(mesh, axes, other)] = other;
  }
  return group;
}

/// The rank's piece of the value, as if nothing were partial.
static Array cut(const Array &global, ShardingAttr sharding, int64_t rank) {
  MeshAttr mesh = sharding.getMesh();
  Array piece = global;
  for (auto [dim, axes] : llvm::enumerate(sharding.getDims())) {
    int64_t size = piece.shape[dim] / mesh.getGroupSize(axes);
    piece = piece.slice(dim, getPlace(mesh, axes.getNames(), rank) * size, size);
  }
  return piece;
}

/// Splits `value` into addends or candidates, one for each place.
static SmallVector<Array> split(const Array &value, int64_t count,
                                ReductionKind reduction, Random *random) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  bool isMax = reduction == ReductionKind::Max;
  SmallVector<Array> parts(count, Array(value.shape, isMax ? kNone : 0));
  if (!random) {
    parts[0] = value;
    return parts;
  }
  for (size_t i = 0; i < value.values.size(); ++i) {
    int64_t keeper = random->integer(0, count - 1);
    double rest = value.values[i];
    for (int64_t part = 0; part < count; ++part) {
      if (part == keeper)
        continue;
      double share = random->uniform(-1, 1);
      parts[part].values[i] =
          isMax ? value.values[i] - 1 - share : share;
      rest -= share;
    }
    parts[keeper].values[i] = isMax ? value.values[i] : rest;
  }
  return parts;
}

RankArrays distribute(const Array &global, ShardingAttr sharding,
                      Random *random) {
  MeshAttr mesh = sharding.getMesh();
  AxesAttr partial = sharding.getPartial();
  SmallVector<Array> parts = split(global, mesh.getGroupSize(partial),
                                   sharding.getReduction(), random);
  RankArrays ranks;
  for (int64_t rank = 0; rank < mesh.getRankCount(); ++rank)
    ranks.push_back(cut(parts[getPlace(mesh, partial.getNames(), rank)],
                        sharding, rank));
  return ranks;
}

static bool haveSameBits(const Array &a, const Array &b) {
  return a.shape == b.shape &&
         std::memcmp(a.values.data(), b.values.data(),
                     a.values.size() * sizeof(double)) == 0;
}

/// Copies `piece` into `global`, its first element to `begin`.
static void write(const Array &piece, ArrayRef<int64_t> begin, Array &global) {
  for (size_t i = 0; i < piece.values.size(); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (int64_t dim = piece.shape.size() - 1; dim >= 0; --dim) {
      place += (begin[dim] + rest % piece.shape[dim]) * stride;
      rest /= piece.shape[dim];
      stride *= global.shape[dim];
    }
    global.values[place] = piece.values[i];
  }
}

FailureOr<Array> assemble(const RankArrays &ranks, ShardingAttr sharding,
                          std::string &why) {
  MeshAttr mesh = sharding.getMesh();
  ArrayRef<StringAttr> partial = sharding.getPartial().getNames();
  // What a group of ranks holds together, as each of its members sees it.
  RankArrays pieces;
  for (int64_t rank = 0; rank < mesh.getRankCount(); ++rank) {
    SmallVector<int64_t> group = getGroup(mesh, partial, rank);
    Array piece = ranks[group[0]];
    for (int64_t member : ArrayRef(group).drop_front())
      if (sharding.getReduction() == ReductionKind::Max)
        piece = maximum(piece, ranks[member]);
      else
        piece += ranks[member];
    pieces.push_back(std::move(piece));
  }

  SmallVector<int64_t> shape = pieces[0].shape;
  for (auto [size, axes] : llvm::zip_equal(shape, sharding.getDims()))
    size *= mesh.getGroupSize(axes);
  Array global(shape);
  std::map<std::vector<int64_t>, int64_t> holders;
  for (auto [rank, piece] : llvm::enumerate(pieces)) {
    std::vector<int64_t> begin;
    for (auto [size, axes] : llvm::zip_equal(piece.shape, sharding.getDims()))
      begin.push_back(getPlace(mesh, axes.getNames(), rank) * size);
    auto [holder, isNew] = holders.try_emplace(begin, rank);
    if (isNew) {
      write(piece, begin, global);
    } else if (!haveSameBits(piece, pieces[holder->second])) {
      why = "ranks " + std::to_string(holder->second) + " and " +
            std::to_string(rank) + " must hold the same and do not";
      return failure();
    }
  }
  return global;
}

} // namespace mpc::execution
