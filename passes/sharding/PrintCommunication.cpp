//===- PrintCommunication.cpp - what a strategy costs -----------*- C++ -*-===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/ReshardTraffic.h"
#include "passes/sharding/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PRINTCOMMUNICATIONPASS
#include "passes/sharding/Passes.h.inc"

namespace {

/// The lines of a function, in the order in which it first communicates so.
class Traffic {
public:
  void add(dist::ReshardOp reshard) {
    for (const ReshardPart &part :
         listTraffic(reshard.getInput().getType(), reshard.getType())) {
      Total &total = totals[{part.kind, part.axes}];
      ++total.reshards;
      total.bytes += llvm::divideCeil(part.bits, 8);
    }
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
