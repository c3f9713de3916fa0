// Compiles kernels from text and loads the object from memory, as the runtime
// does.
#include "passes/lowering/kernels/KernelHarness.h"

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/lowering/kernels/CustomKernels.h"
#include "llvm/Support/ErrorHandling.h"
#include <dlfcn.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace mpc::kernels {

struct LoadedKernels::State {
  std::map<std::string, KernelInfo> infos;
  size_t objectSize = 0;
  int file = -1;
  void *library = nullptr;
};

static void decompose(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(decomposeKernel(function)))
      llvm::report_fatal_error("an op was not decomposed");
  if (failed(verify(module)))
    llvm::report_fatal_error("a decomposition is not valid");
}

/// The file stays open while the library is loaded: the loader knows libraries
/// by their path, and would take a second file of this number for the first.
static void *load(const std::string &object, int &file) {
  file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0 || write(file, object.data(), object.size()) !=
                      static_cast<ssize_t>(object.size()))
    llvm::report_fatal_error("cannot write the shared object");
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    llvm::report_fatal_error(dlerror());
  return library;
}

LoadedKernels::LoadedKernels(const std::string &text, Cpu cpu)
    : state(std::make_unique<State>()) {
  DialectRegistry registry;
  registerKernelDialects(registry);
  registry.insert<tfm::TfmDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    llvm::report_fatal_error("the kernels do not parse");
  decompose(*module);
  SmallVector<func::FuncOp> kernels;
  for (auto function : module->getOps<func::FuncOp>()) {
    kernels.push_back(function);
    FailureOr<KernelInfo> info = analyzeKernel(function);
    if (failed(info))
      llvm::report_fatal_error("not a kernel");
    state->infos[function.getName().str()] = *info;
  }
  FailureOr<KernelObject> object = compileKernels(kernels, cpu);
  if (failed(object))
    llvm::report_fatal_error("the kernels do not compile");
  state->objectSize = object->object.size();
  state->library = load(object->object, state->file);
}

LoadedKernels::~LoadedKernels() {
  dlclose(state->library);
  close(state->file);
}

const KernelInfo &LoadedKernels::info(const std::string &name) const {
  return state->infos.at(name);
}

LoadedKernels::Function LoadedKernels::function(const std::string &name) const {
  void *symbol = dlsym(state->library, name.c_str());
  if (!symbol)
    llvm::report_fatal_error(dlerror());
  return reinterpret_cast<Function>(symbol);
}

void LoadedKernels::run(const std::string &name,
                        const std::vector<void *> &buffers) const {
  function(name)(buffers.data(), 0, info(name).extent);
}

void LoadedKernels::runSplit(const std::string &name,
                             const std::vector<void *> &buffers,
                             int64_t split) const {
  function(name)(buffers.data(), 0, split);
  function(name)(buffers.data(), split, info(name).extent);
}

size_t LoadedKernels::objectSize() const { return state->objectSize; }

} // namespace mpc::kernels
