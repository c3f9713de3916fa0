//===- SettingOrigins.h - where settings were written -----------*- C++ -*-===//
//
// Front ends differ in what they call a setting. Checks are written once, in
// terms of the names of spec.proto; this says what to call a setting in a
// message and where to point.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_MODEL_SETTINGORIGINS_H
#define MPC_FRONTENDS_MODEL_SETTINGORIGINS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// The names and places of settings in the files that gave them, by the name of
/// their field in spec.proto. Names of model and training fields are distinct.
class SettingOrigins {
public:
  /// `file` is where settings that no file gives are reported.
  explicit SettingOrigins(mlir::Location file) : file(file) {}

  void record(llvm::StringRef setting, llvm::StringRef name,
              mlir::Location location);

  /// What the file calls the setting; the name of the field if no file gives
  /// it.
  std::string getName(llvm::StringRef setting) const;
  mlir::Location getLocation(llvm::StringRef setting) const;
  mlir::MLIRContext *getContext() const { return file.getContext(); }

  /// Starts an error at the setting, with its name.
  mlir::InFlightDiagnostic emitError(llvm::StringRef setting) const;

private:
  struct Origin {
    std::string name;
    mlir::Location location;
  };
  mlir::Location file;
  llvm::StringMap<Origin> origins;
};

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_SETTINGORIGINS_H
