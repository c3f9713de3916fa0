//===- ScalarMath.h - arithmetic in the bodies of ops ----------*- C++ -*-===//
//
// So that a decomposition reads like the formula that it is.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_DIALECTS_TRANSFORMER_IR_SCALARMATH_H
#define MPC_DIALECTS_TRANSFORMER_IR_SCALARMATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace mpc::tfm {

/// A scalar value and the place where operations on it are built. Floats and
/// integers have the operators of C; integers are unsigned unless said
/// otherwise. Both sides have one type.
struct Scalar {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;

  /// A constant of this scalar's type.
  Scalar like(double constant) const;
  bool isFloat() const;
};

Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);
Scalar operator&(Scalar a, Scalar b);
Scalar operator>>(Scalar a, unsigned bits);
inline Scalar operator+(Scalar a, double b) { return a + a.like(b); }
inline Scalar operator-(Scalar a, double b) { return a - a.like(b); }
inline Scalar operator*(Scalar a, double b) { return a * a.like(b); }
inline Scalar operator/(Scalar a, double b) { return a / a.like(b); }
inline Scalar operator-(double a, Scalar b) { return b.like(a) - b; }
inline Scalar operator*(double a, Scalar b) { return b.like(a) * b; }
inline Scalar operator/(double a, Scalar b) { return b.like(a) / b; }

/// Comparisons give an i1; of integers they are signed.
Scalar operator<(Scalar a, Scalar b);
Scalar operator>(Scalar a, Scalar b);
Scalar operator==(Scalar a, Scalar b);
Scalar operator>=(Scalar a, Scalar b);
inline Scalar operator<(Scalar a, double b) { return a < a.like(b); }
inline Scalar operator>(Scalar a, double b) { return a > a.like(b); }
inline Scalar operator==(Scalar a, double b) { return a == a.like(b); }
inline Scalar operator>=(Scalar a, double b) { return a >= a.like(b); }
Scalar isBelowUnsigned(Scalar a, Scalar b);
Scalar select(Scalar condition, Scalar yes, Scalar no);

Scalar exp(Scalar x);
Scalar log(Scalar x);
Scalar sqrt(Scalar x);
Scalar tanh(Scalar x);
Scalar erf(Scalar x);
/// NaN if one is.
Scalar max(Scalar a, Scalar b);
Scalar min(Scalar a, Scalar b);

/// Of floats to another float type.
Scalar convert(Scalar x, mlir::Type type);
/// Of a float that is a small non-negative integer to an i32.
Scalar toInteger(Scalar x);
/// The i32 as an index.
Scalar toIndex(Scalar x);

} // namespace mpc::tfm

#endif // MPC_DIALECTS_TRANSFORMER_IR_SCALARMATH_H
