//===- FormKernels.cpp ------------------------------------------*- C++ -*-===//
//
// Each group of ops becomes a function, and groups of the same structure the same
// function: a model has a dozen kernels, whatever the number of its layers.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/IR/IRMapping.h"
#include "passes/lowering/KernelGroups.h"
#include "passes/lowering/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

/// What a group reads from outside and what is read of it.
struct Interface {
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results;

  explicit Interface(const OpGroup &group) {
    llvm::SmallPtrSet<Operation *, 8> members(group.ops.begin(),
                                              group.ops.end());
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (!members.contains(operand.getDefiningOp()))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !members.contains(user);
            }))
          results.push_back(result);
    }
  }
};

/// Kernel functions by structure.
class KernelTable {
public:
  explicit KernelTable(ModuleOp module) : module(module) {}

  func::FuncOp getOrCreate(const OpGroup &group, const Interface &interface) {
    func::FuncOp kernel = build(group, interface);
    SmallVector<func::FuncOp, 1> &candidates = kernels[hash(kernel)];
    for (func::FuncOp candidate : candidates)
      if (isSame(candidate, kernel)) {
        kernel.erase();
        return candidate;
      }
    kernel.setSymName("kernel_" + std::to_string(count++));
    module.push_back(kernel);
    candidates.push_back(kernel);
    return kernel;
  }

private:
  func::FuncOp build(const OpGroup &group, const Interface &interface) {
    SmallVector<Value> inputs(interface.inputs.begin(), interface.inputs.end());
    OpBuilder builder(module.getContext());
    // Of no place in the model, since it may be of several.
    Location location = builder.getUnknownLoc();
    auto kernel = func::FuncOp::create(
        location, "kernel",
        builder.getFunctionType(ValueRange(inputs).getTypes(),
                                ValueRange(interface.results).getTypes()));
    kernel.setPrivate();
    Block *body = kernel.addEntryBlock();
    IRMapping mapping;
    mapping.map(ValueRange(inputs), body->getArguments());
    builder.setInsertionPointToStart(body);
    for (Operation *op : group.ops)
      builder.clone(*op, mapping)->setLoc(location);
    auto results = llvm::map_to_vector(interface.results, [&](Value result) {
      return mapping.lookup(result);
    });
    func::ReturnOp::create(builder, location, results);
    return kernel;
  }

  static llvm::hash_code hash(func::FuncOp kernel) {
    llvm::hash_code result = hash_value(Type(kernel.getFunctionType()));
    for (Operation &op : kernel.getBody().front())
      result = llvm::hash_combine(
          result, OperationEquivalence::computeHash(
                      &op, OperationEquivalence::ignoreHashValue,
                      OperationEquivalence::ignoreHashValue,
                      OperationEquivalence::IgnoreLocations));
    return result;
  }

  static bool isSame(func::FuncOp a, func::FuncOp b) {
    return a.getFunctionType() == b.getFunctionType() &&
           OperationEquivalence::isRegionEquivalentTo(
               &a.getBody(), &b.getBody(),
               OperationEquivalence::IgnoreLocations);
  }

  ModuleOp module;
  llvm::DenseMap<size_t, SmallVector<func::FuncOp, 1>> kernels;
  unsigned count = 0;
};

/// The places of a group's ops in the model, each once.
Location getLocation(const OpGroup &group, MLIRContext *context) {
  llvm::SetVector<Location> locations;
  for (Operation *op : group.ops)
    locations.insert(op->getLoc());
  return FusedLoc::get(context, locations.getArrayRef());
}

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    tfm::StrategyAttr strategy = tfm::getStrategy(module);
    bool fuse = !strategy || !strategy.getReference();
    KernelTable kernels(module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function.isPrivate())
        outline(function.getBody().front(), fuse, kernels);
  }

  /// Replaces kernel groups by calls, and orders all ops of `block` by group.
  void outline(Block &block, bool fuse, KernelTable &kernels) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    Operation *end = block.getTerminator();
    for (OpGroup &group : formKernelGroups(block, fuse)) {
      if (!group.isKernel) {
        group.ops.front()->moveBefore(end);
        continue;
      }
      Interface interface(group);
      func::FuncOp kernel = kernels.getOrCreate(group, interface);
      OpBuilder builder(end);
      auto call =
          func::CallOp::create(builder, getLocation(group, &getContext()),
                               kernel, interface.inputs.getArrayRef());
      for (auto [value, result] :
           llvm::zip_equal(interface.results, call.getResults()))
        value.replaceAllUsesWith(result);
      for (Operation *op : llvm::reverse(group.ops))
        op->erase();
    }
  }
};

} // namespace
} // namespace mpc
