//===- EmitCommands.cpp - steps with memory to exec commands ----*- C++ -*-===//

#include "passes/lowering/EmitCommands.h"

#include "llvm/ADT/TypeSwitch.h"
#include "passes/lowering/LocationName.h"
#include "passes/lowering/Products.h"

using namespace mlir;

namespace mpc {
namespace {

/// The product of the sizes of all dimensions from `begin` to before `end`.
int64_t countElements(Value value, int64_t begin, int64_t end) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(value.getType()).getShape();
  int64_t count = 1;
  for (int64_t size : shape.slice(begin, end - begin))
    count *= size;
  return count;
}

int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

class CommandEmitter {
public:
  CommandEmitter(const ListMemory &memory, OpBuilder &builder)
      : memory(memory), builder(builder) {}

  LogicalResult emit(const Step &step) {
    location = nullptr;
    if (std::string name = getLocationName(step.op->getLoc()); !name.empty())
      location = builder.getStringAttr(name);
    if (step.isWait) {
      exec::WaitOp::create(builder, step.op->getLoc(), handles[step.op],
                           location);
      return success();
    }
    return llvm::TypeSwitch<Operation *, LogicalResult>(step.op)
        .Case<func::CallOp, tfm::LinearOp, tfm::LinearInputGradOp,
              tfm::LinearWeightGradOp, tfm::AccumulateOp, tfm::AttentionOp,
              tfm::AttentionGradOp, tfm::AttentionScoresOp,
              tfm::AttentionContextOp, tfm::AttentionKeyGradOp,
              dist::AllReduceOp, dist::AllGatherOp, dist::ReduceScatterOp,
              dist::AllToAllOp, dist::ShardOp, dist::KeepOnFirstOp>([&](auto op) {
          emitOp(op);
          return success();
        })
        .Default([](Operation *op) {
          return op->emitOpError("is neither in a kernel nor a command");
        });
  }

  void emitCopy(ListMemory::Copy copy, Location location) {
    exec::CopyOp::create(builder, location, copy.source, copy.destination,
                         StringAttr());
  }

private:
  exec::SliceAttr at(Value value) const { return memory.getSlice(value); }
  ArrayAttr atAll(ValueRange values) {
    return builder.getArrayAttr(llvm::map_to_vector(
        values, [&](Value value) -> Attribute { return at(value); }));
  }

  void emitOp(func::CallOp op) {
    exec::LaunchOp::create(builder, op.getLoc(), op.getCalleeAttr(),
                           atAll(op.getOperands()), atAll(op.getResults()),
                           location);
  }

  // --------------------------------------------------------------- products

  struct Matrices {
    Value left, right;
    int64_t rows, columns, inner;
    bool transposeLeft, transposeRight;
  };

  /// Activations are [b, s, features…], weights [out features…, in features…].
  static Matrices getMatrices(tfm::LinearOp op) {
    Value x = op.getX(), w = op.getW();
    int64_t out = rankOf(op.getOut()) - 2;
    return {x, w, countElements(x, 0, 2), countElements(w, 0, out),
            countElements(w, out, rankOf(w)), false, true};
  }
  static Matrices getMatrices(tfm::LinearInputGradOp op) {
    Value grad = op.getOutGrad(), w = op.getW();
    int64_t out = rankOf(grad) - 2;
    return {grad, w, countElements(grad, 0, 2),
            countElements(w, out, rankOf(w)), countElements(w, 0, out), false,
            false};
  }
  static Matrices getMatrices(tfm::LinearWeightGradOp op) {
    Value grad = op.getOutGrad(), x = op.getX();
    return {grad, x, countElements(grad, 2, rankOf(grad)),
            countElements(x, 2, rankOf(x)), countElements(x, 0, 2), true,
            false};
  }

  template <typename OpTy>
  void emitProduct(OpTy op, Value result, bool accumulate) {
    Matrices m = getMatrices(op);
    exec::GemmOp::create(builder, op.getLoc(), at(m.left), at(m.right),
                         at(result), m.rows, m.columns, m.inner,
                         m.transposeLeft, m.transposeRight, accumulate,
                         /*batch=*/DenseI64ArrayAttr(), DenseI64ArrayAttr(),
                         DenseI64ArrayAttr(), DenseI64ArrayAttr(), location);
  }

  void emitOp(tfm::LinearOp op) { emitProduct(op, op.getResult(), false); }
  void emitOp(tfm::LinearInputGradOp op) {
    emitProduct(op, op.getResult(), false);
  }
  void emitOp(tfm::LinearWeightGradOp op) {
    emitProduct(op, op.getResult(), false);
  }

  void emitOp(tfm::AccumulateOp op) {
    if (at(op.getAccumulator()) != at(op.getResult()))
      emitCopy({at(op.getAccumulator()), at(op.getResult())}, op.getLoc());
    llvm::TypeSwitch<Operation *>(getAccumulatedProduct(op))
        .Case<tfm::LinearOp, tfm::LinearInputGradOp, tfm::LinearWeightGradOp>(
            [&](auto product) { emitProduct(product, op.getResult(), true); });
  }

  // ------------------------------------------------------- batched products
  //
  // The batch is b, k, g: a head's matrices lie in their tensors as they are, so
  // nothing is transposed in memory.

  /// Of a tensor's matrices: the elements from one to the next along b, k and g, and
  /// from row to row.
  using Strides = std::array<int64_t, 4>;

  /// [b, s, k, g, d].
  static Strides stridesOfQueries(ArrayRef<int64_t> shape) {
    int64_t k = shape[2], g = shape[3], d = shape[4];
    return {shape[1] * k * g * d, g * d, d, k * g * d};
  }
  /// [b, t, k, d]: the queries' heads of a group share them.
  static Strides stridesOfKeys(ArrayRef<int64_t> shape) {
    int64_t k = shape[2], d = shape[3];
    return {shape[1] * k * d, d, 0, k * d};
  }
  /// [b, k, g, s, t].
  static Strides stridesOfScores(ArrayRef<int64_t> shape) {
    int64_t g = shape[2], s = shape[3], t = shape[4];
    return {shape[1] * g * s * t, g * s * t, s * t, t};
  }

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  void emitBatch(Operation *op, Matrices m, Strides left, Strides right,
                 Strides destination, ArrayRef<int64_t> scores) {
    exec::GemmOp::create(
        builder, op->getLoc(), at(m.left), at(m.right), at(op->getResult(0)),
        m.rows, m.columns, m.inner, m.transposeLeft, m.transposeRight,
        /*accumulate=*/false,
        builder.getDenseI64ArrayAttr(scores.take_front(3)),
        builder.getDenseI64ArrayAttr(left), builder.getDenseI64ArrayAttr(right),
        builder.getDenseI64ArrayAttr(destination), location);
  }

  void emitOp(tfm::AttentionScoresOp op) {
    ArrayRef<int64_t> q = shapeOf(op.getQ()), k = shapeOf(op.getK()),
                      scores = shapeOf(op.getScores());
    emitBatch(op, {op.getQ(), op.getK(), q[1], k[1], q[4], false, true},
              stridesOfQueries(q), stridesOfKeys(k), stridesOfScores(scores),
              scores);
  }
  void emitOp(tfm::AttentionContextOp op) {
    ArrayRef<int64_t> weights = shapeOf(op.getWeights()),
                      values = shapeOf(op.getValues()),
                      out = shapeOf(op.getOut());
    emitBatch(op,
              {op.getWeights(), op.getValues(), out[1], out[4], values[1],
               false, false},
              stridesOfScores(weights), stridesOfKeys(values),
              stridesOfQueries(out), weights);
  }
  void emitOp(tfm::AttentionKeyGradOp op) {
    ArrayRef<int64_t> weights = shapeOf(op.getWeights()),
                      rows = shapeOf(op.getRows()), out = shapeOf(op.getOut());
    emitBatch(op,
              {op.getWeights(), op.getRows(), out[1], out[3], rows[1], true,
               false},
              stridesOfScores(weights), stridesOfQueries(rows),
              stridesOfKeys(out), weights);
  }

  // -------------------------------------------------------------- attention

  UnitAttr unitIf(bool condition) {
    return condition ? builder.getUnitAttr() : UnitAttr();
  }

  void emitOp(tfm::AttentionOp op) {
    exec::AttentionOp::create(
        builder, op.getLoc(), op.getScaleAttr(), unitIf(op.getCausal()),
        op.getRateAttr(), op.getKeyAttr(), at(op.getQ()), at(op.getK()),
        at(op.getV()), at(op.getQueryPositions()), at(op.getKeyPositions()),
        at(op.getSeed()), at(op.getSamples()), at(op.getHeads()),
        at(op.getOut()), at(op.getLogsumexp()), memory.getWorkspace(op),
        location);
  }

  void emitOp(tfm::AttentionGradOp op) {
    exec::AttentionGradOp::create(
        builder, op.getLoc(), op.getScaleAttr(), unitIf(op.getCausal()),
        op.getRateAttr(), op.getKeyAttr(), at(op.getQ()), at(op.getK()),
        at(op.getV()), at(op.getQueryPositions()), at(op.getKeyPositions()),
        at(op.getSeed()), at(op.getSamples()), at(op.getHeads()),
        at(op.getOut()), at(op.getLogsumexp()), memory.getWorkspace(op),
        at(op.getOutGrad()), at(op.getQGrad()), at(op.getKGrad()),
        at(op.getVGrad()), location);
  }

  // ------------------------------------------------------------ collectives

  template <typename OpTy>
  void emitStart(OpTy op, exec::CollectiveKind kind,
                 std::optional<dist::ReductionKind> reduction, int64_t shrink,
                 int64_t grow) {
    MLIRContext *context = builder.getContext();
    dist::ReductionKindAttr reductionAttr;
    if (reduction)
      reductionAttr = dist::ReductionKindAttr::get(context, *reduction);
    int64_t handle = handles.size();
    handles[op] = handle;
    exec::StartOp::create(builder, op.getLoc(),
                          builder.getI64IntegerAttr(handle),
                          exec::CollectiveKindAttr::get(context, kind),
                          reductionAttr, op.getAxes(), at(op.getInput()),
                          at(op.getResult()),
                          builder.getI64IntegerAttr(shrink),
                          builder.getI64IntegerAttr(grow), location);
  }

  void emitOp(dist::AllReduceOp op) {
    emitStart(op, exec::CollectiveKind::AllReduce, op.getReduction(), 0, 0);
  }
  void emitOp(dist::AllGatherOp op) {
    emitStart(op, exec::CollectiveKind::AllGather, std::nullopt, 0,
              op.getDimension());
  }
  void emitOp(dist::ReduceScatterOp op) {
    emitStart(op, exec::CollectiveKind::ReduceScatter,
              dist::ReductionKind::Sum, op.getDimension(), 0);
  }
  void emitOp(dist::AllToAllOp op) {
    emitStart(op, exec::CollectiveKind::AllToAll, std::nullopt,
              op.getSplitDimension(), op.getJoinDimension());
  }

  void emitOp(dist::ShardOp op) {
    exec::ShardOp::create(builder, op.getLoc(), op.getAxes(),
                          op.getDimension(), at(op.getInput()),
                          at(op.getResult()), location);
  }
  void emitOp(dist::KeepOnFirstOp op) {
    exec::KeepOnFirstOp::create(builder, op.getLoc(), op.getAxes(),
                                at(op.getInput()), at(op.getResult()),
                                location);
  }

  const ListMemory &memory;
  OpBuilder &builder;
  /// Of the command at hand, null if it has none.
  StringAttr location;
  llvm::DenseMap<Operation *, int64_t> handles;
};

} // namespace

LogicalResult emitCommands(const ListMemory &memory, OpBuilder &builder) {
  CommandEmitter emitter(memory, builder);
  for (const Step &step : memory.getSteps().getSteps())
    if (failed(emitter.emit(step)))
      return failure();
  FailureOr<SmallVector<ListMemory::Copy>> copies = memory.getFinalCopies();
  if (failed(copies))
    return failure();
  for (ListMemory::Copy copy : *copies)
    emitter.emitCopy(copy, builder.getUnknownLoc());
  return success();
}

} // namespace mpc
