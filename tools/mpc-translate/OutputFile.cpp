//===- OutputFile.cpp - files that are whole or absent ----------*- C++ -*-===//

#include "tools/mpc-translate/Translation.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace mpc {

static LogicalResult reportUnwritable(StringRef path,
                                      const std::string &reason) {
  llvm::errs() << "mpc-translate: error: " << path
               << " cannot be written: " << reason << "\n";
  return failure();
}

static LogicalResult writeStandardOutput(StringRef content) {
  llvm::outs() << content;
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return success();
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return reportUnwritable("standard output", reason);
}

LogicalResult writeFile(StringRef path, StringRef content) {
  if (path == "-")
    return writeStandardOutput(content);
  // A device or a pipe is written to, not replaced.
  fs::file_status status;
  if (!fs::status(path, status) && fs::exists(status) &&
      status.type() != fs::file_type::regular_file) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (!code) {
      stream << content;
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
    return code ? reportUnwritable(path, code.message()) : success();
  }
  llvm::Expected<fs::TempFile> file =
      fs::TempFile::create(path + ".%%%%%%", fs::all_read | fs::all_write);
  if (!file)
    return reportUnwritable(path, llvm::toString(file.takeError()));
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << content;
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    llvm::consumeError(file->discard());
    return reportUnwritable(path, code.message());
  }
  if (llvm::Error error = file->keep(path))
    return reportUnwritable(path, llvm::toString(std::move(error)));
  return success();
}

} // namespace mpc
