//===- Layout.h - what each rank holds, by definition -----------*- C++ -*-===//
//
// The meaning of a sharding, written down a second time and as plainly as can be:
// the compiler's own reshards and types are compared with it.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_LAYOUT_H
#define MPC_TEST_EXECUTION_LAYOUT_H

#include "dialects/dist/IR/Dist.h"
#include "test/execution/Array.h"

namespace mpc::execution {

/// The arrays of all ranks of a mesh, in rank order.
using RankArrays = std::vector<Array>;

/// The place of a rank among those that differ from it in `axes` only, numbered
/// by these axes, major to minor.
int64_t getPlace(dist::MeshAttr mesh, llvm::ArrayRef<mlir::StringAttr> axes,
                 int64_t rank);

/// Those ranks, in the order of their places.
llvm::SmallVector<int64_t> getGroup(dist::MeshAttr mesh,
                                    llvm::ArrayRef<mlir::StringAttr> axes,
                                    int64_t rank);

/// What the ranks hold of `global`. A partial sum becomes random addends, a
/// partial maximum random candidates; null `random`: the first rank of a group
/// holds the value, the others the neutral element.
RankArrays distribute(const Array &global, dist::ShardingAttr sharding,
                      Random *random);

/// The value that the ranks hold. Fails, saying why, unless ranks that must hold
/// the same hold the same bits.
mlir::FailureOr<Array> assemble(const RankArrays &ranks,
                                dist::ShardingAttr sharding, std::string &why);

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_LAYOUT_H
