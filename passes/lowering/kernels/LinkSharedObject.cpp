// The linker, in process. It reads and writes files, so it gets a folder.
#include "passes/lowering/kernels/LowerLoops.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace mpc::kernels {

namespace {
/// A folder that is gone when its owner is.
struct ScratchFolder {
  ~ScratchFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  llvm::SmallString<128> path;
};
} // namespace

static bool runLinker(llvm::StringRef input, llvm::StringRef output,
                      std::string &error) {
  // The linker keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string inputPath = input.str(), outputPath = output.str();
  const char *arguments[] = {
      "ld.lld",          "-shared",     "--threads=1", "--hash-style=gnu",
      "--build-id=none", "--strip-all", "-o",          outputPath.c_str(),
      inputPath.c_str()};
  llvm::raw_string_ostream messages(error);
  lld::Result result = lld::lldMain(arguments, messages, messages,
                                    {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0;
}

bool linkSharedObject(llvm::StringRef object, std::string &sharedObject,
                      std::string &error) {
  ScratchFolder folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("kernels", folder.path)) {
    error = "cannot make a temporary folder: " + code.message();
    return false;
  }
  llvm::SmallString<128> input = folder.path, output = folder.path;
  llvm::sys::path::append(input, "kernels.o");
  llvm::sys::path::append(output, "kernels.so");
  std::error_code code;
  llvm::raw_fd_ostream file(input, code);
  if (!code) {
    file << object;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code) {
    error = "cannot write " + input.str().str() + ": " + code.message();
    return false;
  }
  if (!runLinker(input, output, error))
    return false;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> linked =
      llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!linked) {
    error = "cannot read " + output.str().str() + ": " +
            linked.getError().message();
    return false;
  }
  sharedObject = (*linked)->getBuffer().str();
  return true;
}

} // namespace mpc::kernels
