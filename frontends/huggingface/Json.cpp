//===- Json.cpp - one JSON object, with places ------------------*- C++ -*-===//
//
// The parser tells its handler what it meets, but not where. It reads through
// an iterator that counts, so the handler knows how far it has read: a key or a
// string ends exactly there.
//
//===----------------------------------------------------------------------===//

#include "frontends/huggingface/Json.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using Json = nlohmann::json;

namespace mpc {
namespace {

/// Reads characters of a text and counts them in a place that copies share.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, size_t *count) : at(at), count(count) {}
  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    ++at;
    ++*count;
    return *this;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }
  bool operator!=(const CountingIterator &other) const {
    return at != other.at;
  }

private:
  const char *at;
  size_t *count;
};

/// Builds the object while the parser reads.
class Handler final : public nlohmann::json_sax<Json> {
public:
  Handler(llvm::MemoryBufferRef file, MLIRContext *context, const size_t *read)
      : file(file), context(context), consumed(read) {}

  JsonObject object;

  bool null() override { return scalar(JsonValue::Kind::Null, "null"); }
  bool boolean(bool value) override {
    if (!scalar(JsonValue::Kind::Boolean, value ? "true" : "false"))
      return false;
    if (JsonValue *entry = topValue())
      entry->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (!scalar(JsonValue::Kind::Integer, std::to_string(value)))
      return false;
    if (JsonValue *entry = topValue()) {
      entry->integer = value;
      entry->number = static_cast<double>(value);
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr number_unsigned_t most = std::numeric_limits<int64_t>::max();
    if (value <= most)
      return number_integer(static_cast<number_integer_t>(value));
    return number_float(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t &text) override {
    if (!scalar(JsonValue::Kind::Number, text))
      return false;
    if (JsonValue *entry = topValue())
      entry->number = value;
    return true;
  }
  bool string(string_t &value) override {
    // An element of a list that is a value of the object itself.
    if (depth() == 2 && scopes.back().isList)
      topEntry->second.strings.push_back(value);
    if (!scalar(JsonValue::Kind::String, "\"" + value + "\""))
      return false;
    if (JsonValue *entry = topValue())
      entry->string = value;
    return true;
  }
  bool binary(binary_t &) override { return false; }

  bool start_object(size_t) override {
    return open(JsonValue::Kind::Object, "an object");
  }
  bool start_array(size_t) override {
    return open(JsonValue::Kind::List, "a list");
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override;
  bool parse_error(size_t position, const std::string &lastToken,
                   const nlohmann::detail::exception &error) override;

private:
  struct Scope {
    bool isList;
    /// The keys so far, with their lines.
    std::map<std::string, unsigned> lines;
  };

  size_t depth() const { return scopes.size(); }
  /// The value just read, if it is one of the object itself.
  JsonValue *topValue() { return depth() == 1 ? &topEntry->second : nullptr; }
  bool scalar(JsonValue::Kind kind, const std::string &text) {
    return startValue(kind, text);
  }
  bool startValue(JsonValue::Kind kind, const std::string &text);
  bool open(JsonValue::Kind kind, const std::string &text);
  bool close() {
    scopes.pop_back();
    return true;
  }
  FileLineColLoc placeOf(size_t offset);
  /// The place of the string that ends at what has been read.
  FileLineColLoc placeOfString();

  llvm::MemoryBufferRef file;
  MLIRContext *context;
  const size_t *consumed;
  std::vector<Scope> scopes;
  JsonObject::iterator topEntry;
  // Lines are counted once, as the text is read.
  size_t countedTo = 0, lineStart = 0;
  unsigned line = 1;
};

FileLineColLoc Handler::placeOf(size_t offset) {
  StringRef text = file.getBuffer();
  offset = std::min(offset, text.size());
  for (; countedTo < offset; ++countedTo)
    if (text[countedTo] == '\n') {
      ++line;
      lineStart = countedTo + 1;
    }
  unsigned column = offset >= lineStart ? offset - lineStart + 1 : 1;
  return FileLineColLoc::get(context, file.getBufferIdentifier(), line, column);
}

FileLineColLoc Handler::placeOfString() {
  StringRef text = file.getBuffer().take_front(*consumed);
  // A quote within a string has an odd number of backslashes before it.
  size_t quote = text.size() - 1;
  while (quote > 0) {
    quote = text.rfind('"', quote);
    if (quote == StringRef::npos)
      return placeOf(0);
    size_t escapes = 0;
    while (escapes < quote && text[quote - 1 - escapes] == '\\')
      ++escapes;
    if (escapes % 2 == 0)
      break;
  }
  return placeOf(quote);
}

bool Handler::key(string_t &name) {
  FileLineColLoc place = placeOfString();
  auto [first, isNew] = scopes.back().lines.try_emplace(name, place.getLine());
  if (!isNew) {
    emitError(place) << "key \"" << name << "\" is given twice, in lines "
                     << first->second << " and " << place.getLine();
    return false;
  }
  if (depth() == 1)
    topEntry = object.try_emplace(name, place).first;
  return true;
}

bool Handler::startValue(JsonValue::Kind kind, const std::string &text) {
  if (depth() == 0) {
    if (kind == JsonValue::Kind::Object)
      return true;
    emitError(placeOf(0)) << "holds " << text << ", expected an object";
    return false;
  }
  if (JsonValue *entry = topValue()) {
    entry->kind = kind;
    entry->text = text;
  } else if (depth() == 2) {
    ++topEntry->second.elements;
  }
  return true;
}

bool Handler::open(JsonValue::Kind kind, const std::string &text) {
  if (!startValue(kind, text))
    return false;
  scopes.push_back({kind == JsonValue::Kind::List, {}});
  return true;
}

/// The reason quotes what was read, which may be the whole file.
std::string shorten(StringRef reason) {
  constexpr size_t kMost = 160;
  return reason.size() <= kMost ? reason.str()
                                : reason.take_front(kMost).str() + " …";
}

bool Handler::parse_error(size_t position, const std::string &,
                          const nlohmann::detail::exception &error) {
  // What follows the library's own line and column.
  StringRef reason = error.what();
  size_t colon = reason.find(": ");
  if (colon != StringRef::npos)
    reason = reason.drop_front(colon + 2);
  if (file.getBuffer().trim().empty())
    emitError(placeOf(0)) << "is empty, expected a JSON object";
  else if (error.id == 406) // An exponent.
    emitError(placeOf(position == 0 ? 0 : position - 1))
        << "holds a number that is too large";
  else if (position > file.getBuffer().rtrim().size())
    emitError(placeOf(file.getBuffer().rtrim().size()))
        << "is not a whole JSON file: it ends where more is expected";
  else
    emitError(placeOf(position == 0 ? 0 : position - 1))
        << "is not JSON: "
        << shorten(reason.take_while([](char c) { return c != '\n'; }));
  return false;
}

} // namespace

FailureOr<JsonObject> readJsonObject(llvm::MemoryBufferRef file,
                                     MLIRContext *context) {
  StringRef text = file.getBuffer();
  size_t read = 0;
  Handler handler(file, context, &read);
  if (!Json::sax_parse(CountingIterator(text.begin(), &read),
                       CountingIterator(text.end(), &read), &handler))
    return failure();
  return std::move(handler.object);
}

} // namespace mpc
