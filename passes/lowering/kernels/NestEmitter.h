// The loop nest of one group while it is emitted.
#ifndef MPC_PASSES_LOWERING_KERNELS_NESTEMITTER_H
#define MPC_PASSES_LOWERING_KERNELS_NESTEMITTER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/lowering/kernels/KernelEmitter.h"
#include "llvm/ADT/DenseMap.h"

namespace mpc::kernels {

/// One result of a reducing node: what is combined, and how.
struct Reduction {
  unsigned node;
  unsigned result;
  /// The op of the body that combines an element with what is there.
  mlir::Operation *combiner;
  /// Its operand that is the element.
  mlir::Value element;
  mlir::TypedAttr neutral;
  /// Sums of many elements: partial sums are added in f64.
  bool wide;
};

/// Lets `op` ignore the sign of zero in maxima, and contract a product with the sum
/// that it is a term of.
void relaxFloats(mlir::Operation *op, bool mayContract);

/// A value of a body is emitted in the outermost loop that it can be: level k
/// is inside the first k loops of the group. It is a vector iff it depends on
/// the vectorised dimension.
class NestEmitter {
public:
  NestEmitter(const Schedule &schedule, const Group &group, RowState &state,
              mlir::OpBuilder &builder);

  mlir::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // Analysis of the bodies.
  mlir::LogicalResult analyze();
  mlir::LogicalResult analyzeOp(const Node &node, mlir::Operation &op);
  mlir::LogicalResult findReductions(unsigned node);
  void setDepth(mlir::Value value, uint64_t dims);
  uint64_t dimsOf(mlir::Value value) const;
  unsigned levelOf(uint64_t dims) const;
  unsigned levelOf(mlir::Value value) const { return levelOf(dimsOf(value)); }
  bool varies(mlir::Value value) const;
  bool isCombiner(mlir::Operation *op) const;

  // Loops.
  Values emitLevel(unsigned level, Values accumulators);
  Values emitLoop(unsigned level, Values accumulators);
  Values emitChunks(unsigned level, Values accumulators, mlir::Value end);
  Values emitFor(mlir::Value begin, mlir::Value end, int64_t step,
                 Values accumulators,
                 llvm::function_ref<Values(mlir::Value, Values)> body);
  Values emitPartial(Values accumulators,
                     llvm::function_ref<Values(Values)> body);
  Values emitTail(unsigned level, Values accumulators, mlir::Value first,
                  mlir::Value count);
  int64_t stepOf(unsigned level) const;
  Values startReductions();
  Values accumulate(Values accumulators);
  void finishReductions(Values accumulators);
  bool reducesLanes() const;
  mlir::Value combine(const Reduction &reduction, mlir::Value a, mlir::Value b);

  // Bodies.
  void emitReady(unsigned level);
  void emitReads(const Node &node, unsigned level);
  void emitOp(const Node &node, mlir::Operation &op);
  mlir::Value emitIndex(const Node &node, mlir::linalg::IndexOp op,
                        mlir::Type type, bool vector);
  mlir::Value emitIndexCast(const Node &node, mlir::Operation &op);
  mlir::Value emitExtract(const Node &node, mlir::tensor::ExtractOp op);
  mlir::Value emitElementwise(mlir::Operation &op);
  mlir::Value indexOfDim(unsigned dim) const;
  mlir::Value lookup(mlir::Value value);
  void storeResults();
  void finish(const Access &result, mlir::Value value);

  // Memory.
  void emitRowPointers();
  void addRowPointers(const Access &access, llvm::ArrayRef<mlir::Value> bases);
  bool isInMemory(const Access &read) const;
  llvm::ArrayRef<int64_t> stridesOf(const Access &access) const;
  const Node *producerInGroup(const Access &read, unsigned &result) const;
  LaneMemory memoryOf(const Access &access, mlir::Value rowPointer);
  mlir::Value loadNow(const Access &read);

  const Schedule &schedule;
  const KernelGraph &graph;
  const Group &group;
  RowState &state;
  mlir::OpBuilder &b;
  mlir::Location loc;
  LaneBuilder lanes;
  llvm::SmallVector<Reduction> reductions;
  /// Dimensions that a value depends on, as bits.
  llvm::DenseMap<mlir::Value, uint64_t> dims;
  /// Arguments of bodies that are what another body of the group yields.
  llvm::DenseMap<mlir::Value, mlir::Value> forwarded;
  llvm::DenseMap<mlir::Value, mlir::Value> env;
  /// Addresses of the row's part: of each read, and of each result.
  llvm::DenseMap<const Access *, llvm::SmallVector<mlir::Value>> rowPointers;
  /// The current iteration of each dimension.
  llvm::SmallVector<mlir::Value> index;
  /// Lanes of a last, shorter vector.
  mlir::Value mask;
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_NESTEMITTER_H
