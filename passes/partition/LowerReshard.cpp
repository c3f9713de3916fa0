//===- LowerReshard.cpp - the communication of a change of type -*- C++ -*-===//

#include "passes/partition/LowerReshard.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc {

namespace {

using dist::AxesAttr;
using dist::ReductionKind;
using dist::ShardingAttr;
using AxisList = SmallVector<StringAttr>;

bool isPrefix(ArrayRef<StringAttr> prefix, ArrayRef<StringAttr> of) {
  return of.take_front(prefix.size()) == prefix;
}

/// Goes from one sharding to another step by step; `dims` and `partial` are the
/// sharding of `value` so far.
class Lowering {
public:
  Lowering(OpBuilder &builder, Location location, dist::Phase phase,
           Value value, RankedTensorType from, RankedTensorType to)
      : builder(builder), location(location), phase(phase), value(value),
        mesh(dist::getSharding(from).getMesh()),
        source(dist::getSharding(from)), target(dist::getSharding(to)),
        type(cast<RankedTensorType>(dist::getLocalType(from))) {
    for (AxesAttr axes : source.getDims())
      dims.emplace_back(axes.begin(), axes.end());
    partial.assign(source.getPartial().begin(), source.getPartial().end());
  }

  Value run() {
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      moveSplits(dim);
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      gather(dim);
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      reduceScatter(dim);
    allReduce();
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      cut(dim);
    keepOnFirst();
    return value;
  }

private:
  ArrayRef<StringAttr> wanted(unsigned dim) const {
    return target.getDims()[dim].getNames();
  }
  AxesAttr axes(ArrayRef<StringAttr> names) const {
    return AxesAttr::get(builder.getContext(), names);
  }

  template <typename OpTy, typename... Args>
  void emit(AxesAttr over, Args &&...args) {
    value = tfm::build<OpTy>(builder, location, phase, type, value, mesh, over,
                             std::forward<Args>(args)...);
  }
  void resize(unsigned dim, int64_t times, int64_t over) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = shape[dim] * times / over;
    type = RankedTensorType::get(shape, type.getElementType());
  }
  IntegerAttr index(unsigned dim) { return builder.getI64IntegerAttr(dim); }

  /// The minor axis of a dimension moves to one that wants it next.
  void moveSplits(unsigned dim) {
    while (!dims[dim].empty() && !isPrefix(dims[dim], wanted(dim))) {
      StringAttr axis = dims[dim].back();
      unsigned to = 0;
      for (; to < dims.size(); ++to)
        if (to != dim && isPrefix(dims[to], wanted(to)) &&
            dims[to].size() < wanted(to).size() &&
            wanted(to)[dims[to].size()] == axis)
          break;
      if (to == dims.size())
        return;
      dims[dim].pop_back();
      dims[to].push_back(axis);
      int64_t size = mesh.getAxisSize(axis);
      resize(dim, size, 1);
      resize(to, 1, size);
      emit<dist::AllToAllOp>(axes(axis), index(to), index(dim));
    }
  }

  /// What the target does not have, minor axes first, in one gather.
  void gather(unsigned dim) {
    AxisList gathered;
    while (!isPrefix(dims[dim], wanted(dim)))
      gathered.insert(gathered.begin(), dims[dim].pop_back_val());
    if (gathered.empty())
      return;
    resize(dim, mesh.getGroupSize(axes(gathered)), 1);
    emit<dist::AllGatherOp>(axes(gathered), index(dim));
  }

  /// Partial axes that the target splits next.
  void reduceScatter(unsigned dim) {
    AxisList scattered;
    if (source.getReduction() == ReductionKind::Max)
      return; // An all-reduce and a cut.
    while (dims[dim].size() < wanted(dim).size()) {
      StringAttr axis = wanted(dim)[dims[dim].size()];
      if (!llvm::is_contained(partial, axis))
        break;
      scattered.push_back(axis);
      dims[dim].push_back(axis);
      llvm::erase(partial, axis);
    }
    if (scattered.empty())
      return;
    resize(dim, 1, mesh.getGroupSize(axes(scattered)));
    emit<dist::ReduceScatterOp>(axes(scattered), index(dim));
  }

  void allReduce() {
    AxisList reduced;
    for (StringAttr axis : AxisList(partial))
      if (!target.getPartial().contains(axis)) {
        reduced.push_back(axis);
        llvm::erase(partial, axis);
      }
    if (!reduced.empty())
      emit<dist::AllReduceOp>(axes(reduced),
                              dist::ReductionKindAttr::get(
                                  builder.getContext(), source.getReduction()));
  }

  /// Replicated to split: local.
  void cut(unsigned dim) {
    ArrayRef<StringAttr> missing = wanted(dim).drop_front(dims[dim].size());
    if (missing.empty())
      return;
    resize(dim, 1, mesh.getGroupSize(axes(missing)));
    emit<dist::ShardOp>(axes(missing), index(dim));
  }

  /// Replicated to partial: local.
  void keepOnFirst() {
    AxisList added;
    for (StringAttr axis : target.getPartial())
      if (!llvm::is_contained(partial, axis))
        added.push_back(axis);
    if (!added.empty())
      emit<dist::KeepOnFirstOp>(axes(added));
  }

  OpBuilder &builder;
  Location location;
  dist::Phase phase;
  Value value;
  dist::MeshAttr mesh;
  ShardingAttr source, target;
  RankedTensorType type;
  SmallVector<AxisList> dims;
  AxisList partial;
};

} // namespace

Value lowerReshard(OpBuilder &builder, Location location, dist::Phase phase,
                   Value value, RankedTensorType from, RankedTensorType to) {
  return Lowering(builder, location, phase, value, from, to).run();
}

} // namespace mpc
