//===- TextFormat.cpp - text protocol buffers with good errors --*- C++ -*-===//
//
// The parser of Protocol Buffers says what it met; this adds which field it was
// about, what would have been legal, and where the first of two stands.
//
//===----------------------------------------------------------------------===//

#include "frontends/spec/TextFormat.h"
#include "frontends/model/LfsPointer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

using namespace mlir;
using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

namespace mpc {
namespace {

/// Keeps the first error; what follows is mostly its consequence.
struct FirstError : google::protobuf::io::ErrorCollector {
  void AddError(int line, int column, const std::string &message) override {
    if (text.empty()) {
      this->line = line;
      this->column = column;
      text = message;
    }
  }
  int line = 0, column = 0;
  std::string text;
};

/// Visits `root` and the messages within it until `visit` returns true.
bool anyMessage(const Descriptor *root,
                llvm::function_ref<bool(const Descriptor *)> visit) {
  if (visit(root))
    return true;
  for (int i = 0; i < root->field_count(); ++i)
    if (const Descriptor *inner = root->field(i)->message_type())
      if (anyMessage(inner, visit))
        return true;
  return false;
}

std::string unknownField(const Descriptor *root, StringRef type,
                         StringRef name) {
  std::string text = ("has no field \"" + name + "\"").str();
  anyMessage(root, [&](const Descriptor *message) {
    if (message->full_name() != type)
      return false;
    SmallVector<StringRef> names;
    for (int i = 0; i < message->field_count(); ++i)
      names.push_back(message->field(i)->name());
    StringRef closest =
        *llvm::min_element(names, [&](StringRef a, StringRef b) {
          return name.edit_distance(a) < name.edit_distance(b);
        });
    text = message->name() + " " + text;
    if (name.edit_distance(closest) <= name.size() / 3 + 1)
      text += (", did you mean " + closest).str();
    text += "; fields: " + llvm::join(names, ", ");
    return true;
  });
  return text;
}

std::string unknownValue(const Descriptor *root, StringRef value,
                         StringRef fieldName) {
  std::string text = (fieldName + " is " + value).str();
  anyMessage(root, [&](const Descriptor *message) {
    const FieldDescriptor *field = message->FindFieldByName(fieldName.str());
    if (!field || !field->enum_type())
      return false;
    text += ", expected " + listValues(field->enum_type());
    return true;
  });
  return text;
}

/// The line, from 1, of the first of a field's two values; 0 if not found.
int firstLine(const Descriptor *message, const FieldPlaces &places,
              const std::string &name) {
  if (const FieldDescriptor *field = message->FindFieldByName(name))
    if (int line = places.GetLocation(field, -1).line; line >= 0)
      return line + 1;
  for (int i = 0; i < message->field_count(); ++i) {
    const FieldDescriptor *field = message->field(i);
    if (!field->message_type())
      continue;
    if (const FieldPlaces *inner = places.GetTreeForNested(field, -1))
      if (int line = firstLine(field->message_type(), *inner, name))
        return line;
  }
  return 0;
}

StringRef lineOf(StringRef text, int line) {
  for (; line > 0; --line)
    text = text.split('\n').second;
  return text.split('\n').first;
}

/// Errors about a name are reported where the next token begins; moves the
/// place to the name, if it is the last thing before.
void moveToName(FirstError &error, StringRef text) {
  SmallVector<StringRef> match;
  if (!llvm::Regex("has no field named \"(.*)\"").match(error.text, &match))
    return;
  StringRef before = lineOf(text, error.line).take_front(error.column).rtrim();
  if (before.ends_with(match[1]))
    error.column = before.size() - match[1].size();
}

/// The field whose value begins at (`line`, `column`), both from 0.
std::string fieldBefore(StringRef text, int line, int column) {
  SmallVector<StringRef> match;
  if (!llvm::Regex("([a-z_0-9]+)[ \t]*:[ \t]*-?$")
           .match(lineOf(text, line).take_front(column), &match))
    return "";
  return match[1].str();
}

std::string explain(const FirstError &error, StringRef text,
                    const Descriptor *root, const FieldPlaces &places) {
  SmallVector<StringRef> match;
  if (llvm::Regex("^Message type \"(.*)\" has no field named \"(.*)\"")
          .match(error.text, &match))
    return unknownField(root, match[1], match[2]);
  if (llvm::Regex("^Unknown enumeration value of \"(.*)\" for field \"(.*)\"")
          .match(error.text, &match))
    return unknownValue(root, match[1], match[2]);
  if (llvm::Regex("^Non-repeated field \"(.*)\" is specified multiple times")
          .match(error.text, &match))
    return ("field \"" + match[1] + "\" is given twice, in lines " +
            Twine(firstLine(root, places, match[1].str())) + " and " +
            Twine(error.line + 1))
        .str();
  if (llvm::Regex("^Invalid value for boolean field \"(.*)\". Value: \"(.*)\"")
          .match(error.text, &match))
    return (match[1] + " is " + match[2] + ", expected true or false").str();
  if (StringRef(error.text).ends_with("got: "))
    return "the file ends where more is expected";
  std::string field = fieldBefore(text, error.line, error.column);
  if (!field.empty() &&
      llvm::Regex("^Expected ([a-z]+), got: (.*)").match(error.text, &match))
    return (field + " is " + match[2] + ", expected " +
            llvm::StringSwitch<StringRef>(match[1])
                .Case("integer", "a whole number")
                .Case("double", "a number")
                .Case("string", "a text in quotes")
                .Default("a value"))
        .str();
  std::string rest = StringRef(error.text).rtrim('.').str();
  rest[0] = llvm::toLower(rest[0]);
  return field.empty() ? rest : field + ": " + rest;
}

Location placeOf(llvm::MemoryBufferRef file, MLIRContext *context, int line,
                 int column) {
  return FileLineColLoc::get(context, file.getBufferIdentifier(),
                             std::max(line, 0) + 1, std::max(column, 0) + 1);
}

} // namespace

std::string listValues(const EnumDescriptor *descriptor) {
  SmallVector<StringRef> names;
  for (int i = 0; i < descriptor->value_count(); ++i)
    if (descriptor->value(i)->number() != 0)
      names.push_back(descriptor->value(i)->name());
  return llvm::join(names, " or ");
}

LogicalResult parseText(llvm::MemoryBufferRef file, MLIRContext *context,
                        Message &message, FieldPlaces &places) {
  if (failed(checkContentIsHere(file, context)))
    return failure();
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  if (parser.ParseFromString(file.getBuffer().str(), &message))
    return success();
  moveToName(error, file.getBuffer());
  return emitError(placeOf(file, context, error.line, error.column))
         << explain(error, file.getBuffer(), message.GetDescriptor(), places);
}

Location getPlace(llvm::MemoryBufferRef file, MLIRContext *context,
                  const FieldPlaces &places, const std::string &field,
                  const Descriptor *descriptor) {
  const FieldDescriptor *found = descriptor->FindFieldByName(field);
  // Of a list, the first.
  TextFormat::ParseLocation place =
      places.GetLocation(found, found->is_repeated() ? 0 : -1);
  return placeOf(file, context, place.line, place.column);
}

void recordOrigins(llvm::MemoryBufferRef file, const Message &message,
                   const FieldPlaces &places, SettingOrigins &origins) {
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields)
    origins.record(field->name(), field->name(),
                   getPlace(file, origins.getContext(), places, field->name(),
                            message.GetDescriptor()));
}

} // namespace mpc
