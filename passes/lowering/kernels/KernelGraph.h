// A kernel function as a graph of loops: which loop of which op is the same
// loop of the kernel, and where in each tensor an iteration reads and writes.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELGRAPH_H
#define MPC_PASSES_LOWERING_KERNELS_KERNELGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace mpc::kernels {

/// What one dimension of the kernel is to one node.
enum class LoopKind : uint8_t { Absent, Parallel, Reduction };

/// The element of a tensor that an iteration touches:
/// `offset + sum(index[d] * strides[d])`, in elements of the dense tensor,
/// over the dimensions d of the kernel.
struct Access {
  unsigned tensor;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// A tensor that the ops of the kernel read or write.
struct TensorInfo {
  mlir::Value value;
  mlir::RankedTensorType type;
  /// Set for an argument of the kernel.
  std::optional<unsigned> input;
  /// The results of the kernel that this tensor is.
  llvm::SmallVector<unsigned, 1> outputs;
  /// The node that makes it. Set for all but arguments and constants.
  std::optional<unsigned> producer;
  /// Set for a constant with one value.
  mlir::TypedAttr splat;
  /// Where the producer writes it.
  Access written;
};

/// One linalg op.
struct Node {
  mlir::linalg::LinalgOp op;
  /// The dimension of the kernel that each loop is; -1: a loop of one trip.
  llvm::SmallVector<int> loopDims;
  /// By dimension of the kernel.
  llvm::SmallVector<LoopKind> kinds;
  /// One for each input of the op; nullopt: the input is a scalar constant.
  llvm::SmallVector<std::optional<Access>> inputs;
  /// The initial value of each result; nullopt: it is not read.
  llvm::SmallVector<std::optional<Access>> inits;
  /// The constant initial value of each result, where it is one.
  llvm::SmallVector<mlir::TypedAttr> initConstants;
  llvm::SmallVector<Access> results;
  /// Tensors read by `tensor.extract` in the body.
  llvm::SmallVector<unsigned> gathered;

  bool reduces() const {
    return llvm::is_contained(kinds, LoopKind::Reduction);
  }
  bool uses(unsigned dim) const { return kinds[dim] != LoopKind::Absent; }
  /// A node without loops.
  bool isScalar() const {
    return llvm::all_of(kinds,
                        [](LoopKind k) { return k == LoopKind::Absent; });
  }
};

/// A kernel function with its loops identified: loops of different ops are one
/// dimension if they index the same place of a tensor that one op makes and
/// the other reads, or that both read. Dimensions are in the order in which
/// memory is laid out, and dimensions that every node runs through as one are
/// merged.
struct KernelGraph {
  /// An op handle; const members of the graph may read it, too.
  mutable mlir::func::FuncOp function;
  std::vector<TensorInfo> tensors;
  std::vector<Node> nodes;
  llvm::SmallVector<int64_t> extents;

  unsigned numDims() const { return extents.size(); }
  /// Number of iterations of `node`.
  int64_t volume(const Node &node) const;
  /// Index of the tensor `value`; it must be one of the graph's.
  unsigned tensorOf(mlir::Value value) const;
  /// Calls `visit` for every access by which `node` reads a tensor.
  static void forEachRead(Node &node, llvm::function_ref<void(Access &)> visit);
  static void forEachRead(const Node &node,
                          llvm::function_ref<void(const Access &)> visit);

  /// Emits an error where the function holds an op, a type or an index
  /// expression that kernels cannot have.
  static mlir::FailureOr<KernelGraph> build(mlir::func::FuncOp function);

  /// Merges neighbouring dimensions that all nodes treat alike and walk
  /// through as one.
  void collapse();
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELGRAPH_H
