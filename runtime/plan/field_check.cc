#include "runtime/plan/field_check.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/unknown_field_set.h"
#include "runtime/plan/slice_check.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Enums for which zero says "does not apply"; whoever knows when it applies
/// checks them.
constexpr std::array<absl::string_view, 3> kOptionalEnums = {
    "mpc.plan.Sharding.reduction", "mpc.plan.State.batch_input",
    "mpc.plan.CollectiveStartCommand.reduction"};

/// Operands of attention that only a causal mask or dropout reads.
constexpr std::array<absl::string_view, 4> kOptionalSlices = {
    "mpc.plan.AttentionCommand.query_positions",
    "mpc.plan.AttentionCommand.seed", "mpc.plan.AttentionCommand.samples",
    "mpc.plan.AttentionCommand.heads"};

template <size_t N>
bool Contains(const std::array<absl::string_view, N>& names,
              const FieldDescriptor& field) {
  for (absl::string_view name : names)
    if (name == field.full_name()) return true;
  return false;
}

/// ` "update"` for a message with a name or a location, else nothing.
std::string Label(const Message& message) {
  for (const char* key : {"name", "location"}) {
    const FieldDescriptor* field =
        message.GetDescriptor()->FindFieldByName(key);
    if (!field || field->is_repeated()) continue;
    const std::string text = message.GetReflection()->GetString(message, field);
    if (!text.empty()) return absl::StrCat(" \"", text, "\"");
  }
  return "";
}

std::string LegalValues(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i)
    if (type.value(i)->number() != 0) names.push_back(type.value(i)->name());
  return absl::StrJoin(names, ", ");
}

/// `step` is a field as written in a path, e.g. `.gemm`.
absl::Status Within(const std::string& step, const absl::Status& status) {
  const absl::string_view message = status.message();
  const bool path_goes_on = absl::StartsWith(message, ".");
  return absl::Status(status.code(),
                      absl::StrCat(step, path_goes_on ? "" : ": ", message));
}

class FieldChecker {
 public:
  absl::Status Check(const Message& message) {
    MPC_RETURN_IF_ERROR(CheckUnknown(message));
    if (const auto* role = dynamic_cast<const plan::Role*>(&message))
      role_ = role;
    const auto& type = *message.GetDescriptor();
    // An `optional` field is a oneof of its own, not a real one.
    for (int i = 0; i < type.real_oneof_decl_count(); ++i)
      if (!message.GetReflection()->HasOneof(message, type.oneof_decl(i)))
        return absl::InvalidArgumentError(
            absl::StrCat("`", type.oneof_decl(i)->name(), "` is unset"));
    for (int i = 0; i < type.field_count(); ++i)
      MPC_RETURN_IF_ERROR(CheckField(message, *type.field(i)));
    if (const auto* slice = dynamic_cast<const plan::Slice*>(&message))
      return CheckSlice(*slice, *role_);
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckUnknown(const Message& message) {
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    if (unknown.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat(
        "field number %d of %s is not known to this version; the plan is "
        "damaged or was made by a newer compiler",
        unknown.field(0).number(), message.GetDescriptor()->name()));
  }

  absl::Status CheckField(const Message& message,
                          const FieldDescriptor& field) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
      return CheckEnum(message, field);
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      return absl::OkStatus();
    const auto& reflection = *message.GetReflection();
    if (!field.is_repeated()) {
      if (reflection.HasField(message, &field))
        return CheckChild(reflection.GetMessage(message, &field),
                          absl::StrCat(".", field.name()));
      if (field.message_type() == plan::Slice::descriptor() &&
          !Contains(kOptionalSlices, field))
        return absl::InvalidArgumentError(
            absl::StrCat("`", field.name(), "` is missing"));
      return absl::OkStatus();
    }
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i)
      MPC_RETURN_IF_ERROR(
          CheckChild(reflection.GetRepeatedMessage(message, &field, i),
                     absl::StrCat(".", field.name(), "[", i, "]")));
    return absl::OkStatus();
  }

  absl::Status CheckChild(const Message& child, const std::string& step) {
    absl::Status status = Check(child);
    return status.ok() ? status : Within(step + Label(child), status);
  }

  static absl::Status CheckEnum(const Message& message,
                                const FieldDescriptor& field) {
    const int value = message.GetReflection()->GetEnumValue(message, &field);
    if (value == 0 && Contains(kOptionalEnums, field)) return absl::OkStatus();
    if (value != 0 && field.enum_type()->FindValueByNumber(value))
      return absl::OkStatus();
    const std::string found =
        value == 0 ? "unset" : absl::StrCat(value, ", which is not known");
    return absl::InvalidArgumentError(
        absl::StrCat("`", field.name(), "` is ", found, "; legal: ",
                     LegalValues(*field.enum_type())));
  }

  /// The role that is being checked; slices occur only in roles.
  const plan::Role* role_ = &plan::Role::default_instance();
};

}  // namespace

absl::Status CheckFields(const plan::Plan& plan) {
  absl::Status status = FieldChecker().Check(plan);
  if (status.ok() || !absl::StartsWith(status.message(), ".")) return status;
  return absl::Status(status.code(), status.message().substr(1));
}

}  // namespace mpc::runtime
