//===- PrintCommunication.cpp - what a strategy costs -----------*- C++ -*-===//
//
// Counts the collectives that partitioning will build by building them, in a
// block of no function: there is no second opinion on what a reshard takes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/LowerReshard.h"
#include "passes/sharding/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PRINTCOMMUNICATIONPASS
#include "passes/sharding/Passes.h.inc"

namespace {

int64_t getBytes(RankedTensorType type) {
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(),
                          8);
}

/// The lines of a function, in the order in which it first communicates so.
class Traffic {
public:
  void add(dist::ReshardOp reshard) {
    RankedTensorType from = reshard.getInput().getType();
    Block block;
    Value piece = block.addArgument(dist::getLocalType(from), reshard.getLoc());
    OpBuilder builder(reshard.getContext());
    builder.setInsertionPointToStart(&block);
    lowerReshard(builder, reshard.getLoc(), reshard.getPhase(), piece, from,
                 reshard.getType());
    for (Operation &op : block)
      addCollective(&op);
  }

  void print(StringRef function) const {
    for (const auto &[communication, total] : totals) {
      auto [kind, axes] = communication;
      std::string names = llvm::join(
          llvm::map_range(axes, [](StringAttr name) { return name.str(); }),
          ",");
      printLine(function, kind, names, total.reshards, total.bytes);
    }
  }

  template <typename... Columns> static void printLine(Columns &&...columns) {
    llvm::outs() << llvm::formatv("{0,-18} {1,-16} {2,-8} {3,8} {4,14}\n",
                                  std::forward<Columns>(columns)...);
  }

private:
  struct Total {
    int64_t reshards = 0, bytes = 0;
  };

  /// A ring takes `rounds` times all but one of the n parts of a value.
  template <typename OpTy> void count(OpTy op, StringRef kind, int64_t rounds) {
    int64_t ranks = op.getMesh().getGroupSize(op.getAxes());
    int64_t size =
        std::max(getBytes(op.getInput().getType()), getBytes(op.getType()));
    Total &total = totals[{kind, op.getAxes()}];
    ++total.reshards;
    total.bytes += llvm::divideCeil(rounds * (ranks - 1) * size, ranks);
  }

  void addCollective(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](dist::AllReduceOp op) { count(op, "all-reduce", 2); })
        .Case([&](dist::ReduceScatterOp op) { count(op, "reduce-scatter", 1); })
        .Case([&](dist::AllGatherOp op) { count(op, "all-gather", 1); })
        .Case([&](dist::AllToAllOp op) { count(op, "all-to-all", 1); })
        .Case<dist::ShardOp, dist::KeepOnFirstOp>(
            [&](auto op) { count(op, "local", 0); })
        .DefaultUnreachable("a reshard became something else");
  }

  llvm::MapVector<std::pair<StringRef, dist::AxesAttr>, Total> totals;
};

struct PrintCommunicationPass
    : impl::PrintCommunicationPassBase<PrintCommunicationPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto functions = getOperation().getOps<func::FuncOp>();
    for (func::FuncOp function : functions)
      if (!isSharded(function)) {
        function.emitOpError("has types without sharding, expected a module "
                             "after mpc-sharding and before mpc-partitioning");
        return signalPassFailure();
      }
    Traffic::printLine("function", "kind", "axes", "reshards", "bytes");
    for (func::FuncOp function : functions) {
      Traffic traffic;
      function.walk([&](dist::ReshardOp op) { traffic.add(op); });
      traffic.print(function.getName());
    }
  }

private:
  static bool isSharded(func::FuncOp function) {
    auto isSharded = [](Type type) { return !!dist::getSharding(type); };
    WalkResult walked = function.walk([&](Operation *op) {
      return WalkResult(success(llvm::all_of(op->getResultTypes(), isSharded)));
    });
    return llvm::all_of(function.getArgumentTypes(), isSharded) &&
           !walked.wasInterrupted();
  }
};

} // namespace
} // namespace mpc
