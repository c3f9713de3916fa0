// The parts of unfused attention, compiled from their decompositions and compared
// with plain loops.
#include "passes/lowering/kernels/KernelHarness.h"
#include "passes/lowering/kernels/TestValues.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <algorithm>

namespace mpc::kernels {
namespace {

// Sizes of the kernels' text below.
constexpr int B = 2, S = 6, T = 7, K = 2, G = 3, D = 5;
constexpr float kScale = 0.5, kRate = 0.25;

const char *kText = R"(
func.func private @scores(%q: tensor<2x6x2x3x5xf32>, %k: tensor<2x7x2x5xf32>) -> tensor<2x2x3x6x7xf32> {
  %0 = tfm.attention_scores %q, %k : (tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>) -> tensor<2x2x3x6x7xf32>
  return %0 : tensor<2x2x3x6x7xf32>
}
func.func private @context(%p: tensor<2x2x3x6x7xf32>, %v: tensor<2x7x2x5xf32>) -> tensor<2x6x2x3x5xf32> {
  %0 = tfm.attention_context %p, %v : (tensor<2x2x3x6x7xf32>, tensor<2x7x2x5xf32>) -> tensor<2x6x2x3x5xf32>
  return %0 : tensor<2x6x2x3x5xf32>
}
func.func private @key_grad(%p: tensor<2x2x3x6x7xf32>, %q: tensor<2x6x2x3x5xf32>) -> tensor<2x7x2x5xf32> {
  %0 = tfm.attention_key_grad %p, %q : (tensor<2x2x3x6x7xf32>, tensor<2x6x2x3x5xf32>) -> tensor<2x7x2x5xf32>
  return %0 : tensor<2x7x2x5xf32>
}
func.func private @full(%x: tensor<2x2x3x6x7xf32>, %qp: tensor<2x6xi32>, %kp: tensor<2x7xi32>) -> tensor<2x2x3x6x7xf32> {
  %0 = tfm.masked_softmax %x, %qp, %kp {scale = 0.5 : f32, causal = false}
    : (tensor<2x2x3x6x7xf32>, tensor<2x6xi32>, tensor<2x7xi32>) -> tensor<2x2x3x6x7xf32>
  return %0 : tensor<2x2x3x6x7xf32>
}
func.func private @dropping(%x: tensor<2x2x3x6x7xf32>, %qp: tensor<2x6xi32>, %kp: tensor<2x7xi32>, %seed: tensor<i32>,
    %samples: tensor<2xi32>, %heads: tensor<2x3xi32>) -> (tensor<2x2x3x6x7xf32>, tensor<2x2x3x6x7xf32>) {
  %0 = tfm.masked_softmax %x, %qp, %kp {scale = 0.5 : f32, causal = true}
    : (tensor<2x2x3x6x7xf32>, tensor<2x6xi32>, tensor<2x7xi32>) -> tensor<2x2x3x6x7xf32>
  %1 = tfm.attention_dropout %0, %seed, %samples, %heads, %qp, %kp {rate = 0.25 : f32, key = 9 : i32}
    : (tensor<2x2x3x6x7xf32>, tensor<i32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2x6xi32>, tensor<2x7xi32>)
    -> tensor<2x2x3x6x7xf32>
  return %0, %1 : tensor<2x2x3x6x7xf32>, tensor<2x2x3x6x7xf32>
}
func.func private @dropping_grad(%g: tensor<2x2x3x6x7xf32>, %p: tensor<2x2x3x6x7xf32>, %qp: tensor<2x6xi32>,
    %kp: tensor<2x7xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<2x3xi32>) -> tensor<2x2x3x6x7xf32> {
  %0 = tfm.attention_dropout %g, %seed, %samples, %heads, %qp, %kp {rate = 0.25 : f32, key = 9 : i32}
    : (tensor<2x2x3x6x7xf32>, tensor<i32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2x6xi32>, tensor<2x7xi32>)
    -> tensor<2x2x3x6x7xf32>
  %1 = tfm.masked_softmax_grad %0, %p {scale = 0.5 : f32}
    : (tensor<2x2x3x6x7xf32>, tensor<2x2x3x6x7xf32>) -> tensor<2x2x3x6x7xf32>
  return %1 : tensor<2x2x3x6x7xf32>
})";

/// Where an element of [b, k, g, s, t] is.
struct Place {
  explicit Place(int i)
      : t(i % T), s(i / T % S), g(i / T / S % G), k(i / T / S / G % K),
        b(i / T / S / G / K) {}
  int query(int d) const { return (((b * S + s) * K + k) * G + g) * D + d; }
  int key(int d) const { return ((b * T + t) * K + k) * D + d; }
  int t, s, g, k, b;
};

class UnfusedAttention : public testing::Test {
protected:
  static const LoadedKernels &kernels() {
    static const LoadedKernels *kernels = new LoadedKernels(kText);
    return *kernels;
  }

  // Query 0 of sample 0 comes before all keys.
  Ints queryPositions = {-1, 2, 3, 4, 5, 6, 1, 2, 3, 9, 5, 6};
  Ints keyPositions = {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6};
  Ints samples = {12, 5}, heads = {6, 7, 8, 9, 10, 11};
  int32_t seed = 4;
  const int count = B * K * G * S * T;

  std::vector<double> softmax(const Floats &scores, bool causal) {
    std::vector<double> result(count);
    for (int row = 0; row < count; row += T) {
      double sum = 0;
      for (int i = row; i < row + T; ++i) {
        Place at(i);
        bool masked = causal && keyPositions[at.b * T + at.t] >
                                    queryPositions[at.b * S + at.s];
        result[i] = masked ? 0 : std::exp(double(kScale) * scores[i]);
        sum += result[i];
      }
      for (int i = row; i < row + T && sum > 0; ++i)
        result[i] /= sum;
    }
    return result;
  }

  /// What dropout multiplies element `i` by.
  double factor(int i) {
    Place at(i);
    uint32_t hash = mix(seed ^ 9u);
    for (int place :
         {samples[at.b], heads[at.k * G + at.g],
          queryPositions[at.b * S + at.s], keyPositions[at.b * T + at.t]})
      hash = mix(hash + place);
    return dropped(1, hash, kRate);
  }
};

TEST_F(UnfusedAttention, ProductsAreSumsOverTheirOwnDimension) {
  Floats q = smallIntegers(B * S * K * G * D), k = smallIntegers(B * T * K * D, 2);
  Floats expected(count), context(q.size()), keyGrad(k.size());
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < D; ++d)
      expected[i] += q[Place(i).query(d)] * k[Place(i).key(d)];
  Floats found(count);
  kernels().run("scores", {q.data(), k.data(), found.data()});
  EXPECT_EQ(found, expected);
  Floats weights = smallIntegers(count, 3);
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < D; ++d) {
      context[Place(i).query(d)] += weights[i] * k[Place(i).key(d)];
      keyGrad[Place(i).key(d)] += weights[i] * q[Place(i).query(d)];
    }
  Floats out(q.size());
  kernels().run("context", {weights.data(), k.data(), out.data()});
  EXPECT_EQ(out, context);
  Floats grad(k.size());
  kernels().run("key_grad", {weights.data(), q.data(), grad.data()});
  EXPECT_EQ(grad, keyGrad);
}

TEST_F(UnfusedAttention, WithoutMaskEveryKeyCounts) {
  Floats scores = randomFloats(count), found(count);
  kernels().run("full", {scores.data(), queryPositions.data(),
                         keyPositions.data(), found.data()});
  std::vector<double> expected = softmax(scores, false);
  for (int i = 0; i < count; ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-6) << i;
}

TEST_F(UnfusedAttention, MaskedRowsAreZero) {
  Floats scores = randomFloats(count), found(count), kept(count);
  kernels().run("dropping", {scores.data(), queryPositions.data(),
                             keyPositions.data(), &seed, samples.data(),
                             heads.data(), found.data(), kept.data()});
  std::vector<double> expected = softmax(scores, true);
  for (int i = 0; i < count; ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-6) << i;
    ASSERT_NEAR(kept[i], expected[i] * factor(i), 1e-6) << i;
    if (Place(i).b == 0 && Place(i).s == 0)
      ASSERT_EQ(found[i], 0) << i;
  }
}

TEST_F(UnfusedAttention, GradientAgreesWithDifferences) {
  Floats scores = randomFloats(count), probabilities(count), grads(count);
  Floats outGrad = randomFloats(count, 5);
  std::vector<double> exact = softmax(scores, true);
  std::copy(exact.begin(), exact.end(), probabilities.begin());
  kernels().run("dropping_grad",
                {outGrad.data(), probabilities.data(), queryPositions.data(),
                 keyPositions.data(), &seed, samples.data(), heads.data(),
                 grads.data()});
  auto loss = [&] {
    std::vector<double> p = softmax(scores, true);
    double sum = 0;
    for (int i = 0; i < count; ++i)
      sum += p[i] * factor(i) * outGrad[i];
    return sum;
  };
  // Central differences, with a step that floats hold exactly.
  float step = 1.0f / 256;
  for (int i = 0; i < count; i += 2) {
    float before = scores[i], up = before + step, down = before - step;
    scores[i] = up;
    double above = loss();
    scores[i] = down;
    double below = loss();
    scores[i] = before;
    ASSERT_NEAR(grads[i], (above - below) / (double(up) - down), 1e-5) << i;
    if (Place(i).b == 0 && Place(i).s == 0)
      ASSERT_EQ(grads[i], 0) << i;
  }
}

TEST_F(UnfusedAttention, QueriesAreRows) {
  EXPECT_EQ(kernels().info("dropping").extent, B * K * G * S);
  EXPECT_EQ(kernels().info("dropping_grad").extent, B * K * G * S);
}

} // namespace
} // namespace mpc::kernels
