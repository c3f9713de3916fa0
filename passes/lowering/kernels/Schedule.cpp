// Chooses rows, blocks, loop nests and the place of each intermediate tensor.
#include "passes/lowering/kernels/Schedule.h"

#include "passes/lowering/kernels/VectorDim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mpc::kernels {

/// What a row may keep on the stack.
static constexpr int64_t kScratchLimit = 1 << 20;
/// Elements in a block of a kernel without reductions, and the longest row that
/// is not cut.
static constexpr int64_t kPointwiseBlock = 4096;
static constexpr int64_t kLongestRow = 8192;
/// Columns in a block of a kernel that sums over rows of memory: four cache
/// lines of each.
static constexpr int64_t kColumnBlock = 64;

void Schedule::choosePrologue() {
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    bool ready = node.isScalar() && node.gathered.empty();
    KernelGraph::forEachRead(node, [&](const Access &read) {
      const TensorInfo &tensor = graph.tensors[read.tensor];
      ready &= tensor.type.getNumElements() == 1;
      ready &= !tensor.producer || isPrologue(*tensor.producer);
    });
    if (ready)
      prologue.push_back(index);
  }
}

/// A dimension can be a row's if no node reduces it and what a node makes in a
/// row is read in the same row only.
void Schedule::chooseRows() {
  llvm::SmallVector<bool> candidate(graph.numDims(), true);
  for (const Node &node : graph.nodes) {
    for (unsigned dim = 0; dim != graph.numDims(); ++dim)
      if (node.kinds[dim] == LoopKind::Reduction)
        candidate[dim] = false;
    KernelGraph::forEachRead(node, [&](const Access &read) {
      const TensorInfo &tensor = graph.tensors[read.tensor];
      if (!tensor.producer)
        return;
      for (unsigned dim = 0; dim != graph.numDims(); ++dim)
        if (read.strides[dim] != tensor.written.strides[dim])
          candidate[dim] = false;
    });
  }
  // A node that lacks a dimension is computed again for each of its rows.
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    bool isResult = llvm::any_of(node.results, [&](const Access &result) {
      return !graph.tensors[result.tensor].outputs.empty();
    });
    if (isPrologue(index) || (!node.reduces() && !isResult))
      continue;
    for (unsigned dim = 0; dim != graph.numDims(); ++dim)
      if (!node.uses(dim))
        candidate[dim] = false;
  }
  for (unsigned dim = 0; dim != graph.numDims(); ++dim)
    if (candidate[dim])
      rows.push_back(dim);
}

/// Where the dimension along which memory is contiguous is a row's, it becomes
/// an inner loop, whole or in blocks.
void Schedule::chooseBlock() {
  if (rows.empty())
    return;
  unsigned last = rows.back();
  int64_t whole = 0, blocked = 0;
  bool reduces = false;
  for (unsigned index = 0; index != graph.nodes.size(); ++index) {
    const Node &node = graph.nodes[index];
    reduces |= node.reduces();
    ArrayRef<unsigned> self(index);
    bool clean = llvm::any_of(innerDims(node), [&](unsigned dim) {
      return walkAlong(dim, graph, self).isClean();
    });
    bool cleanBlock = walkAlong(last, graph, self).isClean();
    int64_t volume = graph.volume(node);
    whole += volume * (clean ? 1 : 8);
    blocked += volume * (clean || cleanBlock ? 1 : 8);
  }
  // Rows are what threads divide, so they are given up for a clear gain only.
  if (2 * blocked > whole)
    return;
  int64_t extent = graph.extents[last];
  int64_t size = extent;
  if (reduces)
    size = std::min(extent, kColumnBlock);
  else if (extent > kLongestRow)
    size = kPointwiseBlock;
  rows.pop_back();
  if (size != extent)
    block = RowBlock{last, size};
}

SmallVector<unsigned> Schedule::innerDims(const Node &node) const {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim != graph.numDims(); ++dim)
    if (node.uses(dim) && isInner(dim))
      dims.push_back(dim);
  return dims;
}

int Schedule::groupOfNode(unsigned node) const {
  for (auto [index, group] : llvm::enumerate(groups))
    if (llvm::is_contained(group.nodes, node))
      return index;
  return -1;
}

/// The first group in which all that `node` reads is there.
unsigned Schedule::firstGroup(unsigned node, ArrayRef<unsigned> groupOf) const {
  unsigned first = 0;
  KernelGraph::forEachRead(graph.nodes[node], [&](const Access &read) {
    const TensorInfo &tensor = graph.tensors[read.tensor];
    if (!tensor.producer || isPrologue(*tensor.producer))
      return;
    const Node &producer = graph.nodes[*tensor.producer];
    // The value of this iteration, in a register.
    bool sameElement = !producer.reduces() && read.offset == 0 &&
                       read.strides == tensor.written.strides;
    unsigned group = groupOf[*tensor.producer];
    first = std::max(first, sameElement ? group : group + 1);
  });
  return first;
}

static SmallVector<unsigned> reducedDims(const Node &node) {
  SmallVector<unsigned> dims;
  for (auto [dim, kind] : llvm::enumerate(node.kinds))
    if (kind == LoopKind::Reduction)
      dims.push_back(dim);
  return dims;
}

bool Schedule::fits(const Group &group, unsigned index) const {
  const Node &node = graph.nodes[index];
  if (innerDims(node) != innerDims(graph.nodes[group.nodes.front()]))
    return false;
  return llvm::all_of(group.nodes, [&](unsigned member) {
    return !node.reduces() || !graph.nodes[member].reduces() ||
           reducedDims(node) == reducedDims(graph.nodes[member]);
  });
}

void Schedule::groupNodes() {
  SmallVector<unsigned> groupOf(graph.nodes.size(), 0);
  for (unsigned index = 0; index != graph.nodes.size(); ++index) {
    if (isPrologue(index))
      continue;
    unsigned g = firstGroup(index, groupOf);
    while (g < groups.size() && !fits(groups[g], index))
      ++g;
    if (g >= groups.size()) {
      g = groups.size();
      groups.emplace_back();
    }
    groups[g].nodes.push_back(index);
    groupOf[index] = g;
  }
}

void Schedule::orderLoops(Group &group) {
  auto isReduced = [&](unsigned dim) {
    return llvm::any_of(group.nodes, [&](unsigned index) {
      return graph.nodes[index].kinds[dim] == LoopKind::Reduction;
    });
  };
  SmallVector<unsigned> dims = innerDims(graph.nodes[group.nodes.front()]);
  if (dims.empty())
    return;
  unsigned best = dims.front();
  for (unsigned dim : ArrayRef<unsigned>(dims).drop_front())
    if (!walkAlong(best, graph, group.nodes)
             .isBetterThan(walkAlong(dim, graph, group.nodes)))
      best = dim;
  group.vectorDim = best;
  group.width = vectorWidth(best, innerExtent(best), graph, group.nodes);
  for (bool reduced : {false, true}) {
    for (unsigned dim : dims)
      if (dim != best && isReduced(dim) == reduced)
        group.loops.push_back(dim);
    if (isReduced(best) == reduced)
      group.loops.push_back(best);
    if (!reduced)
      group.numParallel = group.loops.size();
  }
}

void Schedule::placeTensors() {
  places.assign(graph.tensors.size(), Place::Register);
  for (unsigned index = 0; index != graph.tensors.size(); ++index) {
    const TensorInfo &tensor = graph.tensors[index];
    Place &place = places[index];
    if (tensor.splat) {
      place = Place::Constant;
    } else if (tensor.input) {
      place = tensor.type.getNumElements() == 1 ? Place::Scalar : Place::Input;
    } else if (llvm::none_of(
                   llvm::enumerate(tensor.written.strides), [&](auto stride) {
                     return stride.value() != 0 && isInner(stride.index());
                   })) {
      place = Place::Scalar;
    } else if (!tensor.outputs.empty()) {
      place = Place::Output;
    }
  }
  for (auto [reader, node] : llvm::enumerate(graph.nodes))
    KernelGraph::forEachRead(node, [&, reader = reader](const Access &read) {
      const TensorInfo &tensor = graph.tensors[read.tensor];
      if (places[read.tensor] == Place::Register &&
          groupOfNode(reader) != groupOfNode(*tensor.producer))
        places[read.tensor] = Place::Scratch;
    });
}

LogicalResult Schedule::layOutScratch() {
  scratchOffsets.assign(graph.tensors.size(), 0);
  scratchStrides.resize(graph.tensors.size());
  for (unsigned index = 0; index != graph.tensors.size(); ++index) {
    const TensorInfo &tensor = graph.tensors[index];
    if (places[index] != Place::Scratch)
      continue;
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim != graph.numDims(); ++dim)
      if (isInner(dim) && tensor.written.strides[dim] != 0)
        dims.push_back(dim);
    llvm::sort(dims, [&](unsigned a, unsigned b) {
      return tensor.written.strides[a] < tensor.written.strides[b];
    });
    int64_t stride = 1;
    scratchStrides[index].assign(graph.numDims(), 0);
    for (unsigned dim : dims) {
      scratchStrides[index][dim] = stride;
      stride *= innerExtent(dim);
    }
    scratchOffsets[index] = scratchBytes;
    int64_t bytes = stride * tensor.type.getElementTypeBitWidth() / 8;
    scratchBytes += llvm::alignTo(bytes, 64);
  }
  if (scratchBytes > kScratchLimit)
    return graph.function.emitError("kernel keeps ")
           << scratchBytes << " bytes between its loops, expected at most "
           << kScratchLimit << "; make it two kernels";
  // Scratch is addressed by the dimensions of the node that writes it.
  for (const Node &node : graph.nodes) {
    bool same = true;
    KernelGraph::forEachRead(node, [&](const Access &read) {
      const TensorInfo &tensor = graph.tensors[read.tensor];
      if (places[read.tensor] == Place::Scratch)
        same &= read.offset == tensor.written.offset &&
                read.strides == tensor.written.strides;
    });
    if (!same)
      return linalg::LinalgOp(node.op).emitOpError(
          "reads a value that the kernel makes in another order than it is "
          "made; make it two kernels");
  }
  return success();
}

FailureOr<Schedule> Schedule::create(func::FuncOp function) {
  FailureOr<KernelGraph> graph = KernelGraph::build(function);
  if (failed(graph))
    return failure();
  Schedule schedule;
  schedule.graph = std::move(*graph);
  schedule.graph.collapse();
  schedule.choosePrologue();
  schedule.chooseRows();
  schedule.chooseBlock();
  schedule.groupNodes();
  for (Group &group : schedule.groups)
    schedule.orderLoops(group);
  schedule.placeTensors();
  if (failed(schedule.layOutScratch()))
    return failure();
  return schedule;
}

int64_t Schedule::extent() const {
  int64_t extent = 1;
  for (unsigned dim : rows)
    extent *= graph.extents[dim];
  if (block)
    extent *= llvm::divideCeil(graph.extents[block->dim], block->size);
  return extent;
}

bool Schedule::canAlias(unsigned input, unsigned output) const {
  const TensorInfo *from = nullptr, *to = nullptr;
  for (const TensorInfo &tensor : graph.tensors) {
    if (tensor.input == input)
      from = &tensor;
    if (llvm::is_contained(tensor.outputs, output))
      to = &tensor;
  }
  if (!from || !to || from->type != to->type)
    return false;
  unsigned fromIndex = from - graph.tensors.data();
  // Rows write disjoint parts, and each reads only its own.
  auto isRow = [&](unsigned dim) {
    return !isInner(dim) || (block && block->dim == dim);
  };
  for (unsigned dim = 0; dim != graph.numDims(); ++dim)
    if (isRow(dim) && to->written.strides[dim] == 0)
      return false;
  int writer = groupOfNode(*to->producer);
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    if (llvm::is_contained(node.gathered, fromIndex))
      return false;
    int reader = groupOfNode(index);
    bool safe = true;
    KernelGraph::forEachRead(node, [&](const Access &read) {
      if (read.tensor != fromIndex)
        return;
      safe &= reader <= writer && read.offset == to->written.offset;
      for (unsigned dim = 0; dim != graph.numDims(); ++dim)
        if (isRow(dim) || reader == writer)
          safe &= read.strides[dim] == to->written.strides[dim];
    });
    if (!safe)
      return false;
  }
  return true;
}

} // namespace mpc::kernels
