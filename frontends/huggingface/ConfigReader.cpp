//===- ConfigReader.cpp - typed access to a config.json ---------*- C++ -*-===//

#include "frontends/huggingface/ConfigReader.h"

using namespace mlir;

namespace mpc {

/// Whether one of two names is likely a misspelling of the other.
static bool isClose(StringRef a, StringRef b) {
  unsigned most = a.size() < 6 ? 1 : 2;
  return a.edit_distance(b, /*AllowReplacements=*/true, most) <= most;
}

InFlightDiagnostic ConfigReader::emitError(StringRef key) const {
  auto entry = config.find(key.str());
  return mlir::emitError(entry == config.end() ? file : entry->second.place)
         << key;
}

InFlightDiagnostic ConfigReader::refuse(StringRef key, const JsonValue &value,
                                        StringRef expected) const {
  return mlir::emitError(value.place)
         << key << " is " << value.text << ", expected " << expected;
}

FailureOr<const JsonValue *> ConfigReader::find(StringRef key,
                                                StringRef alias) {
  known.insert(key);
  auto entry = config.find(key.str());
  const JsonValue *value = entry == config.end() ? nullptr : &entry->second;
  if (alias.empty())
    return value;
  known.insert(alias);
  auto other = config.find(alias.str());
  if (other == config.end())
    return value;
  if (value && value->text != other->second.text)
    return emitError(alias)
           << " is " << other->second.text << ", but " << key << " is "
           << value->text << "; they are two names of one thing";
  return &other->second;
}

std::string ConfigReader::suggest(StringRef key) const {
  for (const auto &[name, value] : config)
    if (!known.contains(name) && isClose(key, name))
      return ", did you mean it with \"" + name + "\"";
  return "";
}

LogicalResult ConfigReader::readSize(StringRef setting, StringRef key,
                                     StringRef alias, SettingOrigins &origins,
                                     int64_t &value, bool required,
                                     bool nullable) {
  FailureOr<const JsonValue *> found = find(key, alias);
  if (failed(found))
    return failure();
  const JsonValue *json = *found;
  if (json && json->kind == JsonValue::Kind::Null && nullable)
    return success();
  if (!json) {
    if (!required)
      return success();
    return mlir::emitError(file)
           << "has no " << key << ", which is required" << suggest(key);
  }
  StringRef written = has(key) ? key : alias;
  if (json->kind != JsonValue::Kind::Integer)
    return refuse(written, *json,
                  StringRef(json->text).find_first_not_of("0123456789") ==
                          StringRef::npos
                      ? "at most 9223372036854775807"
                      : "a whole number");
  if (json->integer < 1)
    return refuse(written, *json, "at least 1");
  value = json->integer;
  origins.record(setting, written, json->place);
  return success();
}

LogicalResult ConfigReader::readToken(StringRef setting, StringRef key,
                                      SettingOrigins &origins,
                                      std::optional<int64_t> &token) {
  FailureOr<const JsonValue *> found = find(key);
  if (failed(found) || !*found)
    return found;
  const JsonValue &json = **found;
  token.reset();
  if (json.kind == JsonValue::Kind::Null)
    return success();
  if (json.kind != JsonValue::Kind::Integer || json.integer < 0)
    return refuse(key, json, "the number of a token, or null");
  token = json.integer;
  origins.record(setting, key, json.place);
  return success();
}

LogicalResult ConfigReader::readNumber(StringRef setting, StringRef key,
                                       SettingOrigins &origins, double &value) {
  FailureOr<const JsonValue *> found = find(key);
  if (failed(found) || !*found)
    return found;
  const JsonValue &json = **found;
  if (json.kind != JsonValue::Kind::Integer &&
      json.kind != JsonValue::Kind::Number)
    return refuse(key, json, "a number");
  value = json.number;
  origins.record(setting, key, json.place);
  return success();
}

LogicalResult ConfigReader::readFlag(StringRef key, bool &value) {
  FailureOr<const JsonValue *> found = find(key);
  if (failed(found) || !*found)
    return found;
  if ((*found)->kind != JsonValue::Kind::Boolean)
    return refuse(key, **found, "true or false");
  value = (*found)->boolean;
  return success();
}

LogicalResult ConfigReader::readString(StringRef key, std::string &value) {
  FailureOr<const JsonValue *> found = find(key);
  if (failed(found) || !*found)
    return found;
  if ((*found)->kind != JsonValue::Kind::String)
    return refuse(key, **found, "a string");
  value = (*found)->string;
  return success();
}

LogicalResult
ConfigReader::checkUnknown(const llvm::StringSet<> &harmless) const {
  for (const auto &[name, value] : config) {
    if (known.contains(name) || harmless.contains(name))
      continue;
    for (StringRef key : known.keys())
      if (!has(key) && isClose(name, key))
        return emitError(name) << " is not a key, did you mean " << key;
    emitWarning(value.place)
        << name << " is ignored: it is none of the keys that such models read";
  }
  return success();
}

} // namespace mpc
