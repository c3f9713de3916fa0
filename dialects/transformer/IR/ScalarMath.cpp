//===- ScalarMath.cpp - arithmetic in the bodies of ops -------------------===//

#include "dialects/transformer/IR/ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace mpc::tfm {

bool Scalar::isFloat() const { return isa<FloatType>(value.getType()); }

Scalar Scalar::like(double constant) const {
  Type type = value.getType();
  TypedAttr attr =
      isFloat() ? TypedAttr(builder->getFloatAttr(type, constant))
                : TypedAttr(builder->getIntegerAttr(
                      type, APInt(type.getIntOrFloatBitWidth(),
                                  static_cast<int64_t>(constant),
                                  /*isSigned=*/true, /*implicitTrunc=*/true)));
  return {builder, arith::ConstantOp::create(*builder, attr)};
}

template <typename OpTy, typename... Args>
static Scalar build(Scalar a, Args... args) {
  return {a.builder, OpTy::create(*a.builder, args...)};
}

template <typename FloatOp, typename IntegerOp>
static Scalar buildEither(Scalar a, Scalar b) {
  return a.isFloat() ? build<FloatOp>(a, a.value, b.value)
                     : build<IntegerOp>(a, a.value, b.value);
}

Scalar operator+(Scalar a, Scalar b) {
  return buildEither<arith::AddFOp, arith::AddIOp>(a, b);
}
Scalar operator-(Scalar a, Scalar b) {
  return buildEither<arith::SubFOp, arith::SubIOp>(a, b);
}
Scalar operator*(Scalar a, Scalar b) {
  return buildEither<arith::MulFOp, arith::MulIOp>(a, b);
}
Scalar operator/(Scalar a, Scalar b) {
  return build<arith::DivFOp>(a, a.value, b.value);
}
Scalar operator^(Scalar a, Scalar b) {
  return build<arith::XOrIOp>(a, a.value, b.value);
}
Scalar operator&(Scalar a, Scalar b) {
  return build<arith::AndIOp>(a, a.value, b.value);
}
Scalar operator>>(Scalar a, unsigned bits) {
  return build<arith::ShRUIOp>(a, a.value, a.like(bits).value);
}

static Scalar compare(Scalar a, Scalar b, arith::CmpFPredicate floats,
                      arith::CmpIPredicate integers) {
  return a.isFloat() ? build<arith::CmpFOp>(a, floats, a.value, b.value)
                     : build<arith::CmpIOp>(a, integers, a.value, b.value);
}

Scalar operator<(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Scalar operator>(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Scalar operator==(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Scalar operator>=(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Scalar isBelowUnsigned(Scalar a, Scalar b) {
  return build<arith::CmpIOp>(a, arith::CmpIPredicate::ult, a.value, b.value);
}
Scalar select(Scalar condition, Scalar yes, Scalar no) {
  return build<arith::SelectOp>(condition, condition.value, yes.value,
                                no.value);
}

Scalar exp(Scalar x) { return build<math::ExpOp>(x, x.value); }
Scalar log(Scalar x) { return build<math::LogOp>(x, x.value); }
Scalar sqrt(Scalar x) { return build<math::SqrtOp>(x, x.value); }
Scalar tanh(Scalar x) { return build<math::TanhOp>(x, x.value); }
Scalar erf(Scalar x) { return build<math::ErfOp>(x, x.value); }
Scalar max(Scalar a, Scalar b) {
  return build<arith::MaximumFOp>(a, a.value, b.value);
}
Scalar min(Scalar a, Scalar b) {
  return build<arith::MinimumFOp>(a, a.value, b.value);
}

Scalar convert(Scalar x, Type type) {
  unsigned from = x.value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  return from < to ? build<arith::ExtFOp>(x, type, x.value)
                   : build<arith::TruncFOp>(x, type, x.value);
}
Scalar toInteger(Scalar x) {
  return build<arith::FPToSIOp>(x, x.builder->getI32Type(), x.value);
}
Scalar toIndex(Scalar x) {
  return build<arith::IndexCastOp>(x, x.builder->getIndexType(), x.value);
}

} // namespace mpc::tfm
