//===- PrintStash.cpp - what forward keeps for backward ---------*- C++ -*-===//

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PRINTSTASHPASS
#include "passes/sharding/Passes.h.inc"

namespace {

/// The innermost name of a location: `h.3.attn.c_proj`.
StringRef getPlace(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (named)
      name = named.getName().getValue();
    return named ? WalkResult::interrupt() : WalkResult::advance();
  });
  return name;
}

/// The layer in a name: `h.3` of `h.3.attn`; the first word of any other.
StringRef getLayer(StringRef name) {
  size_t dot = name.find('.');
  StringRef number = name.drop_front(std::min(dot, name.size())).drop_front(
      dot < name.size() ? 1 : 0);
  number = number.take_front(number.find('.'));
  int64_t layer;
  if (number.getAsInteger(10, layer))
    return name.take_front(dot);
  return name.take_front(dot + 1 + number.size());
}

bool isOfForward(Operation *op) {
  return tfm::getPhase(op) == dist::Phase::Forward &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// `tfm.gelu`; of several results one by its name, `tfm.layer_norm#mean`.
std::string getMaker(OpResult value) {
  Operation *op = value.getOwner();
  std::string maker = op->getName().getStringRef().str();
  if (op->getNumResults() > 1 && isa<ShardingRuleOpInterface>(op))
    maker += "#" + getShardingRule(op).results[value.getResultNumber()].name;
  return maker;
}

/// Whether an op of a later phase reads `value`.
bool isStashed(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return !isOfForward(user) && !user->hasTrait<OpTrait::IsTerminator>();
  });
}

struct PrintStashPass : impl::PrintStashPassBase<PrintStashPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto function =
        getOperation().lookupSymbol<func::FuncOp>(tfm::kForwardBackward);
    if (!function) {
      getOperation().emitError("has no @")
          << tfm::kForwardBackward
          << ", expected a module after mpc-training and before mpc-pipeline";
      return signalPassFailure();
    }
    printLine("from", "op", "type", "bytes");
    llvm::MapVector<StringRef, int64_t> sums;
    int64_t total = 0;
    function.walk([&](Operation *op) {
      if (!isOfForward(op) || isa<dist::IotaOp>(op))
        return;
      for (OpResult value : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type || !isStashed(value))
          continue;
        type = cast<RankedTensorType>(dist::getLocalType(type));
        int64_t bytes = llvm::divideCeil(
            type.getNumElements() * type.getElementTypeBitWidth(), 8);
        StringRef name = getPlace(op->getLoc());
        printLine(name, getMaker(value), spell(type), bytes);
        sums[getLayer(name)] += bytes;
        total += bytes;
      }
    });
    for (auto [layer, bytes] : sums)
      printLine(layer, "sum", "", bytes);
    printLine("all", "sum", "", total);
  }

private:
  /// `2x8x16xf32`.
  static std::string spell(RankedTensorType type) {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (int64_t size : type.getShape())
      os << size << "x";
    os << type.getElementType();
    return text;
  }

  template <typename... Columns> static void printLine(Columns &&...columns) {
    llvm::outs() << llvm::formatv("{0,-24} {1,-24} {2,-20} {3,14}\n",
                                  std::forward<Columns>(columns)...);
  }
};

} // namespace
} // namespace mpc
