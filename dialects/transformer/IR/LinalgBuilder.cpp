//===- LinalgBuilder.cpp - linalg ops from index notation -----------------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace mpc::tfm {

Dims dimsBetween(unsigned first, unsigned last) {
  Dims dims;
  for (unsigned dim = first; dim != last; ++dim)
    dims.push_back(dim);
  return dims;
}

/// Reads "bsh, h -> bsh" into the loops of each operand and, last, the result.
static SmallVector<Dims> parse(StringRef notation) {
  auto [operands, result] = notation.split("->");
  SmallVector<StringRef> tensors;
  if (!operands.trim().empty())
    operands.split(tensors, ',');
  tensors.push_back(result);
  SmallVector<char> letters;
  auto number = [&](char letter) -> unsigned {
    auto found = llvm::find(letters, letter);
    if (found == letters.end()) {
      letters.push_back(letter);
      return letters.size() - 1;
    }
    return found - letters.begin();
  };
  for (char letter : result.trim())
    number(letter);
  SmallVector<Dims> dims;
  for (StringRef tensor : tensors) {
    dims.emplace_back();
    for (char letter : tensor.trim())
      dims.back().push_back(number(letter));
  }
  return dims;
}

static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// What a body computes with.
static Scalar widen(Scalar x) {
  return isNarrow(x.value.getType()) ? convert(x, x.builder->getF32Type()) : x;
}

SmallVector<Value> LinalgBuilder::generic(
    ArrayRef<Dims> dims, ValueRange operands, ValueRange inits,
    llvm::function_ref<SmallVector<Scalar>(ArrayRef<Scalar>, ArrayRef<Scalar>)>
        body) {
  unsigned numLoops = 0;
  for (const Dims &tensor : dims)
    for (unsigned dim : tensor)
      numLoops = std::max(numLoops, dim + 1);
  SmallVector<AffineMap> maps;
  for (const Dims &tensor : dims) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : tensor)
      exprs.push_back(b.getAffineDimExpr(dim));
    maps.push_back(AffineMap::get(numLoops, 0, exprs, b.getContext()));
  }
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  for (unsigned dim : dims.back())
    iterators[dim] = utils::IteratorType::parallel;
  auto op = linalg::GenericOp::create(
      b, inits.getTypes(), operands, inits, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        SmallVector<Scalar> scalars;
        for (Value argument : arguments.drop_back(inits.size()))
          scalars.push_back(widen({&b, argument}));
        for (Value argument : arguments.take_back(inits.size()))
          scalars.push_back({&b, argument});
        ArrayRef<Scalar> all(scalars);
        SmallVector<Value> yielded;
        for (auto [scalar, init] : llvm::zip_equal(
                 body(all.drop_back(inits.size()), all.take_back(inits.size())),
                 inits)) {
          Type type = getElementTypeOrSelf(init.getType());
          yielded.push_back(isa<FloatType>(type) ? convert(scalar, type).value
                                                 : scalar.value);
        }
        linalg::YieldOp::create(b, yielded);
      });
  return SmallVector<Value>(op.getResults());
}

static Value empty(ImplicitLocOpBuilder &b, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor::EmptyOp::create(b, tensor.getShape(), tensor.getElementType());
}

Value LinalgBuilder::map(ArrayRef<Dims> dims, ValueRange operands,
                         Type resultType, Body body) {
  return generic(dims, operands, empty(b, resultType),
                 [&](ArrayRef<Scalar> in, ArrayRef<Scalar>) {
                   return SmallVector<Scalar>{body(in)};
                 })
      .front();
}

SmallVector<Value> LinalgBuilder::mapMany(ArrayRef<Dims> dims,
                                          ValueRange operands,
                                          TypeRange resultTypes,
                                          BodyOfMany body) {
  SmallVector<Value> inits;
  for (Type type : resultTypes)
    inits.push_back(empty(b, type));
  return generic(
      dims, operands, inits,
      [&](ArrayRef<Scalar> in, ArrayRef<Scalar>) { return body(in); });
}

Value LinalgBuilder::reduce(ArrayRef<Dims> dims, ValueRange operands,
                            Type resultType, double start, Join join,
                            Body body) {
  Type element = getElementTypeOrSelf(resultType);
  if (isNarrow(element)) {
    auto tensor = cast<RankedTensorType>(resultType);
    Value wide = reduce(dims, operands, tensor.clone(b.getF32Type()), start,
                        join, body);
    Dims all = dimsBetween(0, dims.back().size());
    return map({all, all}, wide, resultType,
               [](ArrayRef<Scalar> in) { return in[0]; });
  }
  Value first = arith::ConstantOp::create(b, b.getFloatAttr(element, start));
  Value init = linalg::FillOp::create(b, ValueRange{first},
                                      ValueRange{empty(b, resultType)})
                   .getResult(0);
  return generic(dims, operands, init,
                 [&](ArrayRef<Scalar> in, ArrayRef<Scalar> out) {
                   return SmallVector<Scalar>{join(out[0], body(in))};
                 })
      .front();
}

Value LinalgBuilder::sum(ArrayRef<Dims> dims, ValueRange operands,
                         Type resultType, Body body) {
  return reduce(
      dims, operands, resultType, 0.0, [](Scalar a, Scalar x) { return a + x; },
      body);
}

Value LinalgBuilder::map(StringRef notation, ValueRange operands,
                         Type resultType, Body body) {
  return map(parse(notation), operands, resultType, body);
}

Value LinalgBuilder::sum(StringRef notation, ValueRange operands,
                         Type resultType, Body body) {
  return sum(parse(notation), operands, resultType, body);
}

Value LinalgBuilder::largest(StringRef notation, ValueRange operands,
                             Type resultType, Body body) {
  return reduce(parse(notation), operands, resultType,
                -std::numeric_limits<double>::infinity(), max, body);
}

Scalar LinalgBuilder::loopIndex(unsigned loop) {
  return {&b, linalg::IndexOp::create(b, loop)};
}

Scalar LinalgBuilder::index(int64_t value) {
  return {&b, arith::ConstantIndexOp::create(b, value)};
}

Scalar LinalgBuilder::number(double value) {
  return {&b, arith::ConstantOp::create(b, b.getF32FloatAttr(value))};
}

Scalar LinalgBuilder::extract(Value tensor, ArrayRef<Scalar> indices) {
  SmallVector<Value> values;
  for (Scalar index : indices)
    values.push_back(index.value);
  return widen({&b, tensor::ExtractOp::create(b, tensor, values)});
}

} // namespace mpc::tfm
