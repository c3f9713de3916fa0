// Text format, with errors that name the place.
#include "cluster/read_cluster.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cluster/fault.h"
#include "cluster/machine_texts.h"

namespace mpc::cluster {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;
using Places = TextFormat::ParseInfoTree;

/// Keeps the first error; what follows is mostly its consequence.
struct FirstError : google::protobuf::io::ErrorCollector {
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) {
      this->line = line;
      text = message;
    }
  }
  int line = 0;
  std::string text;
};

/// The message of this full name within `root`; null if there is none.
const Descriptor* FindMessage(const Descriptor* root, absl::string_view name) {
  if (root->full_name() == name) return root;
  for (int i = 0; i < root->field_count(); ++i)
    if (const Descriptor* inner = root->field(i)->message_type())
      if (const Descriptor* found = FindMessage(inner, name)) return found;
  return nullptr;
}

/// What the parser says, with the names that are legal.
std::string Explain(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '"');
  if (parts.size() == 5 && absl::StrContains(text, "has no field named"))
    if (const Descriptor* message =
            FindMessage(Cluster::descriptor(), parts[1])) {
      std::vector<std::string> names;
      for (int i = 0; i < message->field_count(); ++i)
        names.push_back(message->field(i)->name());
      return absl::StrCat(message->name(), " has no field \"", parts[3],
                          "\"; fields: ", absl::StrJoin(names, ", "));
    }
  return text;
}

/// The line, from 1, of the last step of a path that the file spells out.
int LineOf(const Fault& fault, const Places& root) {
  int line = 1;
  const Places* places = &root;
  const Descriptor* message = Cluster::descriptor();
  for (const Fault::Step& step : fault.path) {
    const FieldDescriptor* field = message->FindFieldByName(step.field);
    const int index = field->is_repeated() ? std::max(step.index, 0) : -1;
    const int found = places->GetLocation(field, index).line;
    if (found < 0) return line;
    line = found + 1;
    message = field->message_type();
    if (message == nullptr) return line;
    places = places->GetTreeForNested(field, index);
    if (places == nullptr) return line;
  }
  return line;
}

}  // namespace

absl::StatusOr<Cluster> ParseCluster(absl::string_view text) {
  FirstError error;
  Places places;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  Cluster cluster;
  if (!parser.ParseFromString(std::string(text), &cluster))
    return absl::InvalidArgumentError(
        absl::StrCat("line ", error.line + 1, ": ", Explain(error.text)));
  if (const std::optional<Fault> fault = FindFault(cluster))
    return absl::InvalidArgumentError(
        absl::StrCat("line ", LineOf(*fault, places), ": ", fault->Place(), " ",
                     fault->text));
  return cluster;
}

absl::Status CheckCluster(const Cluster& cluster) {
  if (const std::optional<Fault> fault = FindFault(cluster))
    return absl::InvalidArgumentError(
        absl::StrCat(fault->Place(), " ", fault->text));
  return absl::OkStatus();
}

std::vector<std::string> MachineNames() {
  std::vector<std::string> names;
  for (const MachineText& machine : MachineTexts())
    names.push_back(machine.name);
  return names;
}

absl::StatusOr<Cluster> Machine(absl::string_view name) {
  for (const MachineText& machine : MachineTexts())
    if (machine.name == name) return ParseCluster(machine.text);
  return absl::NotFoundError(
      absl::StrCat("no machine is called ", name,
                   "; machines: ", absl::StrJoin(MachineNames(), ", ")));
}

}  // namespace mpc::cluster
