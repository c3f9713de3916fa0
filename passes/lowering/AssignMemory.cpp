//===- AssignMemory.cpp -----------------------------------------*- C++ -*-===//
//
// The last step down: where every value lies, hence what every command reads and
// writes. All that follows is a matter of format.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/EmitCommands.h"
#include "passes/lowering/LocationName.h"
#include "passes/lowering/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_ASSIGNMEMORYPASS
#include "passes/lowering/Passes.h.inc"

namespace {

exec::ListPhase getPhase(func::FuncOp function) {
  return llvm::StringSwitch<exec::ListPhase>(function.getSymName())
      .Case(tfm::kPrologue, exec::ListPhase::Prologue)
      .Case(tfm::kUpdate, exec::ListPhase::Update)
      .Default(exec::ListPhase::ForwardBackward);
}

/// Writes the role, and the kernels that it uses, at the end of a module.
class RoleWriter {
public:
  explicit RoleWriter(ModuleOp module)
      : module(module), builder(module.getBodyRegion()) {}

  LogicalResult write() {
    if (failed(collect()))
      return failure();
    FailureOr<StateTable> states = StateTable::create(functions);
    if (failed(states))
      return failure();
    builder.setInsertionPointToEnd(module.getBody());
    writeKernels();
    int64_t slots = states->getSlotBytes() > 0 ? 1 : 0;
    auto role = exec::RoleOp::create(
        builder, module.getLoc(), /*stage=*/0, states->getMesh(),
        states->getPersistentBytes(), states->getSlotBytes(), slots,
        /*transient_bytes=*/0);
    builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
    states->emit(builder);
    int64_t transientBytes = 0;
    for (func::FuncOp function : functions) {
      ListMemory memory(function, *states);
      transientBytes = std::max(transientBytes, memory.getTransientBytes());
      if (failed(writeList(function, memory)))
        return failure();
    }
    role.setTransientBytes(transientBytes);
    writeSchedule();
    writeObservables();
    for (func::FuncOp function : functions)
      function.erase();
    for (func::FuncOp kernel : kernels)
      kernel.erase();
    return success();
  }

private:
  /// Finds the functions of the step, in the order of the schedule, and the
  /// kernels.
  LogicalResult collect() {
    func::FuncOp prologue, update;
    SmallVector<func::FuncOp> microbatches;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isPrivate()) {
        if (!exec::getCompiled(function))
          return function.emitOpError("is a kernel that has not been compiled");
        kernels.push_back(function);
      } else if (!exec::getVariant(function)) {
        return function.emitOpError("has no exec.variant");
      } else if (getPhase(function) == exec::ListPhase::Prologue) {
        prologue = function;
      } else if (getPhase(function) == exec::ListPhase::Update) {
        update = function;
      } else {
        microbatches.push_back(function);
      }
    }
    if (!prologue || !update || microbatches.empty())
      return module.emitOpError("lacks a function of the step, expected @")
             << tfm::kPrologue << ", @" << tfm::kForwardBackward << " and @"
             << tfm::kUpdate;
    functions.push_back(prologue);
    functions.append(microbatches);
    functions.push_back(update);
    return success();
  }

  /// The model's ops that a kernel computes, e.g. `bias_add gelu` or `add*3 sqrt`.
  static std::string describe(func::FuncOp kernel) {
    SmallVector<std::pair<StringRef, int>> names;
    for (Operation &op : kernel.getBody().front()) {
      if (!isa_and_present<tfm::TfmDialect>(op.getDialect()))
        continue;
      StringRef name = op.getName().stripDialect();
      if (names.empty() || names.back().first != name)
        names.push_back({name, 0});
      ++names.back().second;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        names, os,
        [&](auto entry) {
          os << entry.first;
          if (entry.second > 1)
            os << "*" << entry.second;
        },
        " ");
    return text;
  }

  void writeKernels() {
    for (func::FuncOp kernel : kernels)
      exec::KernelOp::create(builder, builder.getUnknownLoc(),
                             kernel.getSymName(), describe(kernel),
                             exec::getCompiled(kernel).getExtent());
  }

  LogicalResult writeList(func::FuncOp function, const ListMemory &memory) {
    auto list = exec::ListOp::create(
        builder, function.getLoc(), function.getSymName(), getPhase(function),
        exec::getVariant(function).getValue());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&list.getBody().emplaceBlock());
    return emitCommands(memory, builder);
  }

  void run(func::FuncOp function, int64_t microbatch, bool loadBatch) {
    exec::RunOp::create(builder, function.getLoc(), function.getSymName(),
                        microbatch, /*slot=*/0, loadBatch);
    ++entries;
  }

  void writeSchedule() {
    tfm::StrategyAttr strategy = tfm::getStrategy(module);
    int64_t microbatches = strategy ? strategy.getMicrobatches() : 1;
    // Batch inputs of the whole step are loaded at its start in any case.
    run(functions.front(), 0, false);
    for (int64_t microbatch = 0; microbatch != microbatches; ++microbatch)
      run(functions[microbatch == 0 ? 1 : functions.size() - 2], microbatch,
          true);
    lastMicrobatch = entries - 1;
    run(functions.back(), 0, false);
  }

  void observe(const Twine &name, exec::StateKind kind, StringAttr state,
               int64_t entry, StringAttr location) {
    exec::ObserveOp::create(builder, module.getLoc(),
                            builder.getStringAttr(name),
                            exec::StateKindAttr::get(module.getContext(), kind),
                            state, builder.getI64IntegerAttr(entry), location);
  }

  /// Gradients, final before the update, and the metrics of the step.
  void writeObservables() {
    func::FuncOp last = functions[functions.size() - 2];
    Operation *end = last.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      tfm::BindingAttr binding = tfm::getResultBinding(last, index);
      if (binding.getKind() != tfm::StateKind::Accumulator)
        continue;
      StringAttr location;
      if (std::string name = getLocationName(value.getLoc()); !name.empty())
        location = builder.getStringAttr(name);
      observe("grad:" + binding.getName().getValue(),
              exec::StateKind::Accumulator, binding.getName(), lastMicrobatch,
              location);
    }
    for (func::FuncOp function : {functions.front(), functions.back()})
      for (unsigned index = 0; index != function.getNumResults(); ++index) {
        tfm::BindingAttr binding = tfm::getResultBinding(function, index);
        if (binding.getKind() == tfm::StateKind::Metric)
          observe(binding.getName().getValue(), exec::StateKind::Metric,
                  binding.getName(), entries - 1, StringAttr());
      }
  }

  ModuleOp module;
  OpBuilder builder;
  /// Prologue, microbatches (first, then later ones), update.
  SmallVector<func::FuncOp> functions;
  SmallVector<func::FuncOp> kernels;
  int64_t entries = 0;
  int64_t lastMicrobatch = 0;
};

struct AssignMemoryPass : impl::AssignMemoryPassBase<AssignMemoryPass> {
  void runOnOperation() override {
    if (failed(RoleWriter(getOperation()).write()))
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
