//===- HoistDropoutKeys.cpp -------------------------------------*- C++ -*-===//
//
// Dropout ops of different layers differ in their key, which a hash combines with
// the step's seed as seed ^ key. Kernels are equal across layers once the key is
// part of the seed that they are given.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/KernelGroups.h"
#include "passes/lowering/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_HOISTDROPOUTKEYSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

/// Calls `function` with an op that has a seed and a key, as what it is.
template <typename FunctionT>
void visitKeyed(Operation *op, FunctionT function) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tfm::DropoutOp, tfm::AttentionOp, tfm::AttentionGradOp,
            tfm::AttentionDropoutOp>(function);
}

/// seed ^ key.
Value buildSeed(OpBuilder &builder, Location location, Value seed,
                uint32_t key) {
  auto type = cast<RankedTensorType>(seed.getType());
  Value empty = tensor::EmptyOp::create(builder, location, type.getShape(),
                                        type.getElementType());
  AffineMap map = AffineMap::get(builder.getContext());
  return linalg::GenericOp::create(
             builder, location, type, seed, empty, {map, map},
             ArrayRef<utils::IteratorType>{},
             [&](OpBuilder &body, Location location, ValueRange arguments) {
               Value constant = arith::ConstantIntOp::create(
                   body, location, body.getI32Type(), key);
               Value mixed = arith::XOrIOp::create(body, location,
                                                   arguments[0], constant);
               linalg::YieldOp::create(body, location, mixed);
             })
      .getResult(0);
}

using Keys = llvm::SetVector<uint32_t>;

/// A kernel that takes the step's seed and returns one for each key.
func::FuncOp buildKernel(ModuleOp module, Location location, unsigned number,
                         Type seed, const Keys &keys) {
  OpBuilder builder(module.getBodyRegion());
  auto type = builder.getFunctionType(
      seed, SmallVector<Type>(keys.size(), seed));
  auto kernel = func::FuncOp::create(
      builder, location, "dropout_seeds_" + std::to_string(number), type);
  kernel.setPrivate();
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> seeds;
  for (uint32_t key : keys)
    seeds.push_back(buildSeed(builder, location, body->getArgument(0), key));
  func::ReturnOp::create(builder, location, seeds);
  return kernel;
}

struct HoistDropoutKeysPass
    : impl::HoistDropoutKeysPassBase<HoistDropoutKeysPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    kernels.clear();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      hoist(function, module);
  }

private:
  void hoist(func::FuncOp function, ModuleOp module) {
    llvm::MapVector<Value, Keys> keysOf;
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      visitKeyed(op, [&](auto keyed) {
        if (keyed.getKey() == 0 || !isKernelOp(op))
          return;
        ops.push_back(op);
        keysOf[keyed.getSeed()].insert(keyed.getKey());
      });
    });
    llvm::DenseMap<std::pair<Value, uint32_t>, Value> seeds;
    for (auto &[seed, keys] : keysOf) {
      func::FuncOp kernel = getKernel(module, function.getLoc(), seed, keys);
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfterValue(seed);
      auto call = func::CallOp::create(builder, seed.getLoc(), kernel, seed);
      for (auto [key, result] : llvm::zip_equal(keys, call.getResults()))
        seeds[{seed, key}] = result;
    }
    for (Operation *op : ops)
      visitKeyed(op, [&](auto keyed) {
        keyed.getSeedMutable().set(seeds[{keyed.getSeed(), keyed.getKey()}]);
        keyed.setKey(0);
      });
  }

  func::FuncOp getKernel(ModuleOp module, Location location, Value seed,
                         const Keys &keys) {
    func::FuncOp &kernel =
        kernels[std::vector<uint32_t>(keys.begin(), keys.end())];
    if (!kernel)
      kernel = buildKernel(module, location, kernels.size() - 1,
                           seed.getType(), keys);
    return kernel;
  }

  /// By their keys, which the functions of the first and of later microbatches
  /// have in common.
  std::map<std::vector<uint32_t>, func::FuncOp> kernels;
};

} // namespace
} // namespace mpc
