// The order in which a kernel computes: one loop over rows that threads may
// divide, and inside it groups of ops that share a loop nest.
#ifndef MPC_PASSES_LOWERING_KERNELS_SCHEDULE_H
#define MPC_PASSES_LOWERING_KERNELS_SCHEDULE_H

#include "passes/lowering/kernels/KernelGraph.h"

namespace mpc::kernels {

/// Where a tensor of the kernel lives while a row is computed.
enum class Place {
  /// One value, known at compile time.
  Constant,
  /// One value, in a register.
  Scalar,
  Input,
  Output,
  /// Memory of the row, on the stack.
  Scratch,
  /// Only in the loop nest of its group.
  Register,
};

/// Nodes that share a loop nest.
struct Group {
  llvm::SmallVector<unsigned> nodes;
  /// Dimensions, outermost first. The first `numParallel` are parallel in every
  /// node; the others are reduced by some node.
  llvm::SmallVector<unsigned> loops;
  unsigned numParallel = 0;
  /// The dimension that is vectorised, the last of its kind in `loops`, and the
  /// number of its iterations in a vector; width 1: none is.
  unsigned vectorDim = 0;
  int64_t width = 1;
};

/// The last dimension of the rows, cut into blocks that are walked inside the
/// row. The last block may be shorter.
struct RowBlock {
  unsigned dim;
  int64_t size;
};

/// A kernel is `for row in [begin, end): for group: loop nest`. A row is a
/// coordinate of the dimensions `rows` and, where there is one, a block.
class Schedule {
public:
  /// Emits an error where the kernel cannot be built or needs more memory
  /// between its loops than a thread's stack has.
  static mlir::FailureOr<Schedule> create(mlir::func::FuncOp function);

  /// Number of rows.
  int64_t extent() const;

  /// Whether the kernel stays right when result `output` is the same memory as
  /// argument `input`. Where one buffer is several arguments, ask for each.
  bool canAlias(unsigned input, unsigned output) const;

  /// Whether dimension `dim` is walked in loops of the row.
  bool isInner(unsigned dim) const { return !llvm::is_contained(rows, dim); }
  bool isPrologue(unsigned node) const {
    return llvm::is_contained(prologue, node);
  }
  /// Most iterations of the inner dimension `dim` in a row.
  int64_t innerExtent(unsigned dim) const {
    return block && block->dim == dim ? block->size : graph.extents[dim];
  }

  KernelGraph graph;
  /// Nodes of scalars that depend on no row, computed before the first.
  llvm::SmallVector<unsigned> prologue;
  llvm::SmallVector<unsigned> rows;
  std::optional<RowBlock> block;
  llvm::SmallVector<Group> groups;
  /// Of each tensor.
  llvm::SmallVector<Place> places;
  /// Of each tensor in scratch: its offset in the stack frame, in bytes, and
  /// its strides by dimension.
  llvm::SmallVector<int64_t> scratchOffsets;
  llvm::SmallVector<llvm::SmallVector<int64_t>> scratchStrides;
  int64_t scratchBytes = 0;

private:
  void choosePrologue();
  void chooseRows();
  void chooseBlock();
  void groupNodes();
  unsigned firstGroup(unsigned node, llvm::ArrayRef<unsigned> groupOf) const;
  bool fits(const Group &group, unsigned node) const;
  llvm::SmallVector<unsigned> innerDims(const Node &node) const;
  void orderLoops(Group &group);
  void placeTensors();
  mlir::LogicalResult layOutScratch();
  int groupOfNode(unsigned node) const;
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_SCHEDULE_H
