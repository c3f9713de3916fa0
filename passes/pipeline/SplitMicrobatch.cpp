//===- SplitMicrobatch.cpp - a microbatch, cut into pieces ------*- C++ -*-===//

#include "passes/pipeline/SplitMicrobatch.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mpc {

using dist::Phase;
using exec::ListPhase;
using tfm::StateKind;

MicrobatchSplitter::MicrobatchSplitter(func::FuncOp function,
                                       PieceLayout layout)
    : function(function), layout(layout) {
  auto module = function->getParentOfType<ModuleOp>();
  sites.resize((layout.splitsWeights ? 3 : 2) * layout.pieceCount);
  for (auto [number, site] : llvm::enumerate(sites)) {
    exec::PartAttr part = partOfSite(number);
    std::string name = stringifyListPhase(part.getPhase()).str() + "_" +
                       std::to_string(part.getPiece());
    site.function =
        std::make_unique<StepFunction>(module, function.getLoc(), name);
    exec::setPart(site.function->getFunction(), part);
  }
}

// --------------------------------------------------------------------- sites

int64_t MicrobatchSplitter::pieceOfSite(unsigned site) const {
  int64_t pieces = layout.pieceCount;
  if (site >= 2 * pieces)
    return site - 2 * pieces;
  return site < pieces ? site : 2 * pieces - 1 - site;
}

exec::PartAttr MicrobatchSplitter::partOfSite(unsigned site) {
  int64_t piece = pieceOfSite(site);
  ListPhase phase = site < layout.pieceCount       ? ListPhase::Forward
                    : site < 2 * layout.pieceCount ? ListPhase::Backward
                                                   : ListPhase::Weight;
  return exec::PartAttr::get(function.getContext(), phase, piece,
                             layout.getStage(piece));
}

unsigned MicrobatchSplitter::previousSite(unsigned site, unsigned home) const {
  int64_t piece = pieceOfSite(site), homePiece = pieceOfSite(home);
  bool fromForward = home < layout.pieceCount;
  if (site >= 2 * layout.pieceCount) // A weight function.
    return fromForward && homePiece <= piece ? forwardSite(piece)
                                             : backwardSite(piece);
  if (site < layout.pieceCount)
    return site - 1;
  return fromForward && homePiece <= piece ? forwardSite(piece) : site - 1;
}

// -------------------------------------------------------------------- pieces

/// What depends on batch inputs and scalars alone: computed wherever it is used.
bool MicrobatchSplitter::isCloneable(Operation *op) {
  auto [it, isNew] = cloneable.insert({op, false});
  if (!isNew)
    return it->second;
  bool result =
      !tfm::getPiece(op) && !isa<tfm::AccumulateOp>(op) &&
      llvm::all_of(op->getOperands(), [&](Value operand) {
        auto argument = dyn_cast<BlockArgument>(operand);
        if (!argument)
          return isCloneable(operand.getDefiningOp());
        return tfm::getArgBinding(function, argument.getArgNumber())
                   .getKind() != StateKind::Accumulator;
      });
  return cloneable[op] = result;
}

std::optional<int64_t> MicrobatchSplitter::pieceOf(Operation *op) {
  if (std::optional<int64_t> piece = tfm::getPiece(op))
    return piece;
  if (isCloneable(op))
    return std::nullopt;
  auto [it, isNew] = pieces.insert({op, std::nullopt});
  if (!isNew)
    return it->second;
  std::optional<int64_t> piece = findPiece(op);
  pieces[op] = piece;
  return piece;
}

/// A reshard that reduces is where the addends arise, so that the sum is sent and
/// not they; any other is where its result is used first, so that a split value is
/// sent split. What else has no stage is where its operands meet.
std::optional<int64_t> MicrobatchSplitter::findPiece(Operation *op) {
  bool isForward = tfm::getPhase(op) == Phase::Forward;
  std::optional<int64_t> piece;
  auto meet = [&](Operation *other, bool earliest) {
    std::optional<int64_t> found = other ? pieceOf(other) : std::nullopt;
    if (found)
      piece = !piece     ? *found
              : earliest ? std::min(*piece, *found)
                         : std::max(*piece, *found);
  };
  auto reshard = dyn_cast<dist::ReshardOp>(op);
  if (reshard && !dist::getSharding(reshard.getInput().getType()).isPartial())
    for (Operation *user : op->getUsers())
      meet(user, isForward);
  if (!piece)
    for (Value operand : op->getOperands())
      meet(operand.getDefiningOp(), !isForward);
  return piece;
}

unsigned MicrobatchSplitter::siteOf(Operation *op) {
  int64_t piece = pieceOf(op).value_or(0);
  switch (tfm::getPhase(op)) {
  case Phase::Prologue:
  case Phase::Forward:
    return forwardSite(piece);
  case Phase::Recompute:
  case Phase::Backward:
    return backwardSite(piece);
  case Phase::Weight:
  case Phase::Update:
    return weightSite(piece);
  }
  llvm_unreachable("phase of another version");
}

// ------------------------------------------------------------------- writing

/// What a person wrote may name pieces that there are not, or read what is computed
/// later.
LogicalResult MicrobatchSplitter::verifyPieces() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::optional<int64_t> piece = pieceOf(&op);
    if (piece && (*piece < 0 || *piece >= layout.pieceCount))
      return op.emitOpError("is in piece ")
             << *piece << ", expected one from 0 to " << layout.pieceCount - 1;
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isCloneable(&op) || isa<tfm::AccumulateOp>(op) || !pieceOf(&op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && pieceOf(source) && siteOf(source) > siteOf(&op) &&
          tfm::getPhase(&op) != Phase::Weight)
        return op.emitOpError("is in piece ")
               << *pieceOf(&op) << " and reads what piece " << *pieceOf(source)
               << " computes later";
    }
  }
  return success();
}

LogicalResult MicrobatchSplitter::run() {
  if (failed(verifyPieces()))
    return failure();
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(write(&op)))
      return failure();
  for (Value value : body.getTerminator()->getOperands())
    if (!value.getDefiningOp<tfm::AccumulateOp>())
      return function.emitOpError("returns a value that is not accumulated, "
                                  "which has no place in a pipeline");
  for (Site &site : sites)
    site.function->finish();
  return success();
}

LogicalResult MicrobatchSplitter::write(Operation *op) {
  if (isCloneable(op))
    return success();
  if (auto accumulate = dyn_cast<tfm::AccumulateOp>(op))
    return writeAccumulation(accumulate);
  // A sum of gradients from several stages: its addends are accumulated.
  if (isa<tfm::AddOp>(op) && !tfm::getPiece(op) &&
      tfm::getPhase(op) == Phase::Weight)
    return success();
  if (!pieceOf(op))
    return op->emitOpError("is in no stage; expected mpc-assign-stages to have "
                           "run on the forward pass");
  clone(op, siteOf(op));
  return success();
}

Operation *MicrobatchSplitter::clone(Operation *op, unsigned site) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand, site));
  Operation *copy = sites[site].function->getBuilder().clone(*op, mapping);
  for (auto [result, here] : llvm::zip_equal(op->getResults(), copy->getResults()))
    sites[site].values[result] = here;
  return copy;
}

void MicrobatchSplitter::collectAddends(Value value,
                                        SmallVectorImpl<Value> &to) {
  auto sum = value.getDefiningOp<tfm::AddOp>();
  if (!sum || tfm::getPiece(sum) || tfm::getPhase(sum) != Phase::Weight) {
    to.push_back(value);
    return;
  }
  collectAddends(sum.getA(), to);
  collectAddends(sum.getB(), to);
}

LogicalResult MicrobatchSplitter::writeAccumulation(tfm::AccumulateOp op) {
  tfm::BindingAttr binding;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands()))
    if (value == op.getResult())
      binding = tfm::getResultBinding(function, index);
  if (!binding || !isa<BlockArgument>(op.getAccumulator()))
    return op.emitOpError("is not between an accumulator and a result");
  SmallVector<Value> addends;
  collectAddends(op.getAddend(), addends);
  llvm::MapVector<unsigned, Value> sums;
  for (Value addend : addends) {
    int64_t piece = pieceOf(addend.getDefiningOp()).value_or(0);
    unsigned site = tfm::getPhase(op) == Phase::Forward ? forwardSite(piece)
                                                        : weightSite(piece);
    Value &sum = sums[site];
    if (!sum)
      sum = get(op.getAccumulator(), site);
    Value here = get(addend, site);
    sum = tfm::build<tfm::AccumulateOp>(
        sites[site].function->getBuilder(), addend.getLoc(), tfm::getPhase(op),
        op.getType(), sum, here);
    writers[binding.getName()] = layout.getStage(piece);
  }
  for (auto [site, sum] : sums)
    sites[site].function->addResult(sum, binding);
  return success();
}

// ------------------------------------------------------------------ crossing

Value MicrobatchSplitter::addArgument(unsigned site, tfm::BindingAttr binding,
                                      Type type, Location location) {
  BlockArgument &argument = sites[site].arguments[binding];
  if (!argument)
    argument = sites[site].function->addArgument(type, binding, location);
  return argument;
}

/// `value` of the whole function, as `site` has it.
Value MicrobatchSplitter::get(Value value, unsigned site) {
  if (Value here = sites[site].values.lookup(value))
    return here;
  Value here;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    tfm::BindingAttr binding =
        tfm::getArgBinding(function, argument.getArgNumber());
    if (binding.getKind() == StateKind::Compute)
      readers[binding.getName()].insert(pieceOfSite(site));
    here = addArgument(site, binding, value.getType(), value.getLoc());
  } else if (isCloneable(value.getDefiningOp())) {
    clone(value.getDefiningOp(), site);
    return sites[site].values.lookup(value);
  } else {
    unsigned from = previousSite(site, siteOf(value.getDefiningOp()));
    here = pieceOfSite(from) == pieceOfSite(site) ? keep(value, from, site)
                                                  : send(value, from, site);
  }
  return sites[site].values[value] = here;
}

/// What a piece keeps from one of its functions to a later one. What came from
/// another piece stays where it arrived.
Value MicrobatchSplitter::keep(Value value, unsigned from, unsigned to) {
  Value there = get(value, from);
  tfm::BindingAttr &binding = sites[from].kept[value];
  if (!binding) {
    for (auto [bound, argument] : sites[from].arguments)
      if (argument == there)
        binding = bound;
    if (!binding) {
      std::string piece = std::to_string(pieceOfSite(from));
      binding = tfm::BindingAttr::get(
          function.getContext(), StateKind::Stash,
          StringAttr::get(function.getContext(),
                          piece + "#" + std::to_string(counts[piece]++)));
      sites[from].function->addResult(there, binding);
    }
  }
  return addArgument(to, binding, value.getType(), value.getLoc());
}

/// What goes to a neighbour.
Value MicrobatchSplitter::send(Value value, unsigned from, unsigned to) {
  Value there = get(value, from);
  MLIRContext *context = function.getContext();
  tfm::BindingAttr &binding = sites[from].sent[value];
  if (!binding) {
    std::string channel =
        (from < layout.pieceCount ? "activation_" : "cotangent_") +
        std::to_string(pieceOfSite(from)) + "_" +
        std::to_string(pieceOfSite(to));
    binding = tfm::BindingAttr::get(
        context, StateKind::Outgoing,
        StringAttr::get(context,
                        channel + "#" + std::to_string(counts[channel]++)));
    sites[from].function->addResult(there, binding);
  }
  return addArgument(to,
                     tfm::BindingAttr::get(context, StateKind::Incoming,
                                           binding.getName()),
                     value.getType(), value.getLoc());
}

// ----------------------------------------------------------------- answering

SmallVector<int64_t>
MicrobatchSplitter::getStagesOf(StringAttr parameter) const {
  auto it = readers.find(parameter);
  if (it == readers.end())
    return {};
  SmallVector<int64_t> read(it->second.begin(), it->second.end());
  llvm::sort(read);
  llvm::SmallSetVector<int64_t, 2> stages;
  for (int64_t piece : read)
    stages.insert(layout.getStage(piece));
  return llvm::to_vector(stages);
}

std::optional<int64_t>
MicrobatchSplitter::getWriterOf(StringAttr carry) const {
  auto it = writers.find(carry);
  return it == writers.end() ? std::nullopt : std::optional(it->second);
}

} // namespace mpc
