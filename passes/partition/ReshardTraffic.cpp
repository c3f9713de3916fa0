//===- ReshardTraffic.cpp - what a change of type costs ---------*- C++ -*-===//
//
// Lowers the reshard and looks at what it became, so that the two cannot disagree.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ReshardTraffic.h"
#include "llvm/ADT/TypeSwitch.h"
#include "passes/partition/LowerReshard.h"

using namespace mlir;

namespace mpc {

/// In a ring of n ranks each sends all but one of the n parts of the tensor that is
/// whole, `rounds` times.
template <typename OpTy>
static ReshardPart makePart(OpTy op, StringRef kind, int64_t rounds) {
  auto getBits = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() * tensor.getElementTypeBitWidth();
  };
  int64_t bits =
      std::max(getBits(op.getInput().getType()), getBits(op.getType()));
  int64_t members = op.getMesh().getGroupSize(op.getAxes());
  return {kind, op.getAxes(), rounds * (bits * (members - 1) / members)};
}

SmallVector<ReshardPart> listTraffic(RankedTensorType from,
                                     RankedTensorType to) {
  OpBuilder builder(from.getContext());
  Location location = builder.getUnknownLoc();
  Block block;
  builder.setInsertionPointToEnd(&block);
  lowerReshard(builder, location, dist::Phase::Forward,
               block.addArgument(dist::getLocalType(from), location), from, to);
  return llvm::map_to_vector(block, [](Operation &op) -> ReshardPart {
    return llvm::TypeSwitch<Operation *, ReshardPart>(&op)
        .Case([](dist::AllReduceOp op) { // A scatter and a gather.
          return makePart(op, "all-reduce", 2);
        })
        .Case([](dist::ReduceScatterOp op) {
          return makePart(op, "reduce-scatter", 1);
        })
        .Case([](dist::AllGatherOp op) { return makePart(op, "all-gather", 1); })
        .Case([](dist::AllToAllOp op) { return makePart(op, "all-to-all", 1); })
        .Case<dist::ShardOp, dist::KeepOnFirstOp>(
            [](auto op) { return makePart(op, "local", 0); })
        .DefaultUnreachable("a reshard became something else");
  });
}

int64_t getBitsSent(RankedTensorType from, RankedTensorType to) {
  int64_t bits = 0;
  for (const ReshardPart &part : listTraffic(from, to))
    bits += part.bits;
  return bits;
}

} // namespace mpc
