// The gradient of an embedding: rows are added at places that the ids decide.
// Each iteration owns a block of the table and looks for its ids, so the order
// of additions does not depend on how iterations are divided.
#include "passes/lowering/kernels/CustomKernels.h"

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lowering/kernels/KernelBodyInterface.h"
#include "passes/lowering/kernels/Lanes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mpc::kernels {

namespace {

/// Rows of the table in a block: many enough that looking at all ids costs
/// little, and few enough for some blocks.
int64_t blockRows(int64_t tableRows) {
  return std::clamp<int64_t>(tableRows / 64, 16, 512);
}

class EmbeddingGradEmitter {
public:
  EmbeddingGradEmitter(tfm::EmbeddingGradOp op, OpBuilder &builder)
      : b(builder), loc(op.getLoc()), lanes(builder, loc),
        addend(op.getOutGrad().getType().getElementType()),
        element(op.getType().getElementType()),
        tableRows(op.getType().getDimSize(0)),
        columns(op.getType().getDimSize(1)),
        places(op.getIds().getType().getNumElements()) {}

  void emit(ValueRange inputs, Value initial, Value table, Value begin,
            Value end);

private:
  void startBlock(Value block, Value first, Value count, Value initial);
  void addPlace(Value place, Value row, Value outGrad, Value table);
  void addLanes(Value from, Value to, Value column, Value mask);
  void loop(Value begin, Value end, int64_t step,
            llvm::function_ref<void(Value)> body);

  OpBuilder &b;
  Location loc;
  LaneBuilder lanes;
  /// Of the cotangents, and of the table, whose sums are in f32.
  Type addend, element;
  int64_t tableRows, columns, places;
  static constexpr int64_t kWidth = 32;
};

} // namespace

void EmbeddingGradEmitter::loop(Value begin, Value end, int64_t step,
                                llvm::function_ref<void(Value)> body) {
  scf::ForOp::create(b, loc, begin, end, lanes.i64(step), ValueRange{},
                     [&](OpBuilder &nested, Location, Value i, ValueRange) {
                       OpBuilder::InsertionGuard guard(b);
                       b.restoreInsertionPoint(nested.saveInsertionPoint());
                       body(i);
                       scf::YieldOp::create(b, loc);
                     });
}

/// Sets `count` rows of the table from row `first` to zero or to `initial`.
void EmbeddingGradEmitter::startBlock(Value table, Value first, Value count,
                                      Value initial) {
  int64_t rowBytes = columns * element.getIntOrFloatBitWidth() / 8;
  Value bytes = arith::MulIOp::create(b, loc, count, lanes.i64(rowBytes));
  Value offset = arith::MulIOp::create(b, loc, first, lanes.i64(rowBytes));
  Value to = lanes.address(b.getI8Type(), table, offset);
  if (!initial) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    LLVM::MemsetOp::create(b, loc, to, zero, bytes, /*isVolatile=*/false);
    return;
  }
  Value differ =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, table, initial);
  auto branch = scf::IfOp::create(b, loc, differ, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value from = lanes.address(b.getI8Type(), initial, offset);
  LLVM::MemcpyOp::create(b, loc, to, from, bytes, /*isVolatile=*/false);
}

void EmbeddingGradEmitter::addLanes(Value from, Value to, Value column,
                                    Value mask) {
  LaneMemory source{lanes.address(addend, from, column), 1, mask};
  LaneMemory target{lanes.address(element, to, column), 1, mask};
  Value value = lanes.load(addend, source, kWidth);
  if (addend != element)
    value =
        arith::ExtFOp::create(b, loc, laneType(element, kWidth), value);
  Value sum = arith::AddFOp::create(
      b, loc, lanes.load(element, target, kWidth), value);
  lanes.store(sum, target, kWidth);
}

void EmbeddingGradEmitter::addPlace(Value place, Value row, Value outGrad,
                                    Value table) {
  auto rowAt = [&](Type type, Value base, Value index) {
    return lanes.address(
        type, base,
        arith::MulIOp::create(b, loc, index, lanes.i64(columns)));
  };
  Value from = rowAt(addend, outGrad, place), to = rowAt(element, table, row);
  int64_t whole = columns / kWidth * kWidth;
  if (whole > 0)
    loop(lanes.i64(0), lanes.i64(whole), kWidth,
         [&](Value column) { addLanes(from, to, column, Value()); });
  if (whole < columns)
    addLanes(from, to, lanes.i64(whole),
             lanes.maskBelow(lanes.i64(columns - whole), kWidth));
}

void EmbeddingGradEmitter::emit(ValueRange inputs, Value initial, Value table,
                                Value begin, Value end) {
  Value outGrad = inputs[0], ids = inputs[1], rows = inputs[2];
  int64_t size = blockRows(tableRows);
  Value firstId = lanes.load(b.getI32Type(), {rows, 0, Value()}, 1);
  loop(begin, end, 1, [&](Value block) {
    Value first = arith::MulIOp::create(b, loc, block, lanes.i64(size));
    Value rest = arith::SubIOp::create(b, loc, lanes.i64(tableRows), first);
    Value count = arith::MinSIOp::create(b, loc, rest, lanes.i64(size));
    startBlock(table, first, count, initial);
    loop(lanes.i64(0), lanes.i64(places), 1, [&](Value place) {
      Value id = lanes.load(
          b.getI32Type(),
          {lanes.address(b.getI32Type(), ids, place), 0, Value()}, 1);
      Value distance = arith::SubIOp::create(b, loc, id, firstId);
      Value row = arith::ExtSIOp::create(b, loc, b.getI64Type(), distance);
      Value inBlock = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ult,
          arith::SubIOp::create(b, loc, row, first), count);
      auto branch =
          scf::IfOp::create(b, loc, inBlock, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      addPlace(place, row, outGrad, table);
    });
  });
}

namespace {
struct EmbeddingGradModel
    : KernelBodyOpInterface::ExternalModel<EmbeddingGradModel,
                                           tfm::EmbeddingGradOp> {
  int64_t getKernelExtent(Operation *op) const {
    int64_t rows = cast<tfm::EmbeddingGradOp>(op).getType().getDimSize(0);
    return llvm::divideCeil(rows, blockRows(rows));
  }

  void emitKernelBody(Operation *op, OpBuilder &builder, ValueRange inputs,
                      Value initial, Value output, Value begin,
                      Value end) const {
    EmbeddingGradEmitter(cast<tfm::EmbeddingGradOp>(op), builder)
        .emit(inputs, initial, output, begin, end);
  }
};
} // namespace

void registerCustomKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tfm::TfmDialect *) {
    tfm::EmbeddingGradOp::attachInterface<EmbeddingGradModel>(*context);
  });
}

} // namespace mpc::kernels
