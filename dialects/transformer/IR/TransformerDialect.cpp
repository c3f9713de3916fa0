//===- TransformerDialect.cpp - registration and accessors ------*- C++ -*-===//

#include "dialects/transformer/IR/Transformer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::tfm;

#include "dialects/interfaces/DecomposeOpInterface.cpp.inc"
#include "dialects/interfaces/GradientOpInterface.cpp.inc"

#include "dialects/transformer/IR/TransformerDialect.cpp.inc"
#include "dialects/transformer/IR/TransformerEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/transformer/IR/TransformerAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/transformer/IR/TransformerOps.cpp.inc"

void TfmDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/transformer/IR/TransformerAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/transformer/IR/TransformerOps.cpp.inc"
      >();
}

// ------------------------------------------------- discardable attributes

static LogicalResult verifyBinding(Operation *op, NamedAttribute attribute) {
  if (isa<BindingAttr>(attribute.getValue()))
    return success();
  return op->emitOpError("has ")
         << attribute.getName() << " = " << attribute.getValue()
         << ", expected a #tfm.binding";
}

LogicalResult TfmDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned region,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kBindingAttrName)
    return verifyBinding(op, attribute);
  if (attribute.getName() != kParameterAttrName)
    return op->emitOpError("has argument attribute ")
           << attribute.getName() << ", expected " << kBindingAttrName << " or "
           << kParameterAttrName;
  auto parameter = dyn_cast<ParameterAttr>(attribute.getValue());
  if (!parameter)
    return op->emitOpError("has ")
           << kParameterAttrName << " = " << attribute.getValue()
           << ", expected a #tfm.parameter";
  auto function = cast<FunctionOpInterface>(op);
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  if (!type || type.getRank() != (int64_t)parameter.getDims().size())
    return op->emitOpError("parameter ")
           << parameter.getName() << " has " << parameter.getDims().size()
           << " dimensions, its argument is "
           << function.getArgumentTypes()[index];
  return success();
}

LogicalResult TfmDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned,
                                                      NamedAttribute attribute) {
  if (attribute.getName() == kBindingAttrName)
    return verifyBinding(op, attribute);
  return op->emitOpError("has result attribute ")
         << attribute.getName() << ", expected " << kBindingAttrName;
}

LogicalResult TfmDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  bool fits = llvm::StringSwitch<bool>(name)
                  .Case(kTrainingAttrName, isa<TrainingAttr>(value))
                  .Case(kMaskingAttrName, isa<MaskingAttr>(value))
                  .Case(kStrategyAttrName, isa<StrategyAttr>(value))
                  .Cases({kModelNameAttrName, kModelHashAttrName},
                         isa<StringAttr>(value))
                  .Case(kRemarksAttrName, isa<ArrayAttr>(value))
                  .Default(false);
  if (!fits || !isa<ModuleOp>(op))
    return op->emitOpError("has attribute ")
           << attribute.getName() << " = " << value
           << ", expected one that the tfm dialect defines for modules";
  return success();
}

LogicalResult ParameterAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                    StringAttr name,
                                    ArrayRef<DimensionKindAttr> dims,
                                    ArrayRef<int64_t> logicalShape,
                                    InitialKind initial, FloatAttr value,
                                    bool) {
  if (dims.size() != logicalShape.size()) // C1
    return emitError() << "parameter " << name << " names " << dims.size()
                       << " dimensions and " << logicalShape.size() << " sizes";
  if (initial == InitialKind::Normal && value.getValue().isNegative()) // C2
    return emitError() << "parameter " << name << " has standard deviation "
                       << value.getValueAsDouble() << ", expected at least 0";
  return success();
}

LogicalResult
TrainingAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t,
                     int64_t, OptimizerKind, FloatAttr, FloatAttr, int64_t,
                     int64_t, FloatAttr, FloatAttr, FloatAttr, FloatAttr,
                     FloatAttr, int64_t, int64_t, Precision precision,
                     FloatAttr lossScale, int64_t) {
  if ((precision == Precision::F16) != !!lossScale) // C1
    return emitError() << "precision is " << stringifyPrecision(precision)
                       << (lossScale ? " with" : " without")
                       << " a loss_scale, expected one with f16 alone";
  return success();
}

LogicalResult MaskingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t, int64_t, DenseI64ArrayAttr,
                                  FloatAttr rate, FloatAttr maskShare,
                                  FloatAttr randomShare) {
  const double chosen = rate.getValueAsDouble();
  const double mask = maskShare.getValueAsDouble();
  const double random = randomShare.getValueAsDouble();
  if (!(chosen > 0 && chosen <= 1)) // C1
    return emitError() << "masking has rate " << rate
                       << ", expected above 0 and at most 1";
  if (!(mask >= 0 && random >= 0 && mask + random <= 1)) // C1
    return emitError() << "masking has shares " << maskShare << " and "
                       << randomShare
                       << ", expected at least 0 and at most 1 together";
  return success();
}

// -------------------------------------------------------------- accessors

namespace mpc::tfm {

ParameterAttr getParameter(FunctionOpInterface function, unsigned arg) {
  return function.getArgAttrOfType<ParameterAttr>(
      arg, TfmDialect::kParameterAttrName);
}

void setParameter(FunctionOpInterface function, unsigned arg,
                  ParameterAttr parameter) {
  function.setArgAttr(arg, TfmDialect::kParameterAttrName, parameter);
}

BindingAttr getArgBinding(FunctionOpInterface function, unsigned arg) {
  return function.getArgAttrOfType<BindingAttr>(arg,
                                                TfmDialect::kBindingAttrName);
}

BindingAttr getResultBinding(FunctionOpInterface function, unsigned result) {
  return function.getResultAttrOfType<BindingAttr>(
      result, TfmDialect::kBindingAttrName);
}

void setArgBinding(FunctionOpInterface function, unsigned arg,
                   BindingAttr binding) {
  function.setArgAttr(arg, TfmDialect::kBindingAttrName, binding);
}

void setResultBinding(FunctionOpInterface function, unsigned result,
                      BindingAttr binding) {
  function.setResultAttr(result, TfmDialect::kBindingAttrName, binding);
}

TrainingAttr getTraining(ModuleOp module) {
  return module->getAttrOfType<TrainingAttr>(TfmDialect::kTrainingAttrName);
}
MaskingAttr getMasking(ModuleOp module) {
  return module->getAttrOfType<MaskingAttr>(TfmDialect::kMaskingAttrName);
}
StrategyAttr getStrategy(ModuleOp module) {
  return module->getAttrOfType<StrategyAttr>(TfmDialect::kStrategyAttrName);
}
StringAttr getModelName(ModuleOp module) {
  return module->getAttrOfType<StringAttr>(TfmDialect::kModelNameAttrName);
}
StringAttr getModelHash(ModuleOp module) {
  return module->getAttrOfType<StringAttr>(TfmDialect::kModelHashAttrName);
}
void setTraining(ModuleOp module, TrainingAttr training) {
  module->setAttr(TfmDialect::kTrainingAttrName, training);
}
void setMasking(ModuleOp module, MaskingAttr masking) {
  module->setAttr(TfmDialect::kMaskingAttrName, masking);
}
void setStrategy(ModuleOp module, StrategyAttr strategy) {
  module->setAttr(TfmDialect::kStrategyAttrName, strategy);
}
void setModelName(ModuleOp module, StringRef name) {
  module->setAttr(TfmDialect::kModelNameAttrName,
                  StringAttr::get(module.getContext(), name));
}
void setModelHash(ModuleOp module, StringRef hash) {
  module->setAttr(TfmDialect::kModelHashAttrName,
                  StringAttr::get(module.getContext(), hash));
}

SmallVector<StringRef> getRemarks(ModuleOp module) {
  auto remarks =
      module->getAttrOfType<ArrayAttr>(TfmDialect::kRemarksAttrName);
  SmallVector<StringRef> texts;
  if (remarks)
    llvm::append_range(texts, remarks.getAsValueRange<StringAttr>());
  return texts;
}

void addRemark(ModuleOp module, StringRef text) {
  SmallVector<StringRef> texts = getRemarks(module);
  texts.push_back(text);
  module->setAttr(TfmDialect::kRemarksAttrName,
                  Builder(module.getContext()).getStrArrayAttr(texts));
}

/// All ops of both dialects that have a phase call it so.
static constexpr StringLiteral kPhaseName = "phase";
static constexpr StringLiteral kPieceName = "piece";

dist::Phase getPhase(Operation *op) {
  auto phase = op->getAttrOfType<dist::PhaseAttr>(kPhaseName);
  return phase ? phase.getValue() : dist::Phase::Forward;
}

void setPhase(Operation *op, dist::Phase phase) {
  op->setAttr(kPhaseName, dist::PhaseAttr::get(op->getContext(), phase));
}

std::optional<int64_t> getPiece(Operation *op) {
  auto piece = op->getAttrOfType<IntegerAttr>(kPieceName);
  return piece ? std::optional(piece.getInt()) : std::nullopt;
}

void setPiece(Operation *op, int64_t piece) {
  op->setAttr(kPieceName, Builder(op->getContext()).getI64IntegerAttr(piece));
}

} // namespace mpc::tfm
