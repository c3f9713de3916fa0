// Kernels of the shapes that training has, compiled, loaded and compared with
// plain loops.
#include "passes/lowering/kernels/KernelHarness.h"
#include "passes/lowering/kernels/TestValues.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

namespace mpc::kernels {
namespace {

std::string fill(std::string text, int64_t rows, int64_t columns) {
  for (auto [name, value] : {std::pair("$R", rows), std::pair("$C", columns)})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, 2, std::to_string(value));
  return text;
}

const char *kMaps = R"(
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>
)";

class Sizes : public testing::TestWithParam<std::pair<int64_t, int64_t>> {
protected:
  int64_t rows = GetParam().first, columns = GetParam().second;
  std::string kernel(const char *text) {
    return fill(kMaps + std::string(text), rows, columns);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         testing::Values(std::pair(1, 1), std::pair(3, 31),
                                         std::pair(5, 33), std::pair(2, 257),
                                         std::pair(31, 64), std::pair(300, 1),
                                         std::pair(1, 768), std::pair(700, 97),
                                         std::pair(2, 50257)));

const char *kBiasGelu = R"(
func.func private @kernel(%x: tensor<$Rx$Cxf32>, %bias: tensor<$Cxf32>) -> tensor<$Rx$Cxf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.constant 0.7978845608 : f32
  %c = arith.constant 0.044715 : f32
  %e = tensor.empty() : tensor<$Rx$Cxf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<$Rx$Cxf32>, tensor<$Cxf32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32 } -> tensor<$Rx$Cxf32>
  %z = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<$Rx$Cxf32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%p: f32, %o: f32):
      %p2 = arith.mulf %p, %p : f32
      %p3 = arith.mulf %p2, %p : f32
      %t0 = arith.mulf %c, %p3 : f32
      %t1 = arith.addf %p, %t0 : f32
      %t2 = arith.mulf %a, %t1 : f32
      %t3 = math.tanh %t2 : f32
      %t4 = arith.addf %one, %t3 : f32
      %t5 = arith.mulf %half, %p : f32
      %t6 = arith.mulf %t5, %t4 : f32
      linalg.yield %t6 : f32 } -> tensor<$Rx$Cxf32>
  return %z : tensor<$Rx$Cxf32>
})";

TEST_P(Sizes, BiasAndGelu) {
  LoadedKernels kernels(kernel(kBiasGelu));
  Floats x = randomFloats(rows * columns), bias = randomFloats(columns, 2);
  Floats out(rows * columns);
  kernels.run("kernel", {x.data(), bias.data(), out.data()});
  for (int64_t i = 0; i < rows * columns; ++i) {
    double p = double(x[i] + bias[i % columns]);
    double expected =
        0.5 * p * (1 + std::tanh(0.7978845608 * (p + 0.044715 * p * p * p)));
    ASSERT_NEAR(out[i], expected, 2e-6) << i;
  }
  EXPECT_TRUE(kernels.info("kernel").canAlias(0, 0));
  Floats split(rows * columns), inPlace = x;
  kernels.runSplit("kernel", {x.data(), bias.data(), split.data()},
                   kernels.info("kernel").extent / 2);
  EXPECT_EQ(split, out);
  kernels.run("kernel", {inPlace.data(), bias.data(), inPlace.data()});
  EXPECT_EQ(inPlace, out);
}

const char *kLayerNorm = R"(
func.func private @kernel(%x: tensor<$Rx$Cxf32>, %w: tensor<$Cxf32>, %b: tensor<$Cxf32>)
    -> (tensor<$Rx$Cxf32>, tensor<$Rxf32>, tensor<$Rxf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant $C.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<$Rx$Cxf32>
  %r = tensor.empty() : tensor<$Rxf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<$Rxf32>) -> tensor<$Rxf32>
  %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Rx$Cxf32>) outs(%f : tensor<$Rxf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32 } -> tensor<$Rxf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<$Rxf32>) outs(%r : tensor<$Rxf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.divf %p, %count : f32
      linalg.yield %s : f32 } -> tensor<$Rxf32>
  %squares = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<$Rx$Cxf32>, tensor<$Rxf32>) outs(%f : tensor<$Rxf32>) {
    ^bb0(%p: f32, %m: f32, %o: f32):
      %d = arith.subf %p, %m : f32
      %d2 = arith.mulf %d, %d : f32
      %s = arith.addf %o, %d2 : f32
      linalg.yield %s : f32 } -> tensor<$Rxf32>
  %rstd = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%squares : tensor<$Rxf32>) outs(%r : tensor<$Rxf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.divf %p, %count : f32
      %t = arith.addf %s, %eps : f32
      %u = math.rsqrt %t : f32
      linalg.yield %u : f32 } -> tensor<$Rxf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #row, #column, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %rstd, %w, %b : tensor<$Rx$Cxf32>, tensor<$Rxf32>, tensor<$Rxf32>, tensor<$Cxf32>, tensor<$Cxf32>)
      outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%p: f32, %m: f32, %q: f32, %g: f32, %h: f32, %o: f32):
      %d = arith.subf %p, %m : f32
      %n = arith.mulf %d, %q : f32
      %t = arith.mulf %n, %g : f32
      %u = arith.addf %t, %h : f32
      linalg.yield %u : f32 } -> tensor<$Rx$Cxf32>
  return %y, %mean, %rstd : tensor<$Rx$Cxf32>, tensor<$Rxf32>, tensor<$Rxf32>
})";

TEST_P(Sizes, LayerNorm) {
  LoadedKernels kernels(kernel(kLayerNorm));
  Floats x = randomFloats(rows * columns), w = randomFloats(columns, 2),
         b = randomFloats(columns, 3);
  Floats out(rows * columns), mean(rows), rstd(rows);
  std::vector<void *> buffers = {x.data(),   w.data(),    b.data(),
                                 out.data(), mean.data(), rstd.data()};
  kernels.run("kernel", buffers);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c)
      sum += x[r * columns + c];
    double m = sum / columns;
    for (int64_t c = 0; c < columns; ++c)
      squares += (x[r * columns + c] - m) * (x[r * columns + c] - m);
    double s = 1 / std::sqrt(squares / columns + 1e-5);
    ASSERT_NEAR(mean[r], m, 1e-6);
    ASSERT_NEAR(rstd[r] / s, 1, 2e-6);
    if (columns == 1)
      continue; // The difference to the mean is rounding.
    for (int64_t c = 0; c < columns; ++c)
      ASSERT_NEAR(out[r * columns + c],
                  (x[r * columns + c] - m) * s * w[c] + b[c], 1e-5);
  }
  EXPECT_TRUE(kernels.info("kernel").canAlias(0, 0));
  Floats whole = out;
  buffers[3] = x.data();
  kernels.runSplit("kernel", buffers, kernels.info("kernel").extent / 3);
  EXPECT_EQ(x, whole);
}

const char *kSoftmaxStatistics = R"(
func.func private @kernel(%x: tensor<$Rx$Cxf32>) -> (tensor<$Rxf32>, tensor<$Rxf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %r = tensor.empty() : tensor<$Rxf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<$Rxf32>) -> tensor<$Rxf32>
  %l = linalg.fill ins(%low : f32) outs(%r : tensor<$Rxf32>) -> tensor<$Rxf32>
  %max = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Rx$Cxf32>) outs(%l : tensor<$Rxf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.maximumf %o, %p : f32
      linalg.yield %s : f32 } -> tensor<$Rxf32>
  %sum = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<$Rx$Cxf32>, tensor<$Rxf32>) outs(%f : tensor<$Rxf32>) {
    ^bb0(%p: f32, %m: f32, %o: f32):
      %d = arith.subf %p, %m : f32
      %e = math.exp %d : f32
      %s = arith.addf %o, %e : f32
      linalg.yield %s : f32 } -> tensor<$Rxf32>
  return %max, %sum : tensor<$Rxf32>, tensor<$Rxf32>
})";

TEST_P(Sizes, SoftmaxStatistics) {
  LoadedKernels kernels(kernel(kSoftmaxStatistics));
  Floats x = randomFloats(rows * columns);
  if (columns > 3)
    x[2] = -INFINITY;
  Floats max(rows), sum(rows);
  kernels.run("kernel", {x.data(), max.data(), sum.data()});
  for (int64_t r = 0; r < rows; ++r) {
    auto begin = x.begin() + r * columns;
    float m = *std::max_element(begin, begin + columns);
    ASSERT_EQ(max[r], m);
    double expected = 0;
    for (int64_t c = 0; c < columns; ++c)
      expected += std::exp(double(begin[c]) - m);
    ASSERT_NEAR(sum[r] / expected, 1, 3e-7);
  }
}

const char *kBiasGrad = R"(
func.func private @kernel(%x: tensor<$Rx$Cxf32>) -> tensor<$Cxf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<$Cxf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<$Cxf32>) -> tensor<$Cxf32>
  %sum = linalg.generic {indexing_maps = [#full, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<$Rx$Cxf32>) outs(%f : tensor<$Cxf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32 } -> tensor<$Cxf32>
  return %sum : tensor<$Cxf32>
})";

TEST_P(Sizes, BiasGradient) {
  LoadedKernels kernels(kernel(kBiasGrad));
  Floats x = smallIntegers(rows * columns), sum(columns), expected(columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    expected[i % columns] += x[i];
  kernels.run("kernel", {x.data(), sum.data()});
  EXPECT_EQ(sum, expected);
  Floats split(columns);
  kernels.runSplit("kernel", {x.data(), split.data()},
                   kernels.info("kernel").extent / 2);
  EXPECT_EQ(split, expected);
}

const char *kSumSquares = R"(
func.func private @kernel(%x: tensor<$Rx$Cxf32>, %before: tensor<f32>) -> tensor<f32> {
  %sum = linalg.generic {indexing_maps = [#full, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<$Rx$Cxf32>) outs(%before : tensor<f32>) {
    ^bb0(%p: f32, %o: f32):
      %q = arith.mulf %p, %p : f32
      %s = arith.addf %o, %q : f32
      linalg.yield %s : f32 } -> tensor<f32>
  return %sum : tensor<f32>
})";

TEST_P(Sizes, SumOfSquares) {
  LoadedKernels kernels(kernel(kSumSquares));
  Floats x = randomFloats(rows * columns);
  float before = 3, after = 0;
  double expected = before;
  for (float value : x)
    expected += double(value) * value;
  kernels.run("kernel", {x.data(), &before, &after});
  EXPECT_NEAR(after / expected, 1, 2e-7);
  EXPECT_EQ(kernels.info("kernel").extent, 1);
  EXPECT_TRUE(kernels.info("kernel").canAlias(1, 0));
  kernels.run("kernel", {x.data(), &before, &before});
  EXPECT_EQ(before, after);
}

const char *kAdam = R"(
func.func private @kernel(%p: tensor<$Rx$Cxf32>, %m: tensor<$Rx$Cxf32>, %v: tensor<$Rx$Cxf32>,
    %g: tensor<$Rx$Cxf32>, %rate: tensor<f32>) -> (tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>) {
  %b1 = arith.constant 0.875 : f32
  %c1 = arith.constant 0.125 : f32
  %b2 = arith.constant 0.75 : f32
  %c2 = arith.constant 0.25 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<$Rx$Cxf32>
  %r:3 = linalg.generic {indexing_maps = [#full, #full, #full, #full, #none, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%p, %m, %v, %g, %rate : tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<f32>)
      outs(%e, %e, %e : tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %l: f32, %o0: f32, %o1: f32, %o2: f32):
      %m0 = arith.mulf %b1, %b : f32
      %m1 = arith.mulf %c1, %d : f32
      %m2 = arith.addf %m0, %m1 : f32
      %v0 = arith.mulf %b2, %c : f32
      %v1 = arith.mulf %d, %d : f32
      %v2 = arith.mulf %c2, %v1 : f32
      %v3 = arith.addf %v0, %v2 : f32
      %s = math.sqrt %v3 : f32
      %t = arith.addf %s, %one : f32
      %u = arith.divf %m2, %t : f32
      %w = arith.mulf %l, %u : f32
      %q = arith.subf %a, %w : f32
      linalg.yield %q, %m2, %v3 : f32, f32, f32 } -> (tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>)
  return %r#0, %r#1, %r#2 : tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>, tensor<$Rx$Cxf32>
})";

TEST_P(Sizes, AdamInPlace) {
  LoadedKernels kernels(kernel(kAdam));
  size_t n = rows * columns;
  Floats p = randomFloats(n), m = randomFloats(n, 2), v = randomFloats(n, 3),
         g = randomFloats(n, 4);
  for (float &value : v)
    value = std::abs(value);
  float rate = 0.5;
  Floats p1(n), m1(n), v1(n);
  kernels.run("kernel", {p.data(), m.data(), v.data(), g.data(), &rate,
                         p1.data(), m1.data(), v1.data()});
  for (size_t i = 0; i < n; ++i) {
    float em = 0.875f * m[i] + 0.125f * g[i];
    float ev = 0.75f * v[i] + 0.25f * g[i] * g[i];
    ASSERT_NEAR(m1[i], em, 1e-6);
    ASSERT_NEAR(v1[i], ev, 1e-6);
    ASSERT_NEAR(p1[i], p[i] - rate * em / (std::sqrt(ev) + 1), 1e-6);
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(kernels.info("kernel").canAlias(i, i));
  EXPECT_FALSE(kernels.info("kernel").canAlias(4, 0));
  kernels.runSplit("kernel",
                   {p.data(), m.data(), v.data(), g.data(), &rate, p.data(),
                    m.data(), v.data()},
                   kernels.info("kernel").extent / 2);
  EXPECT_EQ(p, p1);
  EXPECT_EQ(m, m1);
  EXPECT_EQ(v, v1);
}

const char *kGather = R"(
func.func private @kernel(%table: tensor<7x$Cxf32>, %ids: tensor<$Rxi32>) -> tensor<$Rx$Cxf32> {
  %e = tensor.empty() : tensor<$Rx$Cxf32>
  %y = linalg.generic {indexing_maps = [#row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<$Rxi32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%id: i32, %o: f32):
      %i = arith.index_cast %id : i32 to index
      %j = linalg.index 1 : index
      %x = tensor.extract %table[%i, %j] : tensor<7x$Cxf32>
      linalg.yield %x : f32 } -> tensor<$Rx$Cxf32>
  return %y : tensor<$Rx$Cxf32>
}
func.func private @columns(%table: tensor<$Rx7xf32>, %ids: tensor<$Cxi32>) -> tensor<$Rx$Cxf32> {
  %e = tensor.empty() : tensor<$Rx$Cxf32>
  %y = linalg.generic {indexing_maps = [#column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<$Cxi32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%id: i32, %o: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %id : i32 to index
      %x = tensor.extract %table[%i, %j] : tensor<$Rx7xf32>
      %k = arith.index_cast %i : index to i32
      %l = linalg.index 1 : index
      %m = arith.index_cast %l : index to i32
      %n = arith.addi %k, %m : i32
      %f = arith.sitofp %n : i32 to f32
      %z = arith.addf %x, %f : f32
      linalg.yield %z : f32 } -> tensor<$Rx$Cxf32>
  return %y : tensor<$Rx$Cxf32>
})";

TEST_P(Sizes, Gathers) {
  LoadedKernels kernels(kernel(kGather));
  Floats table = smallIntegers(7 * std::max(rows, columns));
  Ints ids(std::max(rows, columns));
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = i * 5 % 7;
  Floats out(rows * columns);
  kernels.run("kernel", {table.data(), ids.data(), out.data()});
  for (int64_t i = 0; i < rows * columns; ++i)
    ASSERT_EQ(out[i], table[ids[i / columns] * columns + i % columns]);
  kernels.run("columns", {table.data(), ids.data(), out.data()});
  for (int64_t i = 0; i < rows * columns; ++i)
    ASSERT_EQ(out[i], table[i / columns * 7 + ids[i % columns]] + i / columns +
                          i % columns);
  EXPECT_FALSE(kernels.info("kernel").canAlias(0, 0));
}

} // namespace
} // namespace mpc::kernels
