//===- PlanMessages.h - attributes and ops as messages ----------*- C++ -*-===//

#ifndef MPC_TOOLS_EXPORT_PLANMESSAGES_H
#define MPC_TOOLS_EXPORT_PLANMESSAGES_H

#include "dialects/exec/IR/Exec.h"
#include "runtime/plan/plan.pb.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// Names of the module as the indices by which a plan refers to them.
class PlanIndex {
public:
  PlanIndex(mlir::ModuleOp module, dist::MeshAttr mesh);

  dist::MeshAttr getMesh() const { return mesh; }
  unsigned getKernel(llvm::StringRef name) const { return kernels.lookup(name); }
  unsigned getChannel(llvm::StringRef name) const {
    return channels.lookup(name);
  }
  /// Numbers groups as they are asked for.
  unsigned getGroup(dist::AxesAttr axes);
  llvm::ArrayRef<dist::AxesAttr> getGroups() const {
    return groups.getArrayRef();
  }

private:
  dist::MeshAttr mesh;
  llvm::StringMap<unsigned> kernels, channels;
  llvm::SetVector<dist::AxesAttr> groups;
};

plan::DataType convertElementType(mlir::Type type);
plan::Reduction convert(dist::ReductionKind reduction);
plan::StateKind convert(exec::StateKind kind);
void convert(exec::SliceAttr slice, plan::Slice &message);
/// Axes of the mesh by number.
template <typename MessageT>
void convertAxes(dist::MeshAttr mesh, dist::AxesAttr axes, MessageT &message) {
  for (mlir::StringAttr axis : axes)
    message.add_axes(mesh.getAxisIndex(axis));
}

/// `op` is a command of an exec.list.
void convertCommand(mlir::Operation *op, PlanIndex &index,
                    plan::Command &message);

void convertState(exec::StateOp op, plan::State &message);

} // namespace mpc

#endif // MPC_TOOLS_EXPORT_PLANMESSAGES_H
