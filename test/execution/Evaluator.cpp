//===- Evaluator.cpp - runs functions of tfm and dist ops -------*- C++ -*-===//

#include "test/execution/Evaluator.h"
#include "dialects/transformer/IR/Transformer.h"
#include "test/execution/Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mpc::execution {

using dist::AxesAttr;
using dist::MeshAttr;
using dist::ShardingAttr;

Evaluator::Evaluator(MeshAttr mesh, Random *random)
    : mesh(mesh), random(random) {}
Evaluator::~Evaluator() = default;

// --------------------------------------------------------------------- ops

FailureOr<SmallVector<RankArrays>>
Evaluator::evaluateDecomposition(Operation *op,
                                 ArrayRef<const RankArrays *> operands) {
  std::vector<const void *> key = {op->getName().getAsOpaquePointer(),
                                   op->getAttrDictionary().getAsOpaquePointer()};
  for (TypeRange types : {TypeRange(op->getOperandTypes()),
                          TypeRange(op->getResultTypes())})
    for (Type type : types)
      key.push_back(dist::getLocalType(type).getAsOpaquePointer());
  std::unique_ptr<Program> &program = programs[key];
  if (!program) {
    FailureOr<std::unique_ptr<Program>> compiled = Program::compile(op);
    if (failed(compiled))
      return failure();
    program = std::move(*compiled);
  }
  SmallVector<RankArrays> results(op->getNumResults());
  for (int64_t rank = 0; rank < mesh.getRankCount(); ++rank) {
    SmallVector<const Array *> local;
    for (const RankArrays *operand : operands)
      local.push_back(&(*operand)[rank]);
    for (auto [result, array] : llvm::zip_equal(results, program->run(local)))
      result.push_back(std::move(array));
  }
  return results;
}

/// `global` remembers the sharded type once partitioning has made types local.
RankArrays Evaluator::evaluateIota(Operation *op) {
  auto iota = cast<dist::IotaOp>(op);
  auto type = cast<RankedTensorType>(iota.getGlobal().value_or(iota.getType()));
  Array numbers(type.getShape());
  for (auto [number, value] : llvm::enumerate(numbers.values))
    value = double(number) + static_cast<int32_t>(iota.getStart());
  ShardingAttr sharding = dist::getSharding(type);
  if (!sharding)
    sharding = ShardingAttr::getReplicated(mesh, type.getRank());
  return distribute(numbers, sharding, nullptr);
}

FailureOr<RankArrays> Evaluator::evaluateReshard(Operation *op,
                                                 const RankArrays &input) {
  auto reshard = cast<dist::ReshardOp>(op);
  std::string why;
  FailureOr<Array> value =
      assemble(input, dist::getSharding(reshard.getInput()), why);
  if (failed(value))
    return op->emitOpError() << why;
  return distribute(*value, dist::getSharding(reshard.getType()), random);
}

RankArrays Evaluator::forGroups(
    Operation *op, const RankArrays &input,
    llvm::function_ref<Array(ArrayRef<const Array *>, int64_t)> combine) {
  // All collectives call their groups so.
  auto axes = op->getAttrOfType<AxesAttr>("axes");
  RankArrays result;
  for (int64_t rank = 0; rank < mesh.getRankCount(); ++rank) {
    SmallVector<const Array *> members;
    for (int64_t member : getGroup(mesh, axes.getNames(), rank))
      members.push_back(&input[member]);
    result.push_back(combine(members, getPlace(mesh, axes.getNames(), rank)));
  }
  return result;
}

/// The members' arrays added, or their maximum, in ascending order of place.
static Array reduce(ArrayRef<const Array *> members,
                    dist::ReductionKind reduction) {
  Array value = *members[0];
  for (const Array *member : members.drop_front())
    if (reduction == dist::ReductionKind::Max)
      value = maximum(value, *member);
    else
      value += *member;
  return value;
}

/// The piece of `whole` along `dim` that belongs to a place of `count`.
static Array getPiece(const Array &whole, int64_t dim, int64_t place,
                      int64_t count) {
  int64_t size = whole.shape[dim] / count;
  return whole.slice(dim, place * size, size);
}

FailureOr<SmallVector<RankArrays>>
Evaluator::evaluate(Operation *op, ArrayRef<const RankArrays *> operands) {
  using Members = ArrayRef<const Array *>;
  if (isa<DecomposeOpInterface>(op))
    return evaluateDecomposition(op, operands);
  if (isa<dist::IotaOp>(op))
    return SmallVector<RankArrays>{evaluateIota(op)};
  if (auto collective = op->getAttrOfType<MeshAttr>("mesh");
      collective && collective != mesh)
    return op->emitOpError("is over another mesh than ") << mesh;
  if (isa<dist::ReshardOp>(op)) {
    FailureOr<RankArrays> result = evaluateReshard(op, *operands[0]);
    if (failed(result))
      return failure();
    return SmallVector<RankArrays>{std::move(*result)};
  }
  if (isa<dist::PinOp>(op))
    return SmallVector<RankArrays>{*operands[0]};

  std::optional<RankArrays> result;
  auto combine = [&](llvm::function_ref<Array(Members, int64_t)> function) {
    result = forGroups(op, *operands[0], function);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](dist::AllReduceOp reduction) {
        combine([&](Members members, int64_t) {
          return reduce(members, reduction.getReduction());
        });
      })
      .Case([&](dist::AllGatherOp gather) {
        combine([&](Members members, int64_t) {
          SmallVector<Array> pieces;
          for (const Array *member : members)
            pieces.push_back(*member);
          return concatenate(pieces, gather.getDimension());
        });
      })
      .Case([&](dist::ReduceScatterOp scatter) {
        combine([&](Members members, int64_t place) {
          return getPiece(reduce(members, dist::ReductionKind::Sum),
                          scatter.getDimension(), place, members.size());
        });
      })
      .Case([&](dist::AllToAllOp move) {
        combine([&](Members members, int64_t place) {
          SmallVector<Array> pieces;
          for (const Array *member : members)
            pieces.push_back(getPiece(*member, move.getSplitDimension(), place,
                                      members.size()));
          return concatenate(pieces, move.getJoinDimension());
        });
      })
      .Case([&](dist::ShardOp shard) {
        combine([&](Members members, int64_t place) {
          return getPiece(*members[place], shard.getDimension(), place,
                          members.size());
        });
      })
      .Case([&](dist::KeepOnFirstOp) {
        combine([&](Members members, int64_t place) {
          return place == 0 ? *members[0] : Array(members[0]->shape);
        });
      });
  if (!result)
    return op->emitOpError("is not known to the evaluator");
  return SmallVector<RankArrays>{std::move(*result)};
}

// --------------------------------------------------------------- functions

FailureOr<SmallVector<RankArrays>>
Evaluator::call(func::FuncOp function, ArrayRef<RankArrays> arguments) {
  DenseMap<Value, RankArrays> values;
  auto getAll = [&](ValueRange of) {
    SmallVector<const RankArrays *> arrays;
    for (Value value : of)
      arrays.push_back(&values.at(value));
    return arrays;
  };
  for (auto [argument, arrays] :
       llvm::zip_equal(function.getArguments(), arguments))
    values[argument] = arrays;
  for (Operation &op : function.getBody().front()) {
    if (isa<func::ReturnOp>(op)) {
      SmallVector<RankArrays> results;
      for (const RankArrays *result : getAll(op.getOperands()))
        results.push_back(*result);
      return results;
    }
    FailureOr<SmallVector<RankArrays>> results =
        evaluate(&op, getAll(op.getOperands()));
    if (failed(results))
      return failure();
    for (auto [result, arrays] : llvm::zip_equal(op.getResults(), *results)) {
      auto type = cast<RankedTensorType>(dist::getLocalType(result.getType()));
      if (ArrayRef<int64_t>(arrays[0].shape) != type.getShape())
        return op.emitOpError("evaluates to another shape than its type's");
      values[result] = std::move(arrays);
    }
  }
  return function.emitOpError("has no return");
}

Evaluator makeGlobalEvaluator(MLIRContext *context) {
  return Evaluator(MeshAttr::get(context, AxesAttr::get(context, {}), {}));
}

FailureOr<SmallVector<Array>> callGlobally(func::FuncOp function,
                                           ArrayRef<Array> arguments) {
  SmallVector<RankArrays> ranks;
  for (const Array &argument : arguments)
    ranks.push_back({argument});
  FailureOr<SmallVector<RankArrays>> results =
      makeGlobalEvaluator(function.getContext()).call(function, ranks);
  if (failed(results))
    return failure();
  SmallVector<Array> arrays;
  for (RankArrays &result : *results)
    arrays.push_back(std::move(result[0]));
  return arrays;
}

} // namespace mpc::execution
