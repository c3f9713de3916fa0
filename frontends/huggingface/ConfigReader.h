//===- ConfigReader.h - typed access to a config.json -----------*- C++ -*-===//

#ifndef MPC_FRONTENDS_HUGGINGFACE_CONFIGREADER_H
#define MPC_FRONTENDS_HUGGINGFACE_CONFIGREADER_H

#include "frontends/huggingface/Json.h"
#include "frontends/model/SettingOrigins.h"
#include "llvm/ADT/StringSet.h"

namespace mpc {

/// Hands out the values of a config.json by type. Every getter leaves `value`
/// as it is, which is the default, where the key is absent; it reports a value
/// of another type, naming key, value and what is expected. A key that was
/// asked for is known.
class ConfigReader {
public:
  ConfigReader(const JsonObject &config, mlir::Location file)
      : config(config), file(file) {}

  /// A key may have a second spelling, `alias`; both together must agree.
  mlir::FailureOr<const JsonValue *> find(llvm::StringRef key,
                                          llvm::StringRef alias = "");

  /// Reads a size, at least 1, for the setting of spec.proto named `setting`.
  /// Null counts as absent if `nullable`.
  mlir::LogicalResult readSize(llvm::StringRef setting, llvm::StringRef key,
                               llvm::StringRef alias, SettingOrigins &origins,
                               int64_t &value, bool required,
                               bool nullable = false);
  /// Reads a token, at least 0; null is none.
  mlir::LogicalResult readToken(llvm::StringRef setting, llvm::StringRef key,
                                SettingOrigins &origins,
                                std::optional<int64_t> &token);
  mlir::LogicalResult readNumber(llvm::StringRef setting, llvm::StringRef key,
                                 SettingOrigins &origins, double &value);
  mlir::LogicalResult readFlag(llvm::StringRef key, bool &value);
  mlir::LogicalResult readString(llvm::StringRef key, std::string &value);

  bool has(llvm::StringRef key) const { return config.count(key.str()) != 0; }
  mlir::InFlightDiagnostic emitError(llvm::StringRef key) const;

  /// Refuses keys that look like a misspelling of one asked for, and warns of
  /// others that are neither asked for nor among `harmless`.
  mlir::LogicalResult checkUnknown(const llvm::StringSet<> &harmless) const;

private:
  /// The key of those that are no known ones which is closest to `key`.
  std::string suggest(llvm::StringRef key) const;
  mlir::InFlightDiagnostic refuse(llvm::StringRef key, const JsonValue &value,
                                  llvm::StringRef expected) const;

  const JsonObject &config;
  mlir::Location file;
  /// All keys that were asked for.
  llvm::StringSet<> known;
};

} // namespace mpc

#endif // MPC_FRONTENDS_HUGGINGFACE_CONFIGREADER_H
