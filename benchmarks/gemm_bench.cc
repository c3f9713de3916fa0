// GFLOP/s of the products of GPT-2 124M at 1024 tokens: forward (y = x wᵀ), input
// gradient (dy w) and weight gradient (dyᵀ x), on 1 and 2 threads or on as many
// as the arguments say.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmarks/stopwatch.h"
#include "runtime/device/cpu/gemm.h"
#include "runtime/threads/spin.h"

namespace mpc {
namespace {

struct Shape {
  int64_t tokens, outputs, inputs;
};

constexpr Shape kShapes[] = {{1024, 768, 768},
                             {1024, 3072, 768},
                             {1024, 768, 3072},
                             {1024, 50257, 768}};

/// A product whose operands have the stored sizes that the layer has.
struct Product {
  const char* name;
  int64_t rows, columns, inner;
  bool transpose_left, transpose_right;
};

void Run(const Product& product, int threads) {
  std::vector<float> left(product.rows * product.inner, 0.5f);
  std::vector<float> right(product.inner * product.columns, 0.25f);
  std::vector<float> destination(product.rows * product.columns);
  runtime::GemmArguments a;
  a.rows = product.rows, a.columns = product.columns, a.inner = product.inner;
  a.transpose_left = product.transpose_left;
  a.transpose_right = product.transpose_right;
  a.left = left.data();
  a.left_stride = a.transpose_left ? a.rows : a.inner;
  a.right = right.data();
  a.right_stride = a.transpose_right ? a.inner : a.columns;
  a.destination = destination.data();
  a.destination_stride = a.columns;
  runtime::ThreadPool pool(threads);
  const double flops = 2.0 * a.rows * a.columns * a.inner;
  const benchmarks::Seconds seconds = benchmarks::Measure(
      flops > 1e10 ? 3 : 15, [&] { runtime::Gemm(a, pool); });
  std::printf("%-16s %6ld x %6ld x %6ld  %d threads  %6.1f GFLOP/s (best %.1f)\n",
              product.name, a.rows, a.columns, a.inner, threads,
              flops / seconds.median * 1e-9, flops / seconds.best * 1e-9);
  std::fflush(stdout);
}

}  // namespace
}  // namespace mpc

int main(int argc, char** argv) {
  mpc::runtime::ComputingThread computing;
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::atoi(argv[i]));
  if (threads.empty()) threads = {1, 2};
  for (const auto& [tokens, outputs, inputs] : mpc::kShapes)
    for (int count : threads) {
      mpc::Run({"forward", tokens, outputs, inputs, false, true}, count);
      mpc::Run({"input gradient", tokens, inputs, outputs, false, false}, count);
      mpc::Run({"weight gradient", outputs, inputs, tokens, true, false}, count);
    }
}
