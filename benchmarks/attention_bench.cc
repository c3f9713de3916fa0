// GFLOP/s of causal attention and its gradient, 12 heads of 64, on 1 and 2
// threads; what the mask hides does not count as work.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "benchmarks/stopwatch.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/threads/spin.h"

namespace mpc {
namespace {

void Run(int64_t batch, int64_t length, float dropout, int threads) {
  const runtime::AttentionShape shape = {batch, length, length, 12, 1, 64};
  const int64_t elements = batch * length * 12 * 64;
  std::vector<float> query(elements, 0.1f), key(elements, 0.2f);
  std::vector<float> value(elements, 0.3f), output(elements);
  std::vector<float> logsumexp(batch * length * 12);
  std::vector<float> query_grad(elements), key_grad(elements);
  std::vector<float> value_grad(elements);
  std::vector<int32_t> positions(batch * length), samples(batch), heads(12);
  for (int64_t i = 0; i < batch * length; ++i) positions[i] = i % length;
  std::iota(samples.begin(), samples.end(), 0);
  std::iota(heads.begin(), heads.end(), 0);
  int32_t seed = 1;
  void* const workspace =
      std::aligned_alloc(64, runtime::Lanes(shape) *
                                 runtime::LaneElements(shape) * sizeof(float));

  runtime::AttentionGradArguments g;
  runtime::AttentionArguments& a = g.forward;
  a.shape = shape;
  a.scale = 0.125f;
  a.causal = true;
  a.dropout = dropout;
  a.query = query.data(), a.key = key.data(), a.value = value.data();
  a.query_positions = a.key_positions = positions.data();
  a.seed = &seed, a.samples = samples.data(), a.heads = heads.data();
  a.output = output.data(), a.logsumexp = logsumexp.data();
  a.workspace = workspace;
  g.output_grad = value.data();
  g.query_grad = query_grad.data();
  g.key_grad = key_grad.data(), g.value_grad = value_grad.data();

  runtime::ThreadPool pool(threads);
  const double flops = 2.0 * batch * 12 * length * (length + 1) * 64;
  const auto forward =
      benchmarks::Measure(9, [&] { runtime::Attention(a, pool); });
  const auto backward =
      benchmarks::Measure(9, [&] { runtime::AttentionGrad(g, pool); });
  std::printf(
      "%ld x %4ld dropout %.1f  %d threads  forward %6.2f ms %5.1f GFLOP/s  "
      "gradient %6.2f ms %5.1f GFLOP/s\n",
      batch, length, dropout, threads, forward.median * 1e3,
      flops / forward.median * 1e-9, backward.median * 1e3,
      2.5 * flops / backward.median * 1e-9);
  std::free(workspace);
}

}  // namespace
}  // namespace mpc

int main() {
  mpc::runtime::ComputingThread computing;
  for (int threads : {1, 2})
    for (float dropout : {0.0f, 0.1f}) {
      mpc::Run(4, 64, dropout, threads);
      mpc::Run(4, 256, dropout, threads);
      mpc::Run(1, 1024, dropout, threads);
    }
}
