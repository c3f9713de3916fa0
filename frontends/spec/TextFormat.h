//===- TextFormat.h - text protocol buffers with good errors ----*- C++ -*-===//

#ifndef MPC_FRONTENDS_SPEC_TEXTFORMAT_H
#define MPC_FRONTENDS_SPEC_TEXTFORMAT_H

#include "frontends/model/SettingOrigins.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <google/protobuf/text_format.h>

namespace mpc {

/// Where the fields of a message stand in the file they were read from.
using FieldPlaces = google::protobuf::TextFormat::ParseInfoTree;

/// Reads `file` into `message`. An error says line and column; one about a name
/// says the legal ones, one about a field given twice both lines.
mlir::LogicalResult parseText(llvm::MemoryBufferRef file,
                              mlir::MLIRContext *context,
                              google::protobuf::Message &message,
                              FieldPlaces &places);

/// The place of a field that is set in `places`' message.
mlir::Location getPlace(llvm::MemoryBufferRef file, mlir::MLIRContext *context,
                        const FieldPlaces &places, const std::string &field,
                        const google::protobuf::Descriptor *descriptor);

/// Records every setting that `message` gives.
void recordOrigins(llvm::MemoryBufferRef file,
                   const google::protobuf::Message &message,
                   const FieldPlaces &places, SettingOrigins &origins);

/// The names of an enum's values but the unspecified one, for messages.
std::string listValues(const google::protobuf::EnumDescriptor *descriptor);

} // namespace mpc

#endif // MPC_FRONTENDS_SPEC_TEXTFORMAT_H
