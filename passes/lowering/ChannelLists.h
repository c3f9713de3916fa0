//===- ChannelLists.h - lists that move messages ----------------*- C++ -*-===//
//
// State of kind `outgoing` and `incoming` is named channel#number. A stage has four
// small lists a channel: begin and end to receive, begin and end to send. The
// schedule says when they run.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_CHANNELLISTS_H
#define MPC_PASSES_LOWERING_CHANNELLISTS_H

#include "passes/lowering/StateTable.h"
#include "passes/lowering/StepParts.h"

namespace mpc {

/// The channel of an `incoming` or `outgoing` binding.
llvm::StringRef getChannel(tfm::BindingAttr binding);

/// Emits an exec.channel for each channel of the functions of all stages.
void emitChannels(llvm::ArrayRef<mlir::func::FuncOp> functions,
                  mlir::OpBuilder &builder);

/// The channels of one stage.
class ChannelLists {
public:
  explicit ChannelLists(llvm::ArrayRef<mlir::func::FuncOp> functions);

  /// Emits the lists at the builder's place, in a role.
  void emit(const StateTable &states, mlir::OpBuilder &builder) const;

  /// The channels whose messages are to be there before `function` runs: what it is
  /// the first to read.
  llvm::ArrayRef<llvm::StringRef>
  getReceived(mlir::func::FuncOp function) const;
  /// The channels to which `function` writes messages.
  llvm::ArrayRef<llvm::StringRef> getSent(mlir::func::FuncOp function) const;

  enum class Kind { Post, Take, Send, Sent };
  static std::string getListName(Kind kind, llvm::StringRef channel);

private:
  /// Messages by channel, in the order of their numbers.
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<tfm::BindingAttr>> incoming,
      outgoing;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<llvm::StringRef, 1>>
      received, sent;
};

} // namespace mpc

#endif // MPC_PASSES_LOWERING_CHANNELLISTS_H
