//===- PartBuilder.cpp - the parts that models are made of ------*- C++ -*-===//

#include "frontends/model/PartBuilder.h"

using namespace mlir;
using namespace mpc::tfm;

namespace mpc {

/// The FNV-1a hash that keys dropout: the same for a part of the model whatever
/// else the model has.
static int32_t hashName(StringRef name) {
  uint32_t hash = 2166136261u;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 16777619u;
  return static_cast<int32_t>(hash);
}

// ---------------------------------------------------------------- arguments

Value PartBuilder::parameter(const std::string &name, ArrayRef<Dim> dims,
                             InitialKind initial, double value, bool decay) {
  SmallVector<DimensionKindAttr> kinds;
  SmallVector<int64_t> shape;
  for (const Dim &dim : dims) {
    kinds.push_back(DimensionKindAttr::get(builder.getContext(), dim.kind));
    shape.push_back(dim.size);
  }
  auto attribute = ParameterAttr::get(
      builder.getContext(), builder.getStringAttr(name), kinds, shape, initial,
      builder.getF64FloatAttr(value), decay);
  argAttrs.insert(argAttrs.begin() + parameterCount,
                  builder.getDictionaryAttr(builder.getNamedAttr(
                      TfmDialect::kParameterAttrName, attribute)));
  return body->insertArgument(parameterCount++, floats(shape), at(name));
}

Value PartBuilder::matrix(const std::string &name, ArrayRef<Dim> dims,
                          double deviation) {
  return parameter(name, dims, InitialKind::Normal, deviation, /*decay=*/true);
}

Value PartBuilder::bias(const std::string &name, ArrayRef<Dim> dims) {
  return parameter(name, dims, InitialKind::Constant, 0, /*decay=*/false);
}

Value PartBuilder::input(StateKind kind, StringRef name,
                         ArrayRef<int64_t> shape) {
  auto binding =
      BindingAttr::get(builder.getContext(), kind, builder.getStringAttr(name));
  argAttrs.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(TfmDialect::kBindingAttrName, binding)));
  return body->addArgument(integers(shape), at(name));
}

// -------------------------------------------------------------------- parts

std::string PartBuilder::inModel(const std::string &part) const {
  for (StringRef head : {names.headDense, names.headNorm, names.head})
    if (part == head)
      return part;
  return (names.model + "." + part).str();
}

Value PartBuilder::iota(const std::string &part, ArrayRef<int64_t> shape,
                        int32_t start) {
  return create<dist::IotaOp>(part, integers(shape), TypeAttr(),
                              builder.getI32IntegerAttr(start));
}

Value PartBuilder::norm(Value x, const std::string &part) {
  if (spec.norm == Norm::None)
    return x;
  const std::string name = inModel(part);
  Value weight = parameter(name + ".weight", {hiddenDim()},
                           InitialKind::Constant, 1, /*decay=*/false);
  Value shift = bias(name + ".bias", {hiddenDim()});
  auto statistic = floats({batch, sequence});
  return create<LayerNormOp>(part, x.getType(), statistic, statistic, x, weight,
                             shift, f32(spec.normEpsilon))
      .getOut();
}

Value PartBuilder::linear(Value x, const std::string &part, ArrayRef<Dim> out,
                          ArrayRef<Dim> in, double deviation,
                          std::optional<std::string> location) {
  const std::string where = location.value_or(part);
  const std::string name = inModel(part);
  SmallVector<Dim> dims(out);
  llvm::append_range(dims, in);
  Value weight = matrix(name + ".weight", dims, deviation);
  SmallVector<int64_t> shape{batch, sequence};
  for (const Dim &dim : out)
    shape.push_back(dim.size);
  Value y = create<LinearOp>(where, floats(shape), x, weight);
  if (!spec.bias)
    return y;
  return create<BiasAddOp>(where, y.getType(), y, bias(name + ".bias", out));
}

Value PartBuilder::activation(Value x, const std::string &part,
                              Activation kind) {
  auto gelu = [&](GeluForm form) {
    return create<GeluOp>(part, x.getType(), x,
                          GeluFormAttr::get(builder.getContext(), form));
  };
  switch (kind) {
  case Activation::GeluTanh:
    return gelu(GeluForm::Tanh);
  case Activation::Gelu:
    return gelu(GeluForm::Erf);
  case Activation::Relu:
    return create<ReluOp>(part, x.getType(), x);
  case Activation::Silu:
    return create<SiluOp>(part, x.getType(), x);
  }
  llvm_unreachable("activation of another version");
}

IntegerAttr PartBuilder::key(const std::string &part) {
  return builder.getI32IntegerAttr(hashName(part));
}

Value PartBuilder::dropout(Value x, const std::string &part, double rate) {
  if (rate == 0)
    return x;
  if (!features)
    features = iota("features", {spec.hidden});
  return create<DropoutOp>(part, x.getType(), x, seed, samples, positions,
                           features, f32(rate), key(part));
}

Value PartBuilder::mark(Value stream, const std::string &part,
                        std::optional<int64_t> reader) {
  return create<ResidualOp>(part, stream.getType(), stream,
                            reader ? builder.getI64IntegerAttr(*reader)
                                   : IntegerAttr());
}

} // namespace mpc
