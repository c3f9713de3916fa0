//===- ResizeFactor.cpp - new sizes, carried by the rules -------*- C++ -*-===//

#include "passes/training/ResizeFactor.h"
#include "dialects/dist/IR/Dist.h"

using namespace mlir;

namespace mpc {

void FactorResizer::visit(Place place, int64_t size) {
  auto [it, isNew] = sizes.try_emplace(place, size);
  assert(it->second == size && "a dimension was given two sizes");
  if (isNew)
    pending.push_back(place);
}

/// Gives the size to all dimensions of `op` that are the same factor as `from`,
/// which is a dimension of one of its operands or results.
LogicalResult FactorResizer::follow(Operation *op, Place from, int64_t size) {
  if (isa<func::ReturnOp>(op))
    return success(); // `apply` writes the function's type.
  if (!isa<ShardingRuleOpInterface>(op))
    return op->emitOpError("has no sharding rule, and dimension ")
           << from.second << " of " << from.first.getType()
           << " is to have size " << size;
  if (isa<dist::IotaOp>(op) && from.second != 0)
    return op->emitOpError("numbers elements in row-major order, dimension ")
           << from.second << " cannot become " << size
           << " without renumbering them";

  const ShardingRule &rule = getShardingRule(op);
  SmallVector<std::pair<Value, const ShardingRule::Tensor *>> tensors;
  for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
    tensors.push_back({value, &tensor});
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), rule.results))
    tensors.push_back({value, &tensor});

  llvm::SmallBitVector same(rule.factors.size());
  for (auto [value, tensor] : tensors)
    if (value == from.first)
      same.set(tensor->dims[from.second]);
  for (auto [value, tensor] : tensors)
    for (auto [dim, factor] : llvm::enumerate(tensor->dims))
      if (same.test(factor))
        visit({value, dim}, size);
  return success();
}

LogicalResult FactorResizer::resize(Value value, int64_t dim, int64_t size,
                                    ArgumentCheck check) {
  if (cast<RankedTensorType>(value.getType()).getDimSize(dim) == size)
    return success();
  visit({value, dim}, size);
  while (!pending.empty()) {
    Place place = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(place.first)) {
      if (failed(check(argument, place.second)))
        return failure();
    } else if (failed(follow(place.first.getDefiningOp(), place, size))) {
      return failure();
    }
    for (Operation *user : place.first.getUsers())
      if (failed(follow(user, place, size)))
        return failure();
  }
  return success();
}

void FactorResizer::apply() {
  for (auto [place, size] : sizes) {
    auto type = cast<RankedTensorType>(place.first.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[place.second] = size;
    place.first.setType(type.clone(shape));
  }
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

} // namespace mpc
