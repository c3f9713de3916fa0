// Attention and its gradient, compiled from their decompositions and compared
// with plain loops.
#include "passes/lowering/kernels/KernelHarness.h"
#include "passes/lowering/kernels/TestValues.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>

namespace mpc::kernels {
namespace {

// Sizes of the kernels' text below.
constexpr int B = 2, S = 6, T = 7, K = 2, G = 3, D = 5;
constexpr float kScale = 0.5, kRate = 0.25;

std::string attention(const std::string &name, const std::string &settings) {
  return "func.func private @" + name +
         R"((%q: tensor<2x6x2x3x5xf32>, %k: tensor<2x7x2x5xf32>, %v: tensor<2x7x2x5xf32>,
    %qp: tensor<2x6xi32>, %kp: tensor<2x7xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<2x3xi32>)
    -> (tensor<2x6x2x3x5xf32>, tensor<2x6x2x3xf32>) {
  %0:2 = tfm.attention %q, %k, %v, %qp, %kp, %seed, %samples, %heads )" +
         settings + R"(
    : (tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x5xf32>, tensor<2x6xi32>, tensor<2x7xi32>, tensor<i32>, tensor<2xi32>, tensor<2x3xi32>)
    -> (tensor<2x6x2x3x5xf32>, tensor<2x6x2x3xf32>)
  return %0#0, %0#1 : tensor<2x6x2x3x5xf32>, tensor<2x6x2x3xf32>
}
func.func private @)" +
         name +
         R"(_grad(%g: tensor<2x6x2x3x5xf32>, %q: tensor<2x6x2x3x5xf32>, %k: tensor<2x7x2x5xf32>, %v: tensor<2x7x2x5xf32>,
    %out: tensor<2x6x2x3x5xf32>, %lse: tensor<2x6x2x3xf32>,
    %qp: tensor<2x6xi32>, %kp: tensor<2x7xi32>, %seed: tensor<i32>, %samples: tensor<2xi32>, %heads: tensor<2x3xi32>)
    -> (tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x5xf32>) {
  %0:3 = tfm.attention_grad %g, %q, %k, %v, %out, %lse, %qp, %kp, %seed, %samples, %heads )" +
         settings + R"(
    : (tensor<2x6x2x3x5xf32>, tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x5xf32>, tensor<2x6x2x3x5xf32>, tensor<2x6x2x3xf32>,
       tensor<2x6xi32>, tensor<2x7xi32>, tensor<i32>, tensor<2xi32>, tensor<2x3xi32>)
    -> (tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x6x2x3x5xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x5xf32>
})";
}

class Attention : public testing::Test {
protected:
  static const LoadedKernels &kernels() {
    static const LoadedKernels *kernels = new LoadedKernels(
        attention("causal", "{scale = 0.5 : f32, causal = true, rate = 0.0 : "
                            "f32, key = 9 : i32}") +
        "\n" +
        attention("full", "{scale = 0.5 : f32, causal = false, rate = 0.25 : "
                          "f32, key = 9 : i32}") +
        "\n" +
        attention("dropping", "{scale = 0.5 : f32, causal = true, rate = 0.25 "
                              ": f32, key = 9 : i32}"));
    return *kernels;
  }

  // Query 0 of sample 0 comes before all keys; two keys of sample 1 are
  // padding.
  Ints queryPositions = {-1, 2, 3, 4, 5, 6, 1, 2, 3, 9, 5, 6};
  Ints keyPositions = {0, 1, 2, 3, 4, 5, 6, 0, 1, -1, 3, 4, 5, -1};
  Ints samples = {12, 5}, heads = {6, 7, 8, 9, 10, 11};
  int32_t seed = 4;
  Floats q = randomFloats(B * S * K * G * D),
         k = randomFloats(B * T * K * D, 2), v = randomFloats(B * T * K * D, 3),
         outGrad = randomFloats(q.size(), 4);

  struct Forward {
    std::vector<double> out, logsumexp;
  };

  /// Exact but for the rounding of doubles.
  Forward forward(const Floats &q, const Floats &k, const Floats &v,
                  bool causal, float rate) {
    Forward result;
    for (int row = 0; row < B * S * K * G; ++row) {
      int g = row % G, h = row / G % K, s = row / G / K % S,
          b = row / G / K / S;
      std::vector<double> exps(T);
      double sum = 0;
      for (int t = 0; t < T; ++t) {
        double score = 0;
        for (int d = 0; d < D; ++d)
          score += double(q[row * D + d]) * k[((b * T + t) * K + h) * D + d];
        int32_t position = keyPositions[b * T + t];
        bool masked =
            position < 0 || (causal && position > queryPositions[b * S + s]);
        exps[t] = masked ? 0 : std::exp(kScale * score);
        sum += exps[t];
      }
      result.logsumexp.push_back(sum > 0 ? std::log(sum) : -INFINITY);
      for (int d = 0; d < D; ++d) {
        double out = 0;
        for (int t = 0; t < T && sum > 0; ++t) {
          uint32_t hash =
              mix(mix(mix(mix(mix(seed ^ 9u) + samples[b]) + heads[h * G + g]) +
                      queryPositions[b * S + s]) +
                  keyPositions[b * T + t]);
          double keep = dropped(1, hash, rate);
          out += keep * exps[t] / sum * v[((b * T + t) * K + h) * D + d];
        }
        result.out.push_back(out);
      }
    }
    return result;
  }

  void check(const std::string &name, bool causal, float rate) {
    Floats out(q.size()), logsumexp(B * S * K * G);
    std::vector<void *> places = {queryPositions.data(), keyPositions.data(),
                                  &seed, samples.data(), heads.data()};
    std::vector<void *> buffers = {q.data(), k.data(), v.data()};
    buffers.insert(buffers.end(), places.begin(), places.end());
    buffers.insert(buffers.end(), {out.data(), logsumexp.data()});
    kernels().run(name, buffers);
    Forward expected = forward(q, k, v, causal, rate);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(out[i], expected.out[i], 2e-6) << i;
    for (size_t i = 0; i < logsumexp.size(); ++i) {
      if (std::isinf(expected.logsumexp[i]))
        ASSERT_EQ(logsumexp[i], -INFINITY);
      else
        ASSERT_NEAR(logsumexp[i], expected.logsumexp[i], 2e-6);
    }

    Floats qGrad(q.size()), kGrad(k.size()), vGrad(v.size());
    buffers = {outGrad.data(), q.data(),   k.data(),
               v.data(),       out.data(), logsumexp.data()};
    buffers.insert(buffers.end(), places.begin(), places.end());
    buffers.insert(buffers.end(), {qGrad.data(), kGrad.data(), vGrad.data()});
    kernels().run(name + "_grad", buffers);
    auto loss = [&](const Floats &q, const Floats &k, const Floats &v) {
      Forward result = forward(q, k, v, causal, rate);
      double sum = 0;
      for (size_t i = 0; i < outGrad.size(); ++i)
        sum += outGrad[i] * result.out[i];
      return sum;
    };
    // Central differences, with a step that floats hold exactly.
    float step = 1.0f / 256;
    auto checkGrad = [&](Floats &values, const Floats &grads) {
      for (size_t i = 0; i < values.size(); i += 3) {
        float before = values[i];
        float up = before + step, down = before - step;
        values[i] = up;
        double above = loss(q, k, v);
        values[i] = down;
        double below = loss(q, k, v);
        values[i] = before;
        ASSERT_NEAR(grads[i], (above - below) / (double(up) - down), 2e-5) << i;
      }
    };
    checkGrad(q, qGrad);
    checkGrad(k, kGrad);
    checkGrad(v, vGrad);
  }
};

TEST_F(Attention, Causal) { check("causal", true, 0); }
TEST_F(Attention, NotCausalWithDropout) { check("full", false, kRate); }
TEST_F(Attention, CausalWithDropout) { check("dropping", true, kRate); }

TEST_F(Attention, QueriesAndKeysHaveRowsOfTheirOwn) {
  EXPECT_EQ(kernels().info("causal").extent, B * S * K * G);
  EXPECT_EQ(kernels().info("causal_grad").extent, B * S * K * G + B * T * K);
}

} // namespace
} // namespace mpc::kernels
