// Which loop of a group of ops is worth vectorising.
#ifndef MPC_PASSES_LOWERING_KERNELS_VECTORDIM_H
#define MPC_PASSES_LOWERING_KERNELS_VECTORDIM_H

#include "passes/lowering/kernels/KernelGraph.h"

namespace mpc::kernels {

/// How the accesses of some nodes walk along one dimension.
struct Walk {
  /// Accesses with stride 1, and with a stride other than 0 and 1.
  int unit = 0;
  int strided = 0;

  bool isClean() const { return unit > 0 && strided == 0; }
  /// Whether vectors along this dimension are cheaper than along `other`.
  bool isBetterThan(const Walk &other) const {
    return strided != other.strided ? strided < other.strided
                                    : unit > other.unit;
  }
};

Walk walkAlong(unsigned dim, const KernelGraph &graph,
               llvm::ArrayRef<unsigned> nodes);

/// Iterations in a vector for nodes that are vectorised along `dim`, of which
/// there are `extent`. 1: do not vectorise.
int64_t vectorWidth(unsigned dim, int64_t extent, const KernelGraph &graph,
                    llvm::ArrayRef<unsigned> nodes);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_VECTORDIM_H
