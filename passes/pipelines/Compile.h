//===- Compile.h - all phases, from model to plan ---------------*- C++ -*-===//

#ifndef MPC_PASSES_PIPELINES_COMPILE_H
#define MPC_PASSES_PIPELINES_COMPILE_H

#include "passes/lowering/kernels/CompileKernels.h"
#include "passes/planning/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include <functional>
#include <string>

namespace mpc {

struct CompileOptions : mlir::PassPipelineOptions<CompileOptions> {
  Option<int64_t> tp{*this, "tp",
                     llvm::cl::desc("ranks that split each layer (tensor "
                                    "parallelism), where sizes divide [1]")};
  Option<int64_t> dp{*this, "dp",
                     llvm::cl::desc("ranks that split the batch [1]")};
  Option<int64_t> pp{*this, "pp",
                     llvm::cl::desc("stages that split the layers (pipeline "
                                    "parallelism) [1]")};
  Option<int64_t> chunks{
      *this, "chunks",
      llvm::cl::desc("pieces of the model that a stage holds, with "
                     "schedule=interleaved or file [1]")};
  ListOption<int64_t> stages{
      *this, "stages",
      llvm::cl::desc("layers of each stage, e.g. 5,7,7,5, or of each of "
                     "pp · chunks pieces in depth order [balanced by cost]")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("gpipe, 1f1b, interleaved, zero-bubble or file: in which "
                     "order a stage runs its microbatches [1f1b]")};
  Option<std::string> scheduleFile{
      *this, "schedule-file",
      llvm::cl::desc("a table for schedule=file: a line a stage, entries such "
                     "as F3 B3 W3, chunk c as F3.c, # comments")};
  Option<std::string> recompute{
      *this, "recompute",
      llvm::cl::desc("activations that are computed again in backward instead "
                     "of kept: none, selective (norms, activations, dropout; scores "
                     "and probabilities alone where attention is unfused) or full "
                     "(a layer keeps its input), or by layer, e.g. "
                     "full:0-11,none:12-23 [none]")};
  Option<std::string> attention{
      *this, "attention",
      llvm::cl::desc("fused: one command that keeps no scores; unfused: products, "
                     "softmax and dropout by themselves, with probabilities kept for "
                     "backward unless recompute says otherwise [fused]")};
  Option<int64_t> microbatches{
      *this, "microbatches",
      llvm::cl::desc("parts into which each dp rank's batch is divided [1]")};
  Option<bool> sequenceParallel{
      *this, "sequence_parallel",
      llvm::cl::desc("split the sequence between blocks over tp [false]")};
  Option<int64_t> zero{
      *this, "zero",
      llvm::cl::desc("1: masters and moments are split over dp [0]")};
  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("sizes that tp does not divide are an error [false]")};
  Option<bool> reference{
      *this, "reference",
      llvm::cl::desc("make the plan that others are verified against: one rank, "
                     "unfused, naive [false]")};
  Option<std::string> strategyFile{
      *this, "strategy-file",
      llvm::cl::desc("a Strategy in text format; options go over it")};

  Option<bool> automatic{
      *this, "auto",
      llvm::cl::desc("search for the strategy that takes the least time on the "
                     "cluster; options that are given stand [false]")};
  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("with auto: a known machine, by name, e.g. a100_dgx_80gb "
                     "(cluster/machines)")};
  Option<std::string> clusterFile{
      *this, "cluster-file",
      llvm::cl::desc("with auto: a Cluster in text format, e.g. of mpc-run "
                     "profile")};
  Option<int64_t> devices{
      *this, "devices",
      llvm::cl::desc("with auto: how many devices [all of the cluster]")};

  Option<kernels::Cpu> cpu{
      *this, "cpu", llvm::cl::desc("the machine that kernels are made for"),
      llvm::cl::init(kernels::Cpu::Baseline),
      llvm::cl::values(clEnumValN(kernels::Cpu::Baseline, "baseline",
                                  "x86-64-v3: AVX2 and FMA [default]"),
                       clEnumValN(kernels::Cpu::Native, "native",
                                  "the machine that compiles"))};

  /// The names of all options, sorted.
  std::vector<std::string> getNames() const;
  /// The options that were given, but for files.
  StrategyOverrides getOverrides() const;
};

/// What the tool provides: a pass library reads no files.
struct CompileEnvironment {
  /// Reads a strategy file; fails with a diagnostic of its own.
  std::function<mlir::FailureOr<StrategyOverrides>(llvm::StringRef path)>
      readStrategy;
  /// Reads a file as text; fails with a diagnostic of its own.
  std::function<mlir::FailureOr<std::string>(llvm::StringRef path)> readText;
  /// Tells the user of a mistake in an option.
  std::function<void(llvm::StringRef message)> complain;
  /// If not empty, the module is written to this folder after each phase.
  std::string dumpFolder;
};

/// Imported model → plan as IR. Fails if the strategy file does.
mlir::LogicalResult buildCompilePipeline(mlir::OpPassManager &pm,
                                         const CompileOptions &options,
                                         const CompileEnvironment &environment);

/// Registers `--mpc-compile`; `environment` is read when the pipeline is built.
void registerCompile(const CompileEnvironment &environment);

} // namespace mpc

#endif // MPC_PASSES_PIPELINES_COMPILE_H
