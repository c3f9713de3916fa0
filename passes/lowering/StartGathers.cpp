//===- StartGathers.cpp -----------------------------------------*- C++ -*-===//
//
// Where parameters are stored in pieces, a step begins by gathering them. Only the
// first microbatch has to wait for that, and only for the parameters that it is
// about to read.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/StepParts.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_STARTGATHERSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

using exec::ListPhase;
using exec::Variant;
using tfm::StateKind;

/// The gathers of which `value` is the result and that nothing else reads, in
/// order.
SmallVector<dist::AllGatherOp> findGathers(Value value) {
  SmallVector<dist::AllGatherOp> gathers;
  for (auto gather = value.getDefiningOp<dist::AllGatherOp>();
       gather && gather->hasOneUse();
       gather = gather.getInput().getDefiningOp<dist::AllGatherOp>())
    gathers.insert(gathers.begin(), gather);
  return gathers;
}

/// A parameter that the prologue gathers.
struct Gathered {
  tfm::BindingAttr compute;
  SmallVector<dist::AllGatherOp> gathers;
  /// Sharded types: of what is gathered, and of the result.
  RankedTensorType stored;
  Type global;
};

/// The functions of one stage.
class StageGathers {
public:
  StageGathers(func::FuncOp prologue, ArrayRef<func::FuncOp> functions,
               int64_t microbatches)
      : prologue(prologue), functions(functions), microbatches(microbatches) {}

  void run() {
    llvm::MapVector<Operation *, SmallVector<Gathered>> ofReader;
    Operation *end = prologue.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      tfm::BindingAttr binding = tfm::getResultBinding(prologue, index);
      if (binding.getKind() != StateKind::Compute)
        continue;
      SmallVector<dist::AllGatherOp> gathers = findGathers(value);
      if (gathers.empty())
        continue;
      RankedTensorType stored =
          getStoredType(binding, gathers.front().getInput());
      func::FuncOp reader = stored ? findReader(binding) : func::FuncOp();
      if (reader)
        ofReader[reader].push_back(
            {binding, gathers, stored,
             dist::getGlobalResultType(prologue, index)});
    }
    for (auto &[reader, parameters] : ofReader)
      moveAll(getFirst(cast<func::FuncOp>(reader)), parameters);
  }

private:
  /// The function of which the first run is the first to read a parameter, in its
  /// variant for the first microbatch; null if several may be.
  func::FuncOp findReader(tfm::BindingAttr binding) {
    func::FuncOp reader;
    for (func::FuncOp function : functions) {
      ListPhase phase = getStepPart(function).getPhase();
      Variant variant = exec::getVariant(function).getValue();
      if (variant == Variant::Middle || variant == Variant::Last ||
          phase == ListPhase::Backward || phase == ListPhase::Weight ||
          !findArgument(function, binding))
        continue;
      if (reader ||
          (phase != ListPhase::Forward && phase != ListPhase::ForwardBackward))
        return {};
      reader = function;
    }
    return reader;
  }

  /// The variant of `function` for the first microbatch.
  func::FuncOp getFirst(func::FuncOp function) {
    if (microbatches == 1 ||
        exec::getVariant(function).getValue() == Variant::First)
      return function;
    auto middle = cast<func::FuncOp>(function->clone());
    middle.setSymName((function.getSymName() + "_middle").str());
    exec::setVariant(middle, Variant::Middle);
    function->getParentOfType<ModuleOp>().insert(++function->getIterator(),
                                                 middle);
    exec::setVariant(function, Variant::First);
    return function;
  }

  /// `first` gathers the parameters, in the order in which it reads them.
  void moveAll(func::FuncOp first, MutableArrayRef<Gathered> parameters) {
    Block &body = first.getBody().front();
    llvm::DenseMap<Operation *, unsigned> places;
    for (auto [place, op] : llvm::enumerate(body))
      places[&op] = place;
    // Of each parameter its first use, and its number.
    SmallVector<std::pair<unsigned, unsigned>> order;
    for (auto [number, parameter] : llvm::enumerate(parameters)) {
      unsigned use = places.size();
      unsigned index = *findArgument(first, parameter.compute);
      for (Operation *user : first.getArgument(index).getUsers())
        use = std::min(use, places.lookup(user));
      order.push_back({use, number});
    }
    llvm::sort(order);
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (auto [use, number] : order)
      move(parameters[number], first, builder);
  }

  void move(Gathered &parameter, func::FuncOp first, OpBuilder &builder) {
    unsigned index = *findArgument(first, parameter.compute);
    BlockArgument argument = first.getArgument(index);
    Value stored = parameter.gathers.front().getInput();
    tfm::setArgBinding(first, index, keepStored(parameter, stored));
    dist::setGlobalArgType(first, index, parameter.stored);
    argument.setType(stored.getType());
    Value value = argument;
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(argument.getUses(),
                            [](OpOperand &use) { return &use; });
    for (dist::AllGatherOp gather : parameter.gathers) {
      IRMapping mapping;
      mapping.map(gather.getInput(), value);
      value = builder.clone(*gather, mapping)->getResult(0);
    }
    for (OpOperand *use : uses)
      use->set(value);
    first.getBody().front().getTerminator()->insertOperands(
        first.getNumResults(), value);
    unsigned result = first.getNumResults();
    (void)first.insertResult(result, value.getType(), {});
    tfm::setResultBinding(first, result, parameter.compute);
    dist::setGlobalResultType(first, result, parameter.global);
    updateFunctionType(first);
    for (dist::AllGatherOp gather : llvm::reverse(parameter.gathers))
      gather.erase();
  }

  /// The sharded type of what is gathered: of the master, or of its pieces in
  /// another precision; null if it is neither.
  RankedTensorType getStoredType(tfm::BindingAttr compute, Value stored) {
    std::optional<unsigned> master = findArgument(
        prologue, tfm::BindingAttr::get(prologue.getContext(),
                                        StateKind::Master, compute.getName()));
    if (!master)
      return {};
    auto type =
        cast<RankedTensorType>(dist::getGlobalArgType(prologue, *master));
    type = RankedTensorType::get(type.getShape(),
                                 getElementTypeOrSelf(stored.getType()),
                                 type.getEncoding());
    return dist::getLocalType(type) == stored.getType() ? type
                                                        : RankedTensorType();
  }

  /// Lets the prologue return what is gathered, rather than the result; nothing if
  /// that is the master itself. Returns where it is.
  tfm::BindingAttr keepStored(const Gathered &parameter, Value stored) {
    Operation *end = prologue.getBody().front().getTerminator();
    unsigned result = *findResult(prologue, parameter.compute);
    if (auto argument = dyn_cast<BlockArgument>(stored)) {
      end->eraseOperand(result);
      llvm::BitVector erased(prologue.getNumResults());
      erased.set(result);
      (void)prologue.eraseResults(erased);
      return tfm::getArgBinding(prologue, argument.getArgNumber());
    }
    MLIRContext *context = prologue.getContext();
    auto piece = tfm::BindingAttr::get(
        context, StateKind::Carry,
        StringAttr::get(context,
                        "piece of " + parameter.compute.getName().getValue()));
    end->setOperand(result, stored);
    tfm::setResultBinding(prologue, result, piece);
    dist::setGlobalResultType(prologue, result, parameter.stored);
    updateFunctionType(prologue);
    return piece;
  }

  func::FuncOp prologue;
  ArrayRef<func::FuncOp> functions;
  int64_t microbatches;
};

struct StartGathersPass : impl::StartGathersPassBase<StartGathersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifySpecialized(module)))
      return signalPassFailure();
    int64_t microbatches = getMicrobatches(module);
    for (auto &[stage, functions] : groupByStage(module))
      for (func::FuncOp function : functions)
        if (getStepPart(function).getPhase() == ListPhase::Prologue)
          StageGathers(function, functions, microbatches).run();
  }
};

} // namespace
} // namespace mpc
