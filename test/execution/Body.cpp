//===- Body.cpp - the scalar code of a linalg.generic -----------*- C++ -*-===//

#include "test/execution/Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace mpc::execution {

enum class Body::Code : uint8_t {
  AddF, SubF, MulF, DivF, MaxF, MinF,
  LessF, LessEqualF, GreaterF, GreaterEqualF, EqualF, NotEqualF,
  NegF, AbsF, Exp, Log, Sqrt, Rsqrt, Tanh, Erf,
  AddI, SubI, MulI, Xor, And, Or, ShrU, Shl,
  LessS, LessEqualS, GreaterS, GreaterEqualS, LessU, GreaterEqualU, EqualI,
  NotEqualI,
  Select, Copy, Narrow, ToSigned, FromSigned, Loop, Extract,
};

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static int64_t signExtend(int64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return int64_t(uint64_t(value) << unused) >> unused;
}

static uint64_t zeroExtend(int64_t value, unsigned width) {
  return width == 64 ? value : uint64_t(value) & ((1ull << width) - 1);
}

Cell toCell(double value, Type type) {
  Cell cell;
  if (isa<FloatType>(type))
    cell.f = value;
  else
    cell.i = int64_t(value);
  return cell;
}

double toDouble(Cell cell, Type type) {
  return isa<FloatType>(type) ? cell.f : double(cell.i);
}

Cell toCell(TypedAttr constant) {
  Cell cell;
  if (auto number = dyn_cast<FloatAttr>(constant))
    cell.f = number.getValueAsDouble();
  else
    cell.i = cast<IntegerAttr>(constant).getValue().getSExtValue();
  return cell;
}

// --------------------------------------------------------------- compiling

unsigned Body::newCell(Value value) {
  numbers[value] = cells.size();
  cells.push_back({});
  return cells.size() - 1;
}

unsigned Body::cellOf(Value value) {
  auto known = numbers.find(value);
  if (known != numbers.end())
    return known->second;
  outsideScalars.push_back({value, newCell(value)});
  return outsideScalars.back().second;
}

LogicalResult Body::add(Operation &op) {
  using namespace arith;
  if (auto yield = dyn_cast<linalg::YieldOp>(op)) {
    for (Value value : yield.getValues())
      yields.push_back(cellOf(value));
    return success();
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    Cell cell = toCell(constant.getValue());
    cells[newCell(constant)] = cell;
    return success();
  }
  Instruction instruction{};
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    instruction.code = Code::Loop;
    instruction.immediate = index.getDim();
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    instruction.code = Code::Extract;
    instruction.immediate = outsideTensors.size();
    instruction.a = isa<FloatType>(extract.getType());
    outsideTensors.push_back(extract.getTensor());
    for (Value index : extract.getIndices())
      instruction.indices.push_back(cellOf(index));
  } else {
    std::optional<Code> code =
        llvm::TypeSwitch<Operation *, std::optional<Code>>(&op)
            .Case([](AddFOp) { return Code::AddF; })
            .Case([](SubFOp) { return Code::SubF; })
            .Case([](MulFOp) { return Code::MulF; })
            .Case([](DivFOp) { return Code::DivF; })
            .Case([](MaximumFOp) { return Code::MaxF; })
            .Case([](MinimumFOp) { return Code::MinF; })
            .Case([](NegFOp) { return Code::NegF; })
            .Case([](math::AbsFOp) { return Code::AbsF; })
            .Case([](math::ExpOp) { return Code::Exp; })
            .Case([](math::LogOp) { return Code::Log; })
            .Case([](math::SqrtOp) { return Code::Sqrt; })
            .Case([](math::RsqrtOp) { return Code::Rsqrt; })
            .Case([](math::TanhOp) { return Code::Tanh; })
            .Case([](math::ErfOp) { return Code::Erf; })
            .Case([](AddIOp) { return Code::AddI; })
            .Case([](SubIOp) { return Code::SubI; })
            .Case([](MulIOp) { return Code::MulI; })
            .Case([](XOrIOp) { return Code::Xor; })
            .Case([](AndIOp) { return Code::And; })
            .Case([](OrIOp) { return Code::Or; })
            .Case([](ShRUIOp) { return Code::ShrU; })
            .Case([](ShLIOp) { return Code::Shl; })
            .Case([](SelectOp) { return Code::Select; })
            .Case<ExtFOp, TruncFOp>([](auto) { return Code::Copy; })
            .Case<IndexCastOp, TruncIOp, ExtSIOp>(
                [](auto) { return Code::Narrow; })
            .Case([](FPToSIOp) { return Code::ToSigned; })
            .Case([](SIToFPOp) { return Code::FromSigned; })
            .Case([](CmpFOp cmp) -> std::optional<Code> {
              switch (cmp.getPredicate()) {
              case CmpFPredicate::OLT:
                return Code::LessF;
              case CmpFPredicate::OLE:
                return Code::LessEqualF;
              case CmpFPredicate::OGT:
                return Code::GreaterF;
              case CmpFPredicate::OGE:
                return Code::GreaterEqualF;
              case CmpFPredicate::OEQ:
                return Code::EqualF;
              case CmpFPredicate::UNE:
                return Code::NotEqualF;
              default:
                return std::nullopt;
              }
            })
            .Case([](CmpIOp cmp) -> std::optional<Code> {
              switch (cmp.getPredicate()) {
              case CmpIPredicate::slt:
                return Code::LessS;
              case CmpIPredicate::sle:
                return Code::LessEqualS;
              case CmpIPredicate::sgt:
                return Code::GreaterS;
              case CmpIPredicate::sge:
                return Code::GreaterEqualS;
              case CmpIPredicate::ult:
                return Code::LessU;
              case CmpIPredicate::uge:
                return Code::GreaterEqualU;
              case CmpIPredicate::eq:
                return Code::EqualI;
              case CmpIPredicate::ne:
                return Code::NotEqualI;
              default:
                return std::nullopt;
              }
            })
            .Default([](Operation *) { return std::nullopt; });
    if (!code)
      return op.emitOpError("is not known to the evaluator");
    instruction.code = *code;
    Type type = op.getResult(0).getType();
    // Comparisons and shifts need the width of what they compare.
    if (isa<CmpIOp>(op))
      type = op.getOperand(0).getType();
    instruction.immediate = widthOf(type);
    unsigned *operands[] = {&instruction.a, &instruction.b, &instruction.c};
    for (auto [number, operand] : llvm::enumerate(op.getOperands()))
      *operands[number] = cellOf(operand);
  }
  instruction.to = newCell(op.getResult(0));
  instructions.push_back(std::move(instruction));
  return success();
}

FailureOr<Body> Body::compile(linalg::GenericOp op) {
  Body body;
  for (BlockArgument argument : op.getBody()->getArguments())
    body.newCell(argument);
  for (Operation &nested : *op.getBody())
    if (failed(body.add(nested)))
      return failure();
  return body;
}

// ----------------------------------------------------------------- running

void Body::bind(const Environment &outside) {
  for (auto [value, cell] : outsideScalars)
    cells[cell] = toCell(outside.at(value).values[0], value.getType());
  tensors.clear();
  for (Value value : outsideTensors)
    tensors.push_back(&outside.at(value));
}

void Body::run(ArrayRef<int64_t> loops) {
  for (const Instruction &in : instructions) {
    Cell &to = cells[in.to];
    const Cell &a = cells[in.a], &b = cells[in.b];
    unsigned width = in.immediate;
    switch (in.code) {
    case Code::AddF: to.f = a.f + b.f; break;
    case Code::SubF: to.f = a.f - b.f; break;
    case Code::MulF: to.f = a.f * b.f; break;
    case Code::DivF: to.f = a.f / b.f; break;
    case Code::MaxF: to.f = a.f > b.f || std::isnan(a.f) ? a.f : b.f; break;
    case Code::MinF: to.f = a.f < b.f || std::isnan(a.f) ? a.f : b.f; break;
    case Code::LessF: to.i = -(a.f < b.f); break;
    case Code::LessEqualF: to.i = -(a.f <= b.f); break;
    case Code::GreaterF: to.i = -(a.f > b.f); break;
    case Code::GreaterEqualF: to.i = -(a.f >= b.f); break;
    case Code::EqualF: to.i = -(a.f == b.f); break;
    case Code::NotEqualF: to.i = -(a.f != b.f); break;
    case Code::NegF: to.f = -a.f; break;
    case Code::AbsF: to.f = std::fabs(a.f); break;
    case Code::Exp: to.f = std::exp(a.f); break;
    case Code::Log: to.f = std::log(a.f); break;
    case Code::Sqrt: to.f = std::sqrt(a.f); break;
    case Code::Rsqrt: to.f = 1 / std::sqrt(a.f); break;
    case Code::Tanh: to.f = std::tanh(a.f); break;
    case Code::Erf: to.f = std::erf(a.f); break;
    case Code::AddI:
      to.i = signExtend(uint64_t(a.i) + uint64_t(b.i), width);
      break;
    case Code::SubI:
      to.i = signExtend(uint64_t(a.i) - uint64_t(b.i), width);
      break;
    case Code::MulI:
      to.i = signExtend(uint64_t(a.i) * uint64_t(b.i), width);
      break;
    case Code::Xor: to.i = a.i ^ b.i; break;
    case Code::And: to.i = a.i & b.i; break;
    case Code::Or: to.i = a.i | b.i; break;
    case Code::ShrU:
      to.i = signExtend(zeroExtend(a.i, width) >> b.i, width);
      break;
    case Code::Shl: to.i = signExtend(uint64_t(a.i) << b.i, width); break;
    case Code::LessS: to.i = -(a.i < b.i); break;
    case Code::LessEqualS: to.i = -(a.i <= b.i); break;
    case Code::GreaterS: to.i = -(a.i > b.i); break;
    case Code::GreaterEqualS: to.i = -(a.i >= b.i); break;
    case Code::LessU:
      to.i = -(zeroExtend(a.i, width) < zeroExtend(b.i, width));
      break;
    case Code::GreaterEqualU:
      to.i = -(zeroExtend(a.i, width) >= zeroExtend(b.i, width));
      break;
    case Code::EqualI: to.i = -(a.i == b.i); break;
    case Code::NotEqualI: to.i = -(a.i != b.i); break;
    case Code::Select: to = a.i ? b : cells[in.c]; break;
    case Code::Copy: to = a; break;
    case Code::Narrow: to.i = signExtend(a.i, width); break;
    case Code::ToSigned: to.i = signExtend(int64_t(a.f), width); break;
    case Code::FromSigned: to.f = double(a.i); break;
    case Code::Loop: to.i = loops[in.immediate]; break;
    case Code::Extract: {
      const Array &tensor = *tensors[in.immediate];
      int64_t place = 0;
      for (auto [size, index] : llvm::zip_equal(tensor.shape, in.indices))
        place = place * size + cells[index].i;
      double value = tensor.values.at(place);
      if (in.a)
        to.f = value;
      else
        to.i = int64_t(value);
      break;
    }
    }
  }
}

} // namespace mpc::execution
