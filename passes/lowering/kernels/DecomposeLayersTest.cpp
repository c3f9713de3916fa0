// The ops of a layer, compiled from their decompositions and compared with
// plain loops.
#include "passes/lowering/kernels/KernelHarness.h"
#include "passes/lowering/kernels/TestValues.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::kernels {
namespace {

// Sizes of the kernels' text below.
constexpr int B = 2, S = 5, H = 33, V = 40;

const LoadedKernels &kernels() {
  static const LoadedKernels *kernels = new LoadedKernels(R"(
func.func private @embedding(%t: tensor<40x33xf32>, %ids: tensor<2x5xi32>, %rows: tensor<40xi32>) -> tensor<2x5x33xf32> {
  %0 = tfm.embedding %t, %ids, %rows : (tensor<40x33xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<2x5x33xf32>
  return %0 : tensor<2x5x33xf32>
}
func.func private @embedding_grad(%g: tensor<2x5x33xf32>, %ids: tensor<2x5xi32>, %rows: tensor<40xi32>) -> tensor<40x33xf32> {
  %0 = tfm.embedding_grad %g, %ids, %rows : (tensor<2x5x33xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<40x33xf32>
  return %0 : tensor<40x33xf32>
}
func.func private @embedding_accumulate(%a: tensor<40x33xf32>, %g: tensor<2x5x33xf32>, %ids: tensor<2x5xi32>, %rows: tensor<40xi32>) -> tensor<40x33xf32> {
  %0 = tfm.embedding_grad %g, %ids, %rows : (tensor<2x5x33xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<40x33xf32>
  %1 = tfm.accumulate %a, %0 : (tensor<40x33xf32>, tensor<40x33xf32>) -> tensor<40x33xf32>
  return %1 : tensor<40x33xf32>
}
func.func private @embedding_naive(%a: tensor<f32>, %g: tensor<2x5x33xf32>, %ids: tensor<2x5xi32>, %rows: tensor<40xi32>) -> tensor<40x33xf32> {
  %0 = tfm.embedding_grad %g, %ids, %rows : (tensor<2x5x33xf32>, tensor<2x5xi32>, tensor<40xi32>) -> tensor<40x33xf32>
  %1 = tfm.scale %0, %a : (tensor<40x33xf32>, tensor<f32>) -> tensor<40x33xf32>
  return %1 : tensor<40x33xf32>
}
func.func private @dropout(%x: tensor<2x5x33xf32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %positions: tensor<2x5xi32>, %features: tensor<33xi32>) -> tensor<2x5x33xf32> {
  %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.25 : f32, key = -1234567 : i32}
    : (tensor<2x5x33xf32>, tensor<i32>, tensor<2xi32>, tensor<2x5xi32>, tensor<33xi32>) -> tensor<2x5x33xf32>
  return %0 : tensor<2x5x33xf32>
}
func.func private @layer_norm(%x: tensor<2x5x33xf32>, %w: tensor<33xf32>, %b: tensor<33xf32>) -> (tensor<2x5x33xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %0:3 = tfm.layer_norm %x, %w, %b {epsilon = 1.0e-5 : f32}
    : (tensor<2x5x33xf32>, tensor<33xf32>, tensor<33xf32>) -> (tensor<2x5x33xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x5x33xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}
func.func private @layer_norm_grads(%g: tensor<2x5x33xf32>, %x: tensor<2x5x33xf32>, %w: tensor<33xf32>, %mean: tensor<2x5xf32>, %rstd: tensor<2x5xf32>)
    -> (tensor<2x5x33xf32>, tensor<33xf32>, tensor<33xf32>) {
  %0 = tfm.layer_norm_input_grad %g, %x, %w, %mean, %rstd
    : (tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<33xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5x33xf32>
  %1:2 = tfm.layer_norm_param_grad %g, %x, %mean, %rstd
    : (tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<33xf32>, tensor<33xf32>)
  return %0, %1#0, %1#1 : tensor<2x5x33xf32>, tensor<33xf32>, tensor<33xf32>
}
func.func private @linear(%x: tensor<2x5x33xf32>, %w: tensor<4x3x33xf32>) -> tensor<2x5x4x3xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x5x33xf32>, tensor<4x3x33xf32>) -> tensor<2x5x4x3xf32>
  return %0 : tensor<2x5x4x3xf32>
}
func.func private @linear_heads(%x: tensor<2x5x4x3xf32>, %w: tensor<33x4x3xf32>) -> tensor<2x5x33xf32> {
  %0 = tfm.linear %x, %w : (tensor<2x5x4x3xf32>, tensor<33x4x3xf32>) -> tensor<2x5x33xf32>
  return %0 : tensor<2x5x33xf32>
}
func.func private @linear_input_grad(%g: tensor<2x5x4x3xf32>, %w: tensor<4x3x33xf32>) -> tensor<2x5x33xf32> {
  %0 = tfm.linear_input_grad %g, %w : (tensor<2x5x4x3xf32>, tensor<4x3x33xf32>) -> tensor<2x5x33xf32>
  return %0 : tensor<2x5x33xf32>
}
func.func private @linear_weight_grad(%g: tensor<2x5x4x3xf32>, %x: tensor<2x5x33xf32>) -> tensor<4x3x33xf32> {
  %0 = tfm.linear_weight_grad %g, %x : (tensor<2x5x4x3xf32>, tensor<2x5x33xf32>) -> tensor<4x3x33xf32>
  return %0 : tensor<4x3x33xf32>
}
func.func private @bias_add(%x: tensor<2x5x4x3xf32>, %b: tensor<4x3xf32>) -> tensor<2x5x4x3xf32> {
  %0 = tfm.bias_add %x, %b : (tensor<2x5x4x3xf32>, tensor<4x3xf32>) -> tensor<2x5x4x3xf32>
  return %0 : tensor<2x5x4x3xf32>
}
func.func private @bias_grad(%g: tensor<2x5x4x3xf32>) -> tensor<4x3xf32> {
  %0 = tfm.bias_grad %g : (tensor<2x5x4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func private @residual_chain(%x: tensor<2x5x33xf32>, %y: tensor<2x5x33xf32>, %factor: tensor<f32>) -> (tensor<2x5x33xf32>, tensor<2x5x33xf32>) {
  %0 = tfm.scale %x, %factor : (tensor<2x5x33xf32>, tensor<f32>) -> tensor<2x5x33xf32>
  %1 = tfm.residual %0 : (tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %2 = tfm.add %1, %y : (tensor<2x5x33xf32>, tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %3 = tfm.relu %2 : (tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %4 = tfm.relu_grad %y, %2 : (tensor<2x5x33xf32>, tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  return %3, %4 : tensor<2x5x33xf32>, tensor<2x5x33xf32>
}
func.func private @smooth_activations(%x: tensor<2x5x33xf32>, %g: tensor<2x5x33xf32>)
    -> (tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>) {
  %0 = tfm.gelu %x {form = #tfm.gelu_form<tanh>} : (tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %1 = tfm.gelu %x {form = #tfm.gelu_form<erf>} : (tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %2 = tfm.silu %x : (tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %3 = tfm.gelu_grad %g, %x {form = #tfm.gelu_form<tanh>} : (tensor<2x5x33xf32>, tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %4 = tfm.gelu_grad %g, %x {form = #tfm.gelu_form<erf>} : (tensor<2x5x33xf32>, tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %5 = tfm.silu_grad %g, %x : (tensor<2x5x33xf32>, tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>, tensor<2x5x33xf32>
}
)");
  return *kernels;
}

TEST(DecomposeLayers, EmbeddingTakesTheRowsThatItHas) {
  Floats table = randomFloats(V * H), out(B * S * H, -1);
  Ints rows = consecutive(V, 100);
  Ints ids = {100, 139, 99, 140, 120, 100, -1, 0, 139, 101};
  kernels().run("embedding",
                {table.data(), ids.data(), rows.data(), out.data()});
  for (int i = 0; i < B * S * H; ++i) {
    int row = ids[i / H] - 100;
    float expected = row >= 0 && row < V ? table[row * H + i % H] : 0.0f;
    ASSERT_EQ(out[i], expected) << i;
  }
}

TEST(DecomposeLayers, EmbeddingGradientAddsInEveryForm) {
  Floats grad = smallIntegers(B * S * H), expected(V * H), out(V * H, -1);
  Ints rows = consecutive(V, 100);
  Ints ids = {100, 139, 99, 140, 120, 100, -1, 100, 139, 101};
  for (int i = 0; i < B * S * H; ++i) {
    int row = ids[i / H] - 100;
    if (row >= 0 && row < V)
      expected[row * H + i % H] += grad[i];
  }
  std::vector<void *> buffers = {grad.data(), ids.data(), rows.data(),
                                 out.data()};
  kernels().run("embedding_grad", buffers);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(kernels().info("embedding_grad").extent, 3);
  std::fill(out.begin(), out.end(), -1.0f);
  kernels().runSplit("embedding_grad", buffers, 1);
  EXPECT_EQ(out, expected);

  float one = 1;
  std::fill(out.begin(), out.end(), -1.0f);
  kernels().run("embedding_naive",
                {&one, grad.data(), ids.data(), rows.data(), out.data()});
  EXPECT_EQ(out, expected);

  Floats accumulator = smallIntegers(V * H, 2);
  for (int i = 0; i < V * H; ++i)
    expected[i] += accumulator[i];
  kernels().run("embedding_accumulate", {accumulator.data(), grad.data(),
                                         ids.data(), rows.data(), out.data()});
  EXPECT_EQ(out, expected);
  EXPECT_TRUE(kernels().info("embedding_accumulate").canAlias(0, 0));
  kernels().run("embedding_accumulate",
                {accumulator.data(), grad.data(), ids.data(), rows.data(),
                 accumulator.data()});
  EXPECT_EQ(accumulator, expected);
}

TEST(DecomposeLayers, DropoutIsTheAgreedHash) {
  Floats x = randomFloats(B * S * H), out(B * S * H);
  int32_t seed = 77;
  Ints samples = {1000000, 3}, positions = {4, 3, 2, 1, 0, 9, 8, 7, 6, 5};
  Ints features = consecutive(H, 66);
  kernels().run("dropout", {x.data(), &seed, samples.data(), positions.data(),
                            features.data(), out.data()});
  int kept = 0;
  for (int i = 0; i < B * S * H; ++i) {
    uint32_t hash =
        mix(mix(mix(mix(seed ^ uint32_t(-1234567)) + samples[i / H / S]) +
                positions[i / H]) +
            features[i % H]);
    ASSERT_EQ(out[i], dropped(x[i], hash, 0.25f)) << i;
    kept += out[i] != 0;
  }
  EXPECT_NEAR(kept, 0.75 * B * S * H, 30);
}

struct Norm {
  Floats mean = Floats(B * S), rstd = Floats(B * S);
};

Norm norm(const Floats &x) {
  Norm result;
  for (int r = 0; r < B * S; ++r) {
    double sum = 0, squares = 0;
    for (int h = 0; h < H; ++h)
      sum += x[r * H + h];
    result.mean[r] = sum / H;
    for (int h = 0; h < H; ++h)
      squares += std::pow(x[r * H + h] - sum / H, 2);
    result.rstd[r] = 1 / std::sqrt(squares / H + 1e-5);
  }
  return result;
}

TEST(DecomposeLayers, LayerNorm) {
  Floats x = randomFloats(B * S * H), w = randomFloats(H, 2),
         b = randomFloats(H, 3);
  Floats out(B * S * H), mean(B * S), rstd(B * S);
  kernels().run("layer_norm", {x.data(), w.data(), b.data(), out.data(),
                               mean.data(), rstd.data()});
  Norm expected = norm(x);
  for (int i = 0; i < B * S * H; ++i) {
    ASSERT_NEAR(mean[i / H], expected.mean[i / H], 1e-6);
    ASSERT_NEAR(rstd[i / H], expected.rstd[i / H], 1e-6);
    ASSERT_NEAR(out[i],
                (x[i] - mean[i / H]) * rstd[i / H] * w[i % H] + b[i % H], 1e-5);
  }
}

TEST(DecomposeLayers, LayerNormGradientsHaveRowsOfTheirOwn) {
  Floats g = randomFloats(B * S * H), x = randomFloats(B * S * H, 2),
         w = randomFloats(H, 3);
  Norm n = norm(x);
  Floats xGrad(B * S * H), wGrad(H), bGrad(H);
  std::vector<void *> buffers = {g.data(),      x.data(),      w.data(),
                                 n.mean.data(), n.rstd.data(), xGrad.data(),
                                 wGrad.data(),  bGrad.data()};
  kernels().run("layer_norm_grads", buffers);
  // 10 rows and a block of columns that both sums share.
  EXPECT_EQ(kernels().info("layer_norm_grads").extent, 11);
  // The parts read each other's arguments.
  EXPECT_FALSE(kernels().info("layer_norm_grads").canAlias(0, 0));
  Floats ew(H), eb(H);
  for (int r = 0; r < B * S; ++r) {
    double direct = 0, along = 0;
    auto normal = [&](int h) { return (x[r * H + h] - n.mean[r]) * n.rstd[r]; };
    for (int h = 0; h < H; ++h) {
      direct += g[r * H + h] * w[h] / H;
      along += g[r * H + h] * w[h] * normal(h) / H;
      ew[h] += g[r * H + h] * normal(h);
      eb[h] += g[r * H + h];
    }
    for (int h = 0; h < H; ++h)
      ASSERT_NEAR(
          xGrad[r * H + h],
          n.rstd[r] * (g[r * H + h] * w[h] - direct - normal(h) * along), 1e-5);
  }
  for (int h = 0; h < H; ++h) {
    ASSERT_NEAR(wGrad[h], ew[h], 1e-5);
    ASSERT_NEAR(bGrad[h], eb[h], 1e-5);
  }
  Floats before = xGrad, beforeW = wGrad;
  for (int split = 0; split <= 11; ++split) {
    std::fill(xGrad.begin(), xGrad.end(), 0.0f);
    std::fill(wGrad.begin(), wGrad.end(), 0.0f);
    kernels().runSplit("layer_norm_grads", buffers, split);
    ASSERT_EQ(xGrad, before);
    ASSERT_EQ(wGrad, beforeW);
  }
}

TEST(DecomposeLayers, Products) {
  constexpr int O = 12;
  Floats x = smallIntegers(B * S * H), w = smallIntegers(O * H, 2),
         g = smallIntegers(B * S * O, 3);
  Floats y(B * S * O), xGrad(B * S * H), wGrad(O * H);
  kernels().run("linear", {x.data(), w.data(), y.data()});
  kernels().run("linear_input_grad", {g.data(), w.data(), xGrad.data()});
  kernels().run("linear_weight_grad", {g.data(), x.data(), wGrad.data()});
  Floats ey(B * S * O), ex(B * S * H), ew(O * H);
  for (int r = 0; r < B * S; ++r)
    for (int o = 0; o < O; ++o)
      for (int h = 0; h < H; ++h) {
        ey[r * O + o] += x[r * H + h] * w[o * H + h];
        ex[r * H + h] += g[r * O + o] * w[o * H + h];
        ew[o * H + h] += g[r * O + o] * x[r * H + h];
      }
  EXPECT_EQ(y, ey);
  EXPECT_EQ(xGrad, ex);
  EXPECT_EQ(wGrad, ew);

  Floats heads = smallIntegers(B * S * O, 4), wo = smallIntegers(H * O, 5);
  Floats out(B * S * H), eo(B * S * H);
  kernels().run("linear_heads", {heads.data(), wo.data(), out.data()});
  for (int r = 0; r < B * S; ++r)
    for (int h = 0; h < H; ++h)
      for (int o = 0; o < O; ++o)
        eo[r * H + h] += heads[r * O + o] * wo[h * O + o];
  EXPECT_EQ(out, eo);
}

TEST(DecomposeLayers, Biases) {
  constexpr int O = 12;
  Floats x = smallIntegers(B * S * O), bias = smallIntegers(O, 2),
         out(B * S * O), grad(O), expected(O);
  kernels().run("bias_add", {x.data(), bias.data(), out.data()});
  kernels().run("bias_grad", {x.data(), grad.data()});
  for (int i = 0; i < B * S * O; ++i) {
    ASSERT_EQ(out[i], x[i] + bias[i % O]);
    expected[i % O] += x[i];
  }
  EXPECT_EQ(grad, expected);
}

TEST(DecomposeLayers, PointwiseChain) {
  Floats x = smallIntegers(B * S * H), y = smallIntegers(B * S * H, 2),
         a(B * S * H), c(B * S * H);
  float factor = 3;
  kernels().run("residual_chain",
                {x.data(), y.data(), &factor, a.data(), c.data()});
  for (int i = 0; i < B * S * H; ++i) {
    float sum = x[i] * factor + y[i];
    ASSERT_EQ(a[i], std::max(sum, 0.0f));
    ASSERT_EQ(c[i], sum > 0 ? y[i] : 0.0f);
  }
}

TEST(DecomposeLayers, SmoothActivations) {
  Floats x = randomFloats(B * S * H), g = randomFloats(B * S * H, 2);
  for (float &value : x)
    value *= 3;
  x[0] = 0, x[1] = 30, x[2] = -30;
  std::vector<Floats> out(6, Floats(B * S * H));
  kernels().run("smooth_activations",
                {x.data(), g.data(), out[0].data(), out[1].data(),
                 out[2].data(), out[3].data(), out[4].data(), out[5].data()});
  double (*const functions[])(double) = {
      [](double v) {
        return 0.5 * v *
               (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
      },
      [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2))); },
      [](double v) { return v / (1 + std::exp(-v)); }};
  double step = 1e-5;
  for (int f = 0; f < 3; ++f)
    for (int i = 0; i < B * S * H; ++i) {
      double v = x[i], after = functions[f](v + step),
             before = functions[f](v - step);
      ASSERT_NEAR(out[f][i], functions[f](v), 3e-6) << f << " of " << v;
      ASSERT_NEAR(out[3 + f][i], g[i] * (after - before) / (2 * step), 1e-5)
          << f << " of " << v;
    }
}

} // namespace
} // namespace mpc::kernels
