// Judges loops by the strides of what they access, and chooses vector widths.
// A vector here is wider than a register: its parts are what hides latency.
#include "passes/lowering/kernels/VectorDim.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mpc::kernels {

Walk walkAlong(unsigned dim, const KernelGraph &graph,
               llvm::ArrayRef<unsigned> nodes) {
  Walk walk;
  auto count = [&](const Access &access) {
    int64_t stride = access.strides[dim];
    walk.unit += stride == 1;
    walk.strided += stride != 0 && stride != 1;
  };
  for (unsigned index : nodes) {
    KernelGraph::forEachRead(graph.nodes[index], count);
    llvm::for_each(graph.nodes[index].results, count);
  }
  return walk;
}

int64_t vectorWidth(unsigned dim, int64_t extent, const KernelGraph &graph,
                    llvm::ArrayRef<unsigned> nodes) {
  Walk walk = walkAlong(dim, graph, nodes);
  if (walk.unit == 0)
    return 1;
  int64_t cost = 0, accumulators = 0;
  bool reducesDim = false;
  for (unsigned index : nodes) {
    const Node &node = graph.nodes[index];
    if (node.reduces())
      accumulators += node.results.size();
    reducesDim |= node.kinds[dim] == LoopKind::Reduction;
    node.op->walk([&](Operation *op) {
      cost += isa_and_present<math::MathDialect>(op->getDialect()) ? 8 : 1;
    });
  }
  int64_t width;
  if (walk.strided > 0)
    width = 8;
  else if (accumulators == 0 || cost > 16)
    width = cost > 16 ? 16 : 32;
  else
    // Accumulators of the columns of a block stay in at most 8 registers.
    width = accumulators == 1 && !reducesDim ? 64 : 32;
  return std::min<int64_t>(width, llvm::PowerOf2Ceil(extent));
}

} // namespace mpc::kernels
