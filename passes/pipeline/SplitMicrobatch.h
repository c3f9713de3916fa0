//===- SplitMicrobatch.h - a microbatch, cut into pieces --------*- C++ -*-===//
//
// Cuts @forward_backward: a forward and a backward function a piece, and what
// crosses between them as state.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_PIPELINE_SPLITMICROBATCH_H
#define MPC_PASSES_PIPELINE_SPLITMICROBATCH_H

#include "dialects/exec/IR/Exec.h"
#include "passes/training/StepFunction.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// How many pieces of the model there are, and who runs them.
struct PieceLayout {
  int64_t stageCount, pieceCount;
  bool splitsWeights;

  int64_t getStage(int64_t piece) const { return piece % stageCount; }
};

class MicrobatchSplitter {
public:
  MicrobatchSplitter(mlir::func::FuncOp function, PieceLayout layout);

  /// Writes the functions of the pieces at the end of the module.
  mlir::LogicalResult run();

  /// The stages that read a parameter, the first of which is its home, by name.
  llvm::SmallVector<int64_t> getStagesOf(mlir::StringAttr parameter) const;
  /// The stage that writes a carry; nothing if none does.
  std::optional<int64_t> getWriterOf(mlir::StringAttr carry) const;

private:
  /// A function of a piece. Sites are numbered in the order in which a microbatch
  /// passes them: forward functions, then backward functions from the last piece
  /// to the first; weight functions behind those.
  struct Site {
    std::unique_ptr<StepFunction> function;
    /// Values of the whole function, as they are here.
    llvm::DenseMap<mlir::Value, mlir::Value> values;
    /// Arguments by what they are bound to.
    llvm::DenseMap<tfm::BindingAttr, mlir::BlockArgument> arguments;
    /// What is kept or sent already, and its name.
    llvm::DenseMap<mlir::Value, tfm::BindingAttr> kept, sent;
  };

  unsigned forwardSite(int64_t piece) const { return piece; }
  unsigned backwardSite(int64_t piece) const {
    return 2 * layout.pieceCount - 1 - piece;
  }
  unsigned weightSite(int64_t piece) const {
    return layout.splitsWeights ? 2 * layout.pieceCount + piece
                                : backwardSite(piece);
  }
  int64_t pieceOfSite(unsigned site) const;
  exec::PartAttr partOfSite(unsigned site);

  bool isCloneable(mlir::Operation *op);
  std::optional<int64_t> pieceOf(mlir::Operation *op);
  std::optional<int64_t> findPiece(mlir::Operation *op);
  unsigned siteOf(mlir::Operation *op);
  /// The site from which `site` gets what arises in `home`.
  unsigned previousSite(unsigned site, unsigned home) const;

  mlir::LogicalResult verifyPieces();
  mlir::LogicalResult write(mlir::Operation *op);
  mlir::LogicalResult writeAccumulation(tfm::AccumulateOp op);
  mlir::Value get(mlir::Value value, unsigned site);
  mlir::Value keep(mlir::Value value, unsigned from, unsigned to);
  mlir::Value send(mlir::Value value, unsigned from, unsigned to);
  mlir::Value addArgument(unsigned site, tfm::BindingAttr binding,
                          mlir::Type type, mlir::Location location);
  mlir::Operation *clone(mlir::Operation *op, unsigned site);
  void collectAddends(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &to);

  mlir::func::FuncOp function;
  PieceLayout layout;
  llvm::SmallVector<Site> sites;
  llvm::DenseMap<mlir::Operation *, bool> cloneable;
  llvm::DenseMap<mlir::Operation *, std::optional<int64_t>> pieces;
  llvm::StringMap<unsigned> counts;
  /// Pieces that read a parameter; stages that write a carry.
  llvm::MapVector<mlir::StringAttr, llvm::SmallSetVector<int64_t, 2>> readers;
  llvm::DenseMap<mlir::StringAttr, int64_t> writers;
};

} // namespace mpc

#endif // MPC_PASSES_PIPELINE_SPLITMICROBATCH_H
