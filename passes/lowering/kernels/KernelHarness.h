// Compiles kernels from text and calls them, for tests and benchmarks.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELHARNESS_H
#define MPC_PASSES_LOWERING_KERNELS_KERNELHARNESS_H

#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernels/CompileKernels.h"
#include <memory>
#include <string>
#include <vector>

namespace mpc::kernels {

/// A module of kernels, compiled and loaded into this process. Errors are
/// printed and end the process.
class LoadedKernels {
public:
  using Function = void (*)(void *const *, int64_t, int64_t);

  /// `text` is a module; each of its private functions is a kernel. Ops of the
  /// transformer dialect in it are decomposed first.
  explicit LoadedKernels(const std::string &text, Cpu cpu = Cpu::Baseline);
  ~LoadedKernels();

  const KernelInfo &info(const std::string &name) const;
  Function function(const std::string &name) const;
  /// Calls the kernel on all of its rows.
  void run(const std::string &name, const std::vector<void *> &buffers) const;
  /// Calls the kernel on [0, split), then on the others.
  void runSplit(const std::string &name, const std::vector<void *> &buffers,
                int64_t split) const;
  size_t objectSize() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELHARNESS_H
