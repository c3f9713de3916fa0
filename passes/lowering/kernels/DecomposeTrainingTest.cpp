// The ops of the loss and of the optimizer, compiled from their decompositions
// and compared with plain loops.
#include "passes/lowering/kernels/KernelHarness.h"
#include "passes/lowering/kernels/TestValues.h"

#include "llvm/ADT/APFloat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::kernels {
namespace {

// Sizes of the kernels' text below: V columns, numbered from 20 on, the last
// two of which are padding.
constexpr int B = 2, S = 5, V = 40, kFirst = 20, kClasses = 58;

const LoadedKernels &kernels() {
  static const LoadedKernels *kernels = new LoadedKernels(R"(
func.func private @statistics(%x: tensor<2x5x40xf32>, %rows: tensor<40xi32>, %labels: tensor<2x5xi32>)
    -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<f32>, tensor<f32>) {
  %max = tfm.row_max %x, %rows {classes = 58 : i64} : (tensor<2x5x40xf32>, tensor<40xi32>) -> tensor<2x5xf32>
  %sum = tfm.exp_sum %x, %max, %rows {classes = 58 : i64} : (tensor<2x5x40xf32>, tensor<2x5xf32>, tensor<40xi32>) -> tensor<2x5xf32>
  %pick = tfm.pick %x, %labels, %rows : (tensor<2x5x40xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<2x5xf32>
  %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xi32>) -> tensor<2x5xf32>
  %loss = tfm.sum_all %nll : (tensor<2x5xf32>) -> tensor<f32>
  %count = tfm.count_valid %labels : (tensor<2x5xi32>) -> tensor<f32>
  return %max, %sum, %pick, %nll, %loss, %count : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<f32>, tensor<f32>
}
func.func private @gradient(%x: tensor<2x5x40xf32>, %rows: tensor<40xi32>, %labels: tensor<2x5xi32>, %max: tensor<2x5xf32>,
    %sum: tensor<2x5xf32>, %scale: tensor<f32>) -> tensor<2x5x40xf32> {
  %g = tfm.broadcast %scale : (tensor<f32>) -> tensor<2x5xf32>
  %sg, %pg = tfm.nll_grad %g, %sum, %labels : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  %a = tfm.exp_sum_grad %sg, %x, %max, %rows {classes = 58 : i64} : (tensor<2x5xf32>, tensor<2x5x40xf32>, tensor<2x5xf32>, tensor<40xi32>) -> tensor<2x5x40xf32>
  %b = tfm.pick_grad %pg, %labels, %rows : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<2x5x40xf32>
  %c = tfm.add %a, %b : (tensor<2x5x40xf32>, tensor<2x5x40xf32>) -> tensor<2x5x40xf32>
  return %c : tensor<2x5x40xf32>
}
func.func private @scalars(%x: tensor<f32>, %valid: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = tfm.sqrt %x : (tensor<f32>) -> tensor<f32>
  %1 = tfm.reciprocal %x : (tensor<f32>) -> tensor<f32>
  %2 = tfm.clip_factor %x {max_norm = 2.0 : f32} : (tensor<f32>) -> tensor<f32>
  %3 = tfm.clip_factor %x {max_norm = 0.0 : f32} : (tensor<f32>) -> tensor<f32>
  %4 = tfm.count_step %x, %valid : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = tfm.bias_correction %x {beta = 0.9 : f64} : (tensor<f32>) -> tensor<f32>
  %6 = tfm.bias_correction %x {beta = 0.999 : f64} : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
func.func private @loss_scale(%scale: tensor<f32>, %good: tensor<f32>, %norm: tensor<f32>, %valid: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0:2 = tfm.update_loss_scale %scale, %good, %norm {window = 3 : i64} : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1 = tfm.valid_if_finite %valid, %norm : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0#0, %0#1, %1 : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func private @cast(%x: tensor<3x37xf32>) -> (tensor<3x37xbf16>, tensor<3x37xf16>) {
  %0 = tfm.cast %x : (tensor<3x37xf32>) -> tensor<3x37xbf16>
  %1 = tfm.cast %x : (tensor<3x37xf32>) -> tensor<3x37xf16>
  return %0, %1 : tensor<3x37xbf16>, tensor<3x37xf16>
}
func.func private @narrow_sum(%x: tensor<3x700xbf16>) -> tensor<700xf32> {
  %0 = tfm.bias_grad %x : (tensor<3x700xbf16>) -> tensor<700xf32>
  return %0 : tensor<700xf32>
}
func.func private @narrow_add(%x: tensor<3x37xbf16>, %y: tensor<3x37xbf16>) -> tensor<3x37xbf16> {
  %0 = tfm.add %x, %y : (tensor<3x37xbf16>, tensor<3x37xbf16>) -> tensor<3x37xbf16>
  %1 = tfm.add %0, %y : (tensor<3x37xbf16>, tensor<3x37xbf16>) -> tensor<3x37xbf16>
  return %1 : tensor<3x37xbf16>
}
func.func private @sum_squares(%x: tensor<7x11x13xf32>) -> tensor<f32> {
  %0 = tfm.sum_squares %x : (tensor<7x11x13xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @sgd(%p: tensor<7x13xf32>, %g: tensor<7x13xf32>, %clip: tensor<f32>, %rate: tensor<f32>, %valid: tensor<f32>) -> tensor<7x13xf32> {
  %0 = tfm.sgd %p, %g, %clip, %rate, %valid {weight_decay = 0.125 : f32}
    : (tensor<7x13xf32>, tensor<7x13xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}
func.func private @adamw(%p: tensor<7x13xf32>, %m: tensor<7x13xf32>, %v: tensor<7x13xf32>, %g: tensor<7x13xf32>, %clip: tensor<f32>,
    %rate: tensor<f32>, %c1: tensor<f32>, %c2: tensor<f32>, %valid: tensor<f32>) -> (tensor<7x13xf32>, tensor<7x13xf32>, tensor<7x13xf32>) {
  %0:3 = tfm.adamw %p, %m, %v, %g, %clip, %rate, %c1, %c2, %valid
    {beta1 = 0.9 : f32, beta2 = 0.999 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.1 : f32}
    : (tensor<7x13xf32>, tensor<7x13xf32>, tensor<7x13xf32>, tensor<7x13xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    -> (tensor<7x13xf32>, tensor<7x13xf32>, tensor<7x13xf32>)
  return %0#0, %0#1, %0#2 : tensor<7x13xf32>, tensor<7x13xf32>, tensor<7x13xf32>
}
)");
  return *kernels;
}

TEST(DecomposeTraining, CrossEntropyAndItsGradient) {
  Floats x = randomFloats(B * S * V);
  Ints rows = consecutive(V, kFirst);
  // In the table, before it, after it, and none.
  Ints labels = {20, 57, 30, -1, 3, 59, 60, 41, 40, -1};
  // The padding must not matter.
  for (int r = 0; r < B * S; ++r)
    x[r * V + 38] = x[r * V + 39] = 1000;
  Floats max(B * S), sum(B * S), pick(B * S), nll(B * S);
  float loss = -1, count = -1;
  kernels().run("statistics",
                {x.data(), rows.data(), labels.data(), max.data(), sum.data(),
                 pick.data(), nll.data(), &loss, &count});
  double expectedLoss = 0;
  for (int r = 0; r < B * S; ++r) {
    float m = -INFINITY, p = 0;
    double s = 0;
    for (int v = 0; v < V; ++v) {
      if (kFirst + v < kClasses)
        m = std::max(m, x[r * V + v]);
      if (labels[r] == kFirst + v)
        p = x[r * V + v];
    }
    for (int v = 0; kFirst + v < kClasses; ++v)
      s += std::exp(double(x[r * V + v]) - m);
    ASSERT_EQ(max[r], m);
    ASSERT_EQ(pick[r], p);
    ASSERT_NEAR(sum[r], s, 1e-5);
    double expected = labels[r] >= 0 ? std::log(s) + m - p : 0;
    ASSERT_NEAR(nll[r], expected, 1e-5 * std::max(1.0, std::abs(expected)));
    expectedLoss += expected;
  }
  EXPECT_NEAR(loss / expectedLoss, 1, 1e-6);
  EXPECT_EQ(count, 8);

  float scale = 0.5;
  Floats grad(B * S * V);
  kernels().run("gradient", {x.data(), rows.data(), labels.data(), max.data(),
                             sum.data(), &scale, grad.data()});
  for (int i = 0; i < B * S * V; ++i) {
    int r = i / V, column = kFirst + i % V;
    double expected = 0;
    if (labels[r] >= 0 && column < kClasses)
      expected = scale * std::exp(double(x[i]) - max[r]) / sum[r];
    if (labels[r] == column)
      expected -= scale;
    ASSERT_NEAR(grad[i], expected, 1e-6) << i;
  }
  EXPECT_TRUE(kernels().info("gradient").canAlias(0, 0));
}

TEST(DecomposeTraining, Scalars) {
  auto run = [](float x, float valid) {
    Floats out(7);
    kernels().run("scalars", {&x, &valid, &out[0], &out[1], &out[2], &out[3],
                              &out[4], &out[5], &out[6]});
    return out;
  };
  Floats out = run(4, 1);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 0.25);
  EXPECT_FLOAT_EQ(out[2], 2 / (4 + 1e-6));
  EXPECT_EQ(out[3], 1);
  EXPECT_EQ(out[4], 5);
  out = run(0, 0);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(out[5], 0);
  for (double step : {1.0, 2.0, 3.0, 1000.0, 123456.0}) {
    out = run(step, 0);
    EXPECT_EQ(out[4], step);
    EXPECT_FLOAT_EQ(out[5], 1 - std::pow(0.9, step));
    EXPECT_FLOAT_EQ(out[6], 1 - std::pow(0.999, step));
  }
}

TEST(DecomposeTraining, LossScale) {
  auto run = [](float scale, float good, float norm) {
    float valid = 7;
    Floats out(3);
    kernels().run("loss_scale", {&scale, &good, &norm, &valid, &out[0], &out[1],
                                 &out[2]});
    return out;
  };
  float infinity = std::numeric_limits<float>::infinity(), nan = NAN;
  EXPECT_EQ(run(8, 0, 2), (Floats{8, 1, 7}));
  EXPECT_EQ(run(8, 1, 2), (Floats{8, 2, 7}));
  // The third in a row.
  EXPECT_EQ(run(8, 2, 2), (Floats{16, 0, 7}));
  EXPECT_EQ(run(1 << 24, 2, 2), (Floats{1 << 24, 0, 7}));
  for (float norm : {infinity, nan}) {
    EXPECT_EQ(run(8, 2, norm), (Floats{4, 0, 0}));
    EXPECT_EQ(run(1, 2, norm), (Floats{1, 0, 0}));
  }
}

/// The bits of `x` in a narrow type, rounded to nearest even.
uint16_t roundTo(const llvm::fltSemantics &semantics, float x) {
  llvm::APFloat value(x);
  bool losesInfo;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

TEST(DecomposeTraining, CastsRoundToNearestEven) {
  int n = 3 * 37;
  Floats x = randomFloats(n);
  x[0] = 1 + 0x1p-8f, x[1] = 1 + 0x3p-8f, x[2] = NAN, x[3] = 1e9f, x[4] = 1e-9f;
  std::vector<uint16_t> bf16(n), f16(n);
  kernels().run("cast", {x.data(), bf16.data(), f16.data()});
  for (int i = 0; i < n; ++i) {
    if (std::isnan(x[i])) { // Any will do.
      EXPECT_GT(bf16[i] & 0x7fff, 0x7f80);
      EXPECT_GT(f16[i] & 0x7fff, 0x7c00);
      continue;
    }
    EXPECT_EQ(bf16[i], roundTo(llvm::APFloat::BFloat(), x[i])) << x[i];
    EXPECT_EQ(f16[i], roundTo(llvm::APFloat::IEEEhalf(), x[i])) << x[i];
  }
}

TEST(DecomposeTraining, SumsOfNarrowFloatsAreInF32) {
  int n = 700;
  std::vector<uint16_t> x(3 * n, 0x3f80); // 1
  std::fill_n(x.begin(), n, 0x4380);      // 256; 257 is no bf16.
  Floats out(n);
  kernels().run("narrow_sum", {x.data(), out.data()});
  EXPECT_EQ(out, Floats(n, 258));
}

// Fused or not, what an op gives is rounded.
TEST(DecomposeTraining, EveryNarrowResultIsRounded) {
  int n = 3 * 37;
  std::vector<uint16_t> x(n, 0x4380), y(n, 0x3f80), out(n); // 256 and 1
  kernels().run("narrow_add", {x.data(), y.data(), out.data()});
  EXPECT_EQ(out, x);
}

TEST(DecomposeTraining, SumOfSquares) {
  Floats x = smallIntegers(7 * 11 * 13);
  float out = 0, expected = 0;
  for (float value : x)
    expected += value * value;
  kernels().run("sum_squares", {x.data(), &out});
  EXPECT_EQ(out, expected);
}

TEST(DecomposeTraining, Sgd) {
  Floats p = smallIntegers(7 * 13), g = smallIntegers(7 * 13, 2), out(7 * 13);
  float clip = 0.5, rate = 0.25, valid = 3, none = 0;
  kernels().run("sgd", {p.data(), g.data(), &clip, &rate, &valid, out.data()});
  for (int i = 0; i < 7 * 13; ++i)
    ASSERT_EQ(out[i], p[i] - rate * (clip * g[i] + 0.125f * p[i]));
  kernels().run("sgd", {p.data(), g.data(), &clip, &rate, &none, out.data()});
  EXPECT_EQ(out, p);
}

TEST(DecomposeTraining, AdamW) {
  int n = 7 * 13;
  Floats p = randomFloats(n), m = randomFloats(n, 2), v = randomFloats(n, 3),
         g = randomFloats(n, 4);
  for (float &value : v)
    value = std::abs(value);
  float clip = 0.5, rate = 0.01, c1 = 0.1, c2 = 0.001, valid = 3, none = 0;
  Floats p1(n), m1(n), v1(n);
  kernels().run("adamw", {p.data(), m.data(), v.data(), g.data(), &clip, &rate,
                          &c1, &c2, &valid, p1.data(), m1.data(), v1.data()});
  for (int i = 0; i < n; ++i) {
    double grad = clip * g[i];
    double em = 0.9f * m[i] + (1 - 0.9f) * grad,
           ev = 0.999f * v[i] + (1 - 0.999f) * grad * grad;
    double ep = p[i] * (1 - rate * 0.1) -
                rate * (em / c1) / (std::sqrt(ev / c2) + 1e-8);
    ASSERT_NEAR(m1[i], em, 1e-6);
    ASSERT_NEAR(v1[i], ev, 1e-6);
    ASSERT_NEAR(p1[i], ep, 1e-6);
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(kernels().info("adamw").canAlias(i, i));
  kernels().run("adamw", {p.data(), m.data(), v.data(), g.data(), &clip, &rate,
                          &c1, &c2, &none, p1.data(), m1.data(), v1.data()});
  EXPECT_EQ(p1, p);
  EXPECT_EQ(m1, m);
  EXPECT_EQ(v1, v);
}

} // namespace
} // namespace mpc::kernels
