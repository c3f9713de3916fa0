//===- Program.cpp - an interpreted decomposition ---------------*- C++ -*-===//

#include "test/execution/Program.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mpc::execution {

static Type elementTypeOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

// --------------------------------------------------------------- compiling

FailureOr<std::unique_ptr<Program>> Program::compile(Operation *op) {
  auto program = std::make_unique<Program>();
  Block &block = program->block;
  for (Type type : op->getOperandTypes())
    block.addArgument(dist::getLocalType(type), op->getLoc());
  SmallVector<Value> operands(block.getArguments());

  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *local = op->clone(mapping);
  for (OpResult result : local->getResults())
    result.setType(dist::getLocalType(result.getType()));
  for (auto [number, operand] : llvm::enumerate(operands))
    local->setOperand(number, operand); // One value may be used twice.
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block); // Which is in no region.
  program->results =
      cast<DecomposeOpInterface>(local).decompose(builder, operands);
  TypeRange types = local->getResultTypes();
  bool isComplete = TypeRange(ValueRange(program->results)) == types;
  local->destroy();
  if (!isComplete)
    return op->emitOpError("has a decomposition of other types than its own");

  for (Operation &inner : block) {
    if (isa<tensor::EmptyOp, linalg::FillOp, arith::ConstantOp>(inner))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(inner);
    if (!generic)
      return inner.emitOpError("is not known to the evaluator");
    for (AffineMap map : generic.getIndexingMapsArray())
      if (!map.isProjectedPermutation())
        return inner.emitOpError("has a map not known to the evaluator: ")
               << AffineMapAttr::get(map);
    FailureOr<Body> body = Body::compile(generic);
    if (failed(body))
      return failure();
    program->bodies.try_emplace(generic, std::move(*body));
  }
  return program;
}

// ----------------------------------------------------------------- running

SmallVector<Array> Program::run(ArrayRef<const Array *> operands) {
  Environment environment;
  for (auto [argument, array] :
       llvm::zip_equal(block.getArguments(), operands))
    environment[argument] = *array;
  for (Operation &op : block)
    run(op, environment);
  SmallVector<Array> arrays;
  for (Value result : results)
    arrays.push_back(environment.at(result));
  return arrays;
}

void Program::run(Operation &op, Environment &environment) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return runGeneric(generic, environment);
  Value result = op.getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  double fill = 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.getSplatValue<TypedAttr>();
    fill = toDouble(toCell(value), value.getType());
  } else if (auto filled = dyn_cast<linalg::FillOp>(op)) {
    fill = environment.at(filled.getInputs()[0]).values[0];
  }
  environment[result] = Array(shape, fill);
}

/// An operand of a generic: where an iteration finds its element.
struct Access {
  Array *array;
  bool isFloat;
  SmallVector<int64_t> strides; ///< Of each loop.
  int64_t place = 0;
};

static Access getAccess(Array &array, Type elementType, AffineMap map) {
  Access access{&array, isa<FloatType>(elementType),
                SmallVector<int64_t>(map.getNumDims())};
  int64_t stride = 1;
  for (int64_t dim = int64_t(map.getNumResults()) - 1; dim >= 0; --dim) {
    access.strides[map.getDimPosition(dim)] = stride;
    stride *= array.shape[dim];
  }
  return access;
}

void Program::runGeneric(linalg::GenericOp op, Environment &environment) {
  SmallVector<Array> outs;
  for (Value init : op.getOutputs())
    outs.push_back(environment.at(init));
  SmallVector<Access> accesses;
  for (auto [value, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray())) {
    unsigned number = accesses.size(), inputs = op.getInputs().size();
    Array &array =
        number < inputs ? environment.at(value) : outs[number - inputs];
    accesses.push_back(getAccess(array, elementTypeOf(value), map));
  }
  MutableArrayRef<Access> written =
      MutableArrayRef(accesses).take_back(outs.size());

  Body &body = bodies.find(op)->second;
  body.bind(environment);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> loops(sizes.size(), 0);
  int64_t iterations = getElementCount(sizes);
  for (int64_t i = 0; i < iterations; ++i) {
    for (auto [number, access] : llvm::enumerate(accesses)) {
      double value = access.array->values[access.place];
      if (access.isFloat)
        body.argument(number).f = value;
      else
        body.argument(number).i = int64_t(value);
    }
    body.run(loops);
    for (auto [number, access] : llvm::enumerate(written)) {
      Cell cell = body.yielded(number);
      access.array->values[access.place] =
          access.isFloat ? cell.f : double(cell.i);
    }
    for (int64_t loop = sizes.size() - 1; loop >= 0; --loop) {
      bool wraps = ++loops[loop] == sizes[loop];
      for (Access &access : accesses)
        access.place += access.strides[loop] * (wraps ? 1 - sizes[loop] : 1);
      if (!wraps)
        break;
      loops[loop] = 0;
    }
  }
  for (auto [result, out] : llvm::zip_equal(op.getResults(), outs))
    environment[result] = std::move(out);
}

} // namespace mpc::execution
