//===- ReshardBits.cpp - what a change of type costs ------------*- C++ -*-===//
//
// Lowers the reshard and looks at what it became, so that the two cannot disagree.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ReshardBits.h"
#include "llvm/ADT/TypeSwitch.h"
#include "passes/partition/LowerReshard.h"

using namespace mlir;

namespace mpc {

/// Of n ranks, each sends n - 1 pieces; `tensor` is n of them.
template <typename OpTy>
static int64_t getRingBits(OpTy op, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t members = op.getMesh().getGroupSize(op.getAxes());
  return type.getNumElements() * type.getElementTypeBitWidth() *
         (members - 1) / members;
}

int64_t getBitsSent(RankedTensorType from, RankedTensorType to) {
  OpBuilder builder(from.getContext());
  Location location = builder.getUnknownLoc();
  Block block;
  builder.setInsertionPointToEnd(&block);
  lowerReshard(builder, location, dist::Phase::Forward,
               block.addArgument(dist::getLocalType(from), location), from, to);
  int64_t bits = 0;
  for (Operation &op : block)
    bits += llvm::TypeSwitch<Operation *, int64_t>(&op)
                .Case([](dist::AllReduceOp op) { // A scatter and a gather.
                  return 2 * getRingBits(op, op.getInput());
                })
                .Case<dist::ReduceScatterOp, dist::AllToAllOp>(
                    [](auto op) { return getRingBits(op, op.getInput()); })
                .Case([](dist::AllGatherOp op) {
                  return getRingBits(op, op.getResult());
                })
                .Case<dist::ShardOp, dist::KeepOnFirstOp>(
                    [](auto) { return 0; });
  return bits;
}

} // namespace mpc
