//===- ExecDialect.cpp - registration and accessors -------------*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"

using namespace mlir;
using namespace mpc::exec;

/// Prints `(<transient + 0, 4xf32>, <slot + 0, 4xi32>)`.
static void printSlices(OpAsmPrinter &printer, Operation *, ArrayAttr slices) {
  printer << "(";
  llvm::interleaveComma(slices, printer, [&](Attribute slice) {
    cast<SliceAttr>(slice).print(printer);
  });
  printer << ")";
}

static ParseResult parseSlices(OpAsmParser &parser, ArrayAttr &slices) {
  SmallVector<Attribute> list;
  auto parseSlice = [&]() -> ParseResult {
    Attribute slice = SliceAttr::parse(parser, {});
    if (!slice)
      return failure();
    list.push_back(slice);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseSlice))
    return failure();
  slices = ArrayAttr::get(parser.getContext(), list);
  return success();
}

/// An enum as a bare keyword. What enum attributes print by themselves begins with
/// a space of their own.
template <typename AttrT>
static void printKeyword(OpAsmPrinter &printer, Operation *, AttrT attribute) {
  printer << stringifyEnum(attribute.getValue());
}

template <typename AttrT>
static ParseResult parseKeyword(OpAsmParser &parser, AttrT &attribute) {
  auto value = FieldParser<decltype(attribute.getValue())>::parse(parser);
  if (failed(value))
    return failure();
  attribute = AttrT::get(parser.getContext(), *value);
  return success();
}

#include "dialects/exec/IR/ExecDialect.cpp.inc"
#include "dialects/exec/IR/ExecEnums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/exec/IR/ExecOps.cpp.inc"

void ExecDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/IR/ExecOps.cpp.inc"
      >();
}

LogicalResult ExecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  Attribute value = attribute.getValue();
  bool known = (attribute.getName() == kCompiledAttrName &&
                isa<CompiledAttr>(value)) ||
               (attribute.getName() == kVariantAttrName &&
                isa<VariantAttr>(value)) ||
               (attribute.getName() == kPartAttrName && isa<PartAttr>(value));
  if (!known || !isa<FunctionOpInterface>(op))
    return op->emitOpError("has attribute ")
           << attribute.getName() << " = " << attribute.getValue()
           << ", expected one that the exec dialect defines for functions";
  return success();
}

namespace mpc::exec {

CompiledAttr getCompiled(FunctionOpInterface kernel) {
  return kernel->getAttrOfType<CompiledAttr>(ExecDialect::kCompiledAttrName);
}

void setCompiled(FunctionOpInterface kernel, CompiledAttr compiled) {
  kernel->setAttr(ExecDialect::kCompiledAttrName, compiled);
}

VariantAttr getVariant(FunctionOpInterface function) {
  return function->getAttrOfType<VariantAttr>(ExecDialect::kVariantAttrName);
}

PartAttr getPart(FunctionOpInterface function) {
  return function->getAttrOfType<PartAttr>(ExecDialect::kPartAttrName);
}

void setPart(FunctionOpInterface function, PartAttr part) {
  function->setAttr(ExecDialect::kPartAttrName, part);
}

void setVariant(FunctionOpInterface function, Variant variant) {
  function->setAttr(ExecDialect::kVariantAttrName,
                    VariantAttr::get(function.getContext(), variant));
}

} // namespace mpc::exec
