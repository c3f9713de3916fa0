// Joins loops of different ops into the dimensions of a kernel and puts the
// dimensions in the order of memory.
#include "passes/lowering/kernels/LoopClasses.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace mpc::kernels {

LoopClasses::LoopClasses(const KernelGraph &graph) : graph(graph) {
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    firstLoop.push_back(nodeOf.size());
    linalg::LinalgOp op = node.op;
    for (int64_t extent : op.getStaticLoopRanges()) {
      parent.push_back(nodeOf.size());
      nodeOf.push_back(index);
      extentOf.push_back(extent);
    }
  }
  joinProducers();
  joinReaders();
  joinByPosition();
  order();
}

unsigned LoopClasses::classOf(unsigned loop) const {
  while (parent[loop] != loop)
    loop = parent[loop] = parent[parent[loop]];
  return loop;
}

/// Returns false where it would make two loops of one node the same.
bool LoopClasses::unite(unsigned loopA, unsigned loopB) {
  unsigned a = classOf(loopA), b = classOf(loopB);
  if (a == b)
    return true;
  for (unsigned i = 0; i != parent.size(); ++i)
    for (unsigned j = 0; j != parent.size(); ++j)
      if (nodeOf[i] == nodeOf[j] && classOf(i) == a && classOf(j) == b)
        return false;
  parent[b] = a;
  return true;
}

/// Joins the loops that walk through a tensor with the same stride and extent.
void LoopClasses::join(unsigned nodeA, const Access &a, unsigned nodeB,
                       const Access &b) {
  for (auto [i, strideA] : llvm::enumerate(a.strides)) {
    unsigned loopA = loopId(nodeA, i);
    if (strideA == 0 || extentOf[loopA] == 1)
      continue;
    for (auto [j, strideB] : llvm::enumerate(b.strides)) {
      unsigned loopB = loopId(nodeB, j);
      if (strideA == strideB && extentOf[loopA] == extentOf[loopB])
        unite(loopA, loopB);
    }
  }
}

void LoopClasses::joinProducers() {
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    KernelGraph::forEachRead(node, [&, index = index](const Access &read) {
      const TensorInfo &tensor = graph.tensors[read.tensor];
      if (!tensor.producer)
        return;
      for (const Access &written : graph.nodes[*tensor.producer].results)
        if (written.tensor == read.tensor)
          join(*tensor.producer, written, index, read);
    });
}

void LoopClasses::joinReaders() {
  for (auto [a, nodeA] : llvm::enumerate(graph.nodes))
    for (unsigned b = 0; b != a; ++b)
      KernelGraph::forEachRead(nodeA, [&, a = a](const Access &readA) {
        if (!graph.tensors[readA.tensor].input)
          return;
        KernelGraph::forEachRead(graph.nodes[b], [&](const Access &readB) {
          if (readA.tensor == readB.tensor)
            join(b, readB, a, readA);
        });
      });
}

void LoopClasses::joinByPosition() {
  auto extents = [&](unsigned node) {
    linalg::LinalgOp op = graph.nodes[node].op;
    return ArrayRef<int64_t>(extentOf).slice(firstLoop[node], op.getNumLoops());
  };
  auto isAlone = [&](unsigned node) {
    for (unsigned i = 0; i != parent.size(); ++i)
      for (unsigned j = 0; j != parent.size(); ++j)
        if (nodeOf[i] == node && nodeOf[j] != node && classOf(i) == classOf(j))
          return false;
    return true;
  };
  for (unsigned a = 1; a < graph.nodes.size(); ++a) {
    if (!isAlone(a) || extents(a) != extents(0))
      continue;
    for (unsigned i = 0, e = extents(a).size(); i != e; ++i)
      if (extents(a)[i] != 1)
        unite(loopId(0, i), loopId(a, i));
  }
}

void LoopClasses::order() {
  // Largest node first; the nodes after it only add what it lacks.
  SmallVector<unsigned> bySize;
  SmallVector<int64_t> volumes;
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    bySize.push_back(index);
    int64_t volume = 1;
    for (unsigned i = 0; i != parent.size(); ++i)
      if (nodeOf[i] == index)
        volume *= extentOf[i];
    volumes.push_back(volume);
  }
  llvm::sort(bySize, [&](unsigned a, unsigned b) {
    return std::pair(volumes[b], a) < std::pair(volumes[a], b);
  });
  auto add = [&](unsigned loop) {
    if (extentOf[loop] != 1 && !llvm::is_contained(ordered, classOf(loop)))
      ordered.push_back(classOf(loop));
  };
  for (unsigned index : bySize) {
    const Node &node = graph.nodes[index];
    ArrayRef<int64_t> strides = node.results.front().strides;
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop != strides.size(); ++loop)
      loops.push_back(loop);
    // Result loops by descending stride, then the reduction loops.
    llvm::sort(loops, [&](unsigned a, unsigned b) {
      return std::pair(strides[b], a) < std::pair(strides[a], b);
    });
    for (unsigned loop : loops)
      add(loopId(index, loop));
  }
}

SmallVector<int64_t> LoopClasses::orderedExtents() const {
  SmallVector<int64_t> extents;
  for (unsigned representative : ordered)
    extents.push_back(extentOf[representative]);
  return extents;
}

SmallVector<int> LoopClasses::dimsOf(unsigned node) const {
  SmallVector<int> dims;
  for (unsigned loop = 0; loop != nodeOf.size(); ++loop) {
    if (nodeOf[loop] != node)
      continue;
    auto found = llvm::find(ordered, classOf(loop));
    dims.push_back(extentOf[loop] == 1 ? -1 : int(found - ordered.begin()));
  }
  return dims;
}

} // namespace mpc::kernels
