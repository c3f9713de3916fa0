// Which loops of different ops of a kernel are the same loop.
#ifndef MPC_PASSES_LOWERING_KERNELS_LOOPCLASSES_H
#define MPC_PASSES_LOWERING_KERNELS_LOOPCLASSES_H

#include "passes/lowering/kernels/KernelGraph.h"

namespace mpc::kernels {

/// Sets of loops that become one dimension of the kernel. No set holds two
/// loops of one node. Loops of one trip belong to none.
///
/// Loops are joined, in order of strength: where one node makes and another
/// reads a tensor, where two nodes read the same tensor, and by position where
/// nodes without a tensor in common have the same extents.
class LoopClasses {
public:
  /// Accesses of `graph` hold strides by loop of their node.
  explicit LoopClasses(const KernelGraph &graph);

  /// Extents of the dimensions, in the order in which the largest node's
  /// results are laid out in memory.
  llvm::SmallVector<int64_t> orderedExtents() const;

  /// The dimension of each loop of node `node`; -1 for loops of one trip.
  llvm::SmallVector<int> dimsOf(unsigned node) const;

private:
  void join(unsigned nodeA, const Access &a, unsigned nodeB, const Access &b);
  void joinProducers();
  void joinReaders();
  void joinByPosition();
  void order();
  bool unite(unsigned loopA, unsigned loopB);
  unsigned classOf(unsigned loop) const;
  unsigned loopId(unsigned node, unsigned loop) const {
    return firstLoop[node] + loop;
  }

  const KernelGraph &graph;
  llvm::SmallVector<unsigned> firstLoop;
  /// Of each loop: its node, extent, and the union-find parent.
  llvm::SmallVector<unsigned> nodeOf;
  llvm::SmallVector<int64_t> extentOf;
  mutable llvm::SmallVector<unsigned> parent;
  /// Class representatives in the order of dimensions.
  llvm::SmallVector<unsigned> ordered;
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_LOOPCLASSES_H
