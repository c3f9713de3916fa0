//===- Json.h - one JSON object, with places --------------------*- C++ -*-===//
//
// Reads what a configuration is: one object whose own values matter and whose
// inner objects and lists only exist. Unlike most readers it refuses a key that
// is there twice, at any depth, and knows where each key stands.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_HUGGINGFACE_JSON_H
#define MPC_FRONTENDS_HUGGINGFACE_JSON_H

#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <map>
#include <string>
#include <vector>

namespace mpc {

struct JsonValue {
  enum class Kind { Null, Boolean, Integer, Number, String, List, Object };

  explicit JsonValue(mlir::Location place) : place(place) {}

  Kind kind = Kind::Null;
  /// Of the key.
  mlir::Location place;
  /// As written, for messages; strings with quotes, lists and objects in words.
  std::string text;
  bool boolean = false;
  int64_t integer = 0;
  /// Of integers too.
  double number = 0;
  std::string string;
  /// Of a list or an object: how many it has directly, and those of a list that
  /// are strings.
  size_t elements = 0;
  std::vector<std::string> strings;
};

using JsonObject = std::map<std::string, JsonValue>;

/// Reads `file`, which must be an object. Reports where and why it is not.
mlir::FailureOr<JsonObject> readJsonObject(llvm::MemoryBufferRef file,
                                           mlir::MLIRContext *context);

} // namespace mpc

#endif // MPC_FRONTENDS_HUGGINGFACE_JSON_H
