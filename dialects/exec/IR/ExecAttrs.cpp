//===- ExecAttrs.cpp - slices, initial values, kernel facts -----*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::exec;

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/IR/ExecAttrs.cpp.inc"

void ExecDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/IR/ExecAttrs.cpp.inc"
      >();
}

namespace mpc::exec {

int64_t getByteSize(RankedTensorType type) {
  return type.getNumElements() * (type.getElementTypeBitWidth() / 8);
}

// ---------------------------------------------------------------- slices

int64_t SliceAttr::getSpanBytes() const {
  RankedTensorType type = getType();
  if (getRowStride() == 0 || type.getRank() == 0)
    return getByteSize(type);
  int64_t columns = type.getShape().back();
  int64_t rows = type.getNumElements() / columns;
  return ((rows - 1) * getRowStride() + columns) *
         (type.getElementTypeBitWidth() / 8);
}

void SliceAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyRegion(getRegion()) << " + " << getOffset()
          << ", ";
  for (int64_t size : getType().getShape())
    printer << size << "x";
  printer << getType().getElementType();
  if (getRowStride() != 0)
    printer << ", rows every " << getRowStride();
  printer << ">";
}

Attribute SliceAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  int64_t offset, rowStride = 0;
  SmallVector<int64_t> sizes;
  Type element;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<Region> region = symbolizeRegion(keyword);
  if (!region) {
    parser.emitError(location)
        << "region \"" << keyword
        << "\", expected persistent, slot or transient";
    return {};
  }
  if (parser.parsePlus() || parser.parseInteger(offset) ||
      parser.parseComma() ||
      parser.parseDimensionList(sizes, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("rows") || parser.parseKeyword("every") ||
        parser.parseInteger(rowStride))
      return {};
  auto emitError = [&] { return parser.emitError(location); };
  if (parser.parseGreater())
    return {};
  auto type = RankedTensorType::getChecked(emitError, sizes, element);
  if (!type)
    return {};
  return getChecked(emitError, parser.getContext(), *region, offset, type,
                    rowStride);
}

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Region, int64_t offset, RankedTensorType type,
                                int64_t rowStride) {
  Type element = type.getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16() &&
      !element.isSignlessInteger(32)) // C1
    return emitError() << "slice of " << element
                       << ", expected f32, bf16, f16 or i32";
  for (int64_t size : type.getShape())
    if (size < 1) // C1
      return emitError() << "slice of " << type
                         << ", expected sizes of at least 1";
  int64_t alignment =
      rowStride == 0 ? kAlignment : type.getElementTypeBitWidth() / 8;
  if (offset < 0 || offset % alignment != 0) // C2
    return emitError() << "slice at offset " << offset
                       << ", expected a multiple of " << alignment;
  if (rowStride != 0 &&
      (type.getRank() == 0 || rowStride < type.getShape().back())) // C3
    return emitError() << "slice of " << type << " with rows every "
                       << rowStride
                       << " elements, expected at least the last size";
  return success();
}

// -------------------------------------------------------- initial values

void InitialAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyInitialKind(getKind());
  const bool isIota = getKind() == InitialKind::Iota;
  if (!isIota || !getValue().getValue().isZero()) {
    printer << (isIota ? " from " : " ");
    printer.printFloat(getValue().getValue());
  }
  if (getKind() == InitialKind::Normal)
    printer << " of " << getKey();
  printer << ">";
}

Attribute InitialAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  double value = 0;
  std::string key;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<InitialKind> kind = symbolizeInitialKind(keyword);
  if (!kind) {
    parser.emitError(location) << "initial value \"" << keyword
                               << "\", expected normal, constant or iota";
    return {};
  }
  const bool isIota = *kind == InitialKind::Iota;
  const bool hasValue =
      !isIota || succeeded(parser.parseOptionalKeyword("from"));
  if (hasValue && parser.parseFloat(value))
    return {};
  if (*kind == InitialKind::Normal &&
      (parser.parseKeyword("of") || parser.parseString(&key)))
    return {};
  if (parser.parseGreater())
    return {};
  Builder builder(parser.getContext());
  return get(parser.getContext(), *kind, builder.getF64FloatAttr(value),
             builder.getStringAttr(key));
}

// ---------------------------------------------------------- kernel facts

bool CompiledAttr::canAlias(unsigned input, unsigned output) const {
  for (auto [in, out] : llvm::zip_equal(getInputs(), getOutputs()))
    if (in == input && out == output)
      return true;
  return false;
}

void CompiledAttr::print(AsmPrinter &printer) const {
  printer << "<extent " << getExtent() << " in_place [";
  llvm::interleaveComma(llvm::zip_equal(getInputs(), getOutputs()), printer,
                        [&](auto pair) {
                          printer << std::get<0>(pair) << " to "
                                  << std::get<1>(pair);
                        });
  printer << "]>";
}

Attribute CompiledAttr::parse(AsmParser &parser, Type) {
  int64_t extent;
  SmallVector<int64_t> inputs, outputs;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseInteger(inputs.emplace_back()) ||
                   parser.parseKeyword("to") ||
                   parser.parseInteger(outputs.emplace_back()));
  };
  if (parser.parseLess() || parser.parseKeyword("extent") ||
      parser.parseInteger(extent) || parser.parseKeyword("in_place") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), extent, inputs, outputs);
}

} // namespace mpc::exec
