//===- Family.cpp - what the readers of families share ----------*- C++ -*-===//

#include "frontends/huggingface/Family.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace mpc {

LogicalResult readNumbers(ConfigReader &reader, SettingOrigins &origins,
                          ArrayRef<NumberKey> keys, ModelSpec &spec) {
  for (const NumberKey &key : keys) {
    spec.*key.member = key.initial;
    if (failed(
            reader.readNumber(key.setting, key.key, origins, spec.*key.member)))
      return failure();
  }
  return success();
}

LogicalResult readActivation(ConfigReader &reader, StringRef key,
                             ArrayRef<StringRef> legal,
                             Activation &activation) {
  std::string name;
  if (failed(reader.readString(key, name)))
    return failure();
  if (!reader.has(key))
    return success();
  auto found = llvm::StringSwitch<std::optional<Activation>>(name)
                   .Cases({"gelu_new", "gelu_pytorch_tanh", "gelu_fast"},
                          Activation::GeluTanh)
                   .Case("gelu", Activation::Gelu)
                   .Case("relu", Activation::Relu)
                   .Cases({"silu", "swish"}, Activation::Silu)
                   .Default(std::nullopt);
  if (!found || !llvm::is_contained(legal, name))
    return reader.emitError(key)
           << " is \"" << name << "\", expected " << quoteAll(legal);
  activation = *found;
  return success();
}

std::vector<std::string>
listAssumed(const ConfigReader &reader,
            ArrayRef<std::pair<StringRef, StringRef>> keys) {
  std::vector<std::string> assumed;
  for (auto [key, value] : keys)
    if (!reader.has(key))
      assumed.push_back((key + " = " + value).str());
  return assumed;
}

std::string quoteAll(ArrayRef<StringRef> words) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words)) {
    if (index != 0)
      text += index + 1 == words.size() ? " or " : ", ";
    text += ("\"" + word + "\"").str();
  }
  return text;
}

} // namespace mpc
