//===- DistAttrs.cpp - mesh and sharding ------------------------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::dist;

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/IR/DistAttrs.cpp.inc"

void DistDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/dist/IR/DistAttrs.cpp.inc"
      >();
}

namespace mpc::dist {

// ----------------------------------------------------------------- axes

bool AxesAttr::contains(StringAttr axis) const {
  return llvm::is_contained(getNames(), axis);
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  llvm::interleaveComma(getNames(), printer);
  printer << "}>";
}

/// Parses `{"dp", "tp"}`.
static FailureOr<AxesAttr> parseAxes(AsmParser &parser) {
  SmallVector<StringAttr> names;
  SMLoc location = parser.getCurrentLocation();
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseName))
    return failure();
  auto axes = AxesAttr::getChecked([&] { return parser.emitError(location); },
                                   parser.getContext(), names);
  if (!axes)
    return failure();
  return axes;
}

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxesAttr> axes = parseAxes(parser);
  if (failed(axes) || parser.parseGreater())
    return {};
  return *axes;
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names) {
  llvm::SmallPtrSet<const void *, 4> seen;
  for (StringAttr name : names) // C1
    if (!seen.insert(name.getAsOpaquePointer()).second)
      return emitError() << "axis " << name << " is listed twice";
  return success();
}

// ----------------------------------------------------------------- mesh

int64_t MeshAttr::getAxisSize(StringAttr axis) const {
  for (auto [name, size] : llvm::zip_equal(getAxes(), getSizes()))
    if (name == axis)
      return size;
  return 0;
}

unsigned MeshAttr::getAxisIndex(StringAttr axis) const {
  const auto *it = llvm::find(getAxes().getNames(), axis);
  assert(it != getAxes().getNames().end() && "axis of another mesh");
  return it - getAxes().getNames().begin();
}

int64_t MeshAttr::getGroupSize(AxesAttr axes) const {
  int64_t size = 1;
  for (StringAttr axis : axes)
    size *= getAxisSize(axis);
  return size;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip_equal(getAxes(), getSizes()), printer,
                        [&](auto pair) {
                          printer << std::get<0>(pair) << "="
                                  << std::get<1>(pair);
                        });
  printer << "]>";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    int64_t size;
    if (parser.parseString(&name) || parser.parseEqual() ||
        parser.parseInteger(size))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    sizes.push_back(size);
    return success();
  };
  SMLoc location = parser.getCurrentLocation();
  auto emitError = [&] { return parser.emitError(location); };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseGreater())
    return {};
  auto axes = AxesAttr::getChecked(emitError, parser.getContext(), names);
  if (!axes)
    return {};
  return MeshAttr::getChecked(emitError, parser.getContext(), axes, sizes);
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               AxesAttr axes, ArrayRef<int64_t> sizes) {
  if (axes.size() != sizes.size())
    return emitError() << "mesh has " << axes.size() << " axes and "
                       << sizes.size() << " sizes";
  for (auto [name, size] : llvm::zip_equal(axes, sizes))
    if (size < 2) // C2
      return emitError() << "axis " << name << " has size " << size
                         << ", expected at least 2 (an axis of one rank is "
                            "left out of the mesh)";
  return success();
}

// ------------------------------------------------------------- sharding

ShardingAttr ShardingAttr::getReplicated(MeshAttr mesh, int64_t rank) {
  MLIRContext *context = mesh.getContext();
  AxesAttr none = AxesAttr::get(context, {});
  SmallVector<AxesAttr> dims(rank, none);
  return get(context, mesh, dims, none, ReductionKind::Sum);
}

ShardingAttr ShardingAttr::withPartial(ArrayRef<StringAttr> axes,
                                       ReductionKind reduction) const {
  SmallVector<StringAttr> ordered(axes);
  llvm::sort(ordered, [&](StringAttr a, StringAttr b) {
    return getMesh().getAxisIndex(a) < getMesh().getAxisIndex(b);
  });
  return get(getContext(), getMesh(), getDims(),
             AxesAttr::get(getContext(), ordered),
             axes.empty() ? ReductionKind::Sum : reduction);
}

bool ShardingAttr::isReplicated() const {
  return !isPartial() &&
         llvm::all_of(getDims(), [](AxesAttr axes) { return axes.empty(); });
}

static void printAxes(AsmPrinter &printer, AxesAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer);
  printer << "}";
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printAttribute(getMesh());
  printer << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](AxesAttr axes) { printAxes(printer, axes); });
  printer << "]";
  if (isPartial()) {
    printer << ", " << stringifyReductionKind(getReduction()) << " = ";
    printAxes(printer, getPartial());
  }
  printer << ">";
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  MeshAttr mesh;
  SmallVector<AxesAttr> dims;
  AxesAttr partial = AxesAttr::get(context, {});
  ReductionKind reduction = ReductionKind::Sum;
  SMLoc location = parser.getCurrentLocation();
  auto parseDim = [&]() -> ParseResult {
    FailureOr<AxesAttr> axes = parseAxes(parser);
    if (failed(axes))
      return failure();
    dims.push_back(*axes);
    return success();
  };
  if (parser.parseLess() || parser.parseAttribute(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("max")))
      reduction = ReductionKind::Max;
    else if (parser.parseKeyword("sum"))
      return {};
    if (parser.parseEqual())
      return {};
    FailureOr<AxesAttr> axes = parseAxes(parser);
    if (failed(axes))
      return {};
    partial = *axes;
  }
  if (parser.parseGreater())
    return {};
  return ShardingAttr::getChecked([&] { return parser.emitError(location); },
                                  context, mesh, dims, partial, reduction);
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   MeshAttr mesh, ArrayRef<AxesAttr> dims,
                                   AxesAttr partial, ReductionKind) {
  llvm::SmallPtrSet<const void *, 8> seen;
  auto use = [&](AxesAttr axes) -> LogicalResult {
    for (StringAttr axis : axes) {
      if (!mesh.getAxisSize(axis)) // C1
        return emitError() << "sharding names axis " << axis << ", which "
                           << mesh << " does not have";
      if (!seen.insert(axis.getAsOpaquePointer()).second) // C2
        return emitError() << "sharding uses axis " << axis << " twice";
    }
    return success();
  };
  for (AxesAttr axes : dims)
    if (failed(use(axes)))
      return failure();
  if (failed(use(partial)))
    return failure();
  for (auto [first, second] :
       llvm::zip(partial, partial.getNames().drop_front(!partial.empty())))
    if (mesh.getAxisIndex(first) > mesh.getAxisIndex(second)) // C3
      return emitError() << "partial axes " << first << " and " << second
                         << " are not in the order of " << mesh;
  return success();
}

LogicalResult ShardingAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size()) // C4
    return emitError() << "sharding has " << getDims().size()
                       << " dimensions, the tensor " << shape.size();
  for (auto [dim, axes] : llvm::enumerate(getDims())) {
    int64_t pieces = getMesh().getGroupSize(axes);
    if (shape[dim] % pieces != 0) // C5
      return emitError() << "dimension " << dim << " of size " << shape[dim]
                         << " does not divide into " << pieces
                         << " pieces of " << axes;
  }
  return success();
}

} // namespace mpc::dist
