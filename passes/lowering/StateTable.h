//===- StateTable.h - where named state lies --------------------*- C++ -*-===//
//
// State is what functions of the step are bound to. Each kind and name has one
// place; a compute copy that is the master itself has the master's.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_STATETABLE_H
#define MPC_PASSES_LOWERING_STATETABLE_H

#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mpc {

class StateTable {
public:
  /// Reads the bindings of all `functions` of a stage and the types of their
  /// `dist.iota` ops. Emits an error where these do not fit together.
  static mlir::FailureOr<StateTable>
  create(llvm::ArrayRef<mlir::func::FuncOp> functions);

  /// The place of a binding's state; it is one of the functions'.
  exec::SliceAttr getSlice(tfm::BindingAttr binding) const;
  /// The place of the state that an iota has become.
  exec::SliceAttr getSlice(dist::IotaOp iota) const;

  int64_t getPersistentBytes() const { return persistentBytes; }
  int64_t getSlotBytes() const { return slotBytes; }
  /// Whether the loader writes to slots.
  bool hasSlotBatch() const;
  dist::MeshAttr getMesh() const { return mesh; }

  /// Emits an exec.state for each, in the order of their places.
  void emit(mlir::OpBuilder &builder) const;

private:
  struct State {
    exec::StateKind kind;
    mlir::StringAttr name;
    /// Of the whole tensor, sharded.
    mlir::RankedTensorType type;
    mlir::Location location;
    exec::SliceAttr slice;
    llvm::SmallVector<int64_t> logical;
    exec::InitialAttr initial;
    std::optional<exec::BatchInput> batchInput;
    /// Of the functions that are bound to it.
    llvm::SmallSetVector<exec::PartAttr, 2> parts = {};
  };

  mlir::LogicalResult addBound(mlir::func::FuncOp function);
  mlir::LogicalResult add(mlir::func::FuncOp function, tfm::BindingAttr binding,
                          mlir::Type global, mlir::Location location);
  void addParameters(mlir::func::FuncOp function);
  mlir::LogicalResult addIotas(mlir::func::FuncOp function);
  void shareReturned(mlir::func::FuncOp function);
  static bool isInSlot(const State &state);
  exec::SliceAttr findAccumulators(tfm::BindingAttr gradient,
                                   const State &state) const;
  void place();
  mlir::LogicalResult useMesh(mlir::Operation *op, mlir::RankedTensorType type);

  /// By binding, or the type of an iota.
  llvm::MapVector<mlir::Attribute, State> states;
  /// Bindings that share the place of another.
  llvm::DenseMap<mlir::Attribute, tfm::BindingAttr> shared;
  unsigned iotas = 0;
  int64_t persistentBytes = 0;
  int64_t slotBytes = 0;
  dist::MeshAttr mesh;
};

} // namespace mpc

#endif // MPC_PASSES_LOWERING_STATETABLE_H
