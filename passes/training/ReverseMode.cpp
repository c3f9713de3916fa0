//===- ReverseMode.cpp - the backward pass of a block -----------*- C++ -*-===//

#include "passes/training/ReverseMode.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc {

namespace {

/// The backward pass of one block, for one loss.
class ReverseMode {
public:
  ReverseMode(OpBuilder &builder, GradientReceiver receive)
      : builder(builder), receive(receive) {}

  LogicalResult run(Value loss, Value cotangent,
                    ArrayRef<BlockArgument> wanted) {
    active.insert(wanted.begin(), wanted.end());
    SmallVector<Operation *> ops;
    for (Operation &op : *loss.getParentBlock()) {
      ops.push_back(&op);
      markActive(&op);
      if (&op == loss.getDefiningOp())
        break;
    }
    addCotangent(loss, cotangent);
    for (Operation *op : llvm::reverse(ops)) {
      if (failed(differentiate(op)))
        return failure();
      for (BlockArgument argument : firstUses.lookup(op))
        if (Value gradient = takeCotangent(argument))
          receive(argument, gradient);
    }
    return success();
  }

private:
  /// A value is active if its derivative with respect to a wanted argument may
  /// be other than 0.
  bool isActive(Value value) const {
    return active.contains(value) &&
           isa<FloatType>(getElementTypeOrSelf(value));
  }

  void markActive(Operation *op) {
    bool anyActive = false;
    for (Value operand : op->getOperands()) {
      if (!isActive(operand))
        continue;
      anyActive = true;
      auto argument = dyn_cast<BlockArgument>(operand);
      if (argument && seenArguments.insert(argument).second)
        firstUses[op].push_back(argument);
    }
    if (anyActive)
      active.insert(op->result_begin(), op->result_end());
  }

  void addCotangent(Value value, Value cotangent) {
    assert((value.getType() == cotangent.getType() ||
            widened(value.getType()) == cotangent.getType()) &&
           "a cotangent has the type of its value or is f32");
    cotangents[value].push_back(cotangent);
  }

  static Type widened(Type type) {
    return cast<RankedTensorType>(type).clone(
        Float32Type::get(type.getContext()));
  }

  /// The sum of the cotangents of a value's uses, all of which have been seen;
  /// null if it is 0. Parameters' gradients are summed in the phase of their
  /// addends, so that nothing of the backward phase waits for them. A sum is f32 if
  /// an addend is, and is rounded once; parameters' stay f32.
  Value takeCotangent(Value value) {
    SmallVector<Value, 2> addends = std::move(cotangents[value]);
    cotangents.erase(value);
    if (addends.empty())
      return {};
    Value sum = addends.front();
    bool isOfParameter = isa<BlockArgument>(value);
    dist::Phase phase =
        isOfParameter ? dist::Phase::Weight : dist::Phase::Backward;
    for (Value addend : ArrayRef(addends).drop_front()) {
      Type type = sum.getType() == value.getType() ? addend.getType()
                                                   : sum.getType();
      auto add = tfm::build<tfm::AddOp>(builder, value.getLoc(), phase, type,
                                        sum, addend);
      setPieceOfSum(add, isOfParameter);
      sum = add;
    }
    return isOfParameter ? sum : rounded(sum, value.getType());
  }

  /// `cotangent` in the precision of its value.
  Value rounded(Value cotangent, Type type) {
    if (cotangent.getType() == type)
      return cotangent;
    auto cast = tfm::build<tfm::CastOp>(builder, cotangent.getLoc(),
                                        dist::Phase::Backward, type, cotangent);
    Operation *source = cotangent.getDefiningOp();
    if (std::optional<int64_t> piece = source ? tfm::getPiece(source)
                                              : std::nullopt)
      tfm::setPiece(cast, *piece);
    return cast;
  }

  /// Cotangents flow from later pieces to earlier ones: a sum is where its last
  /// addend arises. The gradients of a parameter of several pieces do not meet.
  static void setPieceOfSum(tfm::AddOp add, bool isOfParameter) {
    Operation *a = add.getA().getDefiningOp(), *b = add.getB().getDefiningOp();
    std::optional<int64_t> pieceA = a ? tfm::getPiece(a) : std::nullopt;
    std::optional<int64_t> pieceB = b ? tfm::getPiece(b) : std::nullopt;
    if (pieceA && pieceB && (!isOfParameter || pieceA == pieceB))
      tfm::setPiece(add, std::min(*pieceA, *pieceB));
  }

  LogicalResult differentiate(Operation *op) {
    SmallVector<Value> resultGrads;
    for (Value result : op->getResults())
      resultGrads.push_back(active.contains(result) ? takeCotangent(result)
                                                    : Value());
    if (llvm::none_of(resultGrads, [](Value grad) { return !!grad; }))
      return success();

    auto differentiable = dyn_cast<GradientOpInterface>(op);
    if (!differentiable)
      return op->emitOpError(
          "stands between a parameter and the loss and has no "
          "gradient; implement GradientOpInterface for it");
    SmallVector<bool> wanted;
    for (Value operand : op->getOperands())
      wanted.push_back(isActive(operand));
    Operation *last = lastBuilt();
    SmallVector<Value> grads =
        differentiable.buildGradients(builder, resultGrads, wanted);
    // What differentiates an op is in its piece.
    if (std::optional<int64_t> piece = tfm::getPiece(op))
      for (Operation *built = lastBuilt(); built != last;
           built = built->getPrevNode())
        tfm::setPiece(built, *piece);
    for (auto [operand, isWanted, grad] :
         llvm::zip_equal(op->getOperands(), wanted, grads))
      if (isWanted && grad)
        addCotangent(operand, grad);
    return success();
  }

  Operation *lastBuilt() const {
    return &*std::prev(builder.getInsertionPoint());
  }

  OpBuilder &builder;
  GradientReceiver receive;
  DenseSet<Value> active;
  DenseSet<BlockArgument> seenArguments;
  /// The arguments whose first use an op is: behind its gradients theirs are
  /// complete.
  DenseMap<Operation *, SmallVector<BlockArgument, 1>> firstUses;
  DenseMap<Value, SmallVector<Value, 2>> cotangents;
};

} // namespace

LogicalResult buildBackwardPass(OpBuilder &builder, Value loss, Value cotangent,
                                ArrayRef<BlockArgument> wanted,
                                GradientReceiver receive) {
  return ReverseMode(builder, receive).run(loss, cotangent, wanted);
}

} // namespace mpc
