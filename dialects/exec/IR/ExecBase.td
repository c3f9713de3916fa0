//===- ExecBase.td - the exec dialect ----------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECBASE_TD
#define MPC_DIALECTS_EXEC_IR_EXECBASE_TD

include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::mpc::exec";
  let summary = "What a rank executes: commands on slices of its memory";
  let description = [{
    Mirrors plan.proto message by message: a module of this dialect and a plan say the
    same, one for people and passes, one for the runtime. There are no values: a
    command names the memory that it reads and writes.

    ```mlir
    exec.role stage 0 mesh <[]> persistent 128 slot 0 x 0 transient 0 {
      exec.state carry "a" : tensor<4xf32> logical [4] at <persistent + 0, 4xf32>
      exec.state carry "b" : tensor<4xf32> logical [4] at <persistent + 64, 4xf32>
      exec.list @update phase update variant only {
        exec.copy <persistent + 0, 4xf32> -> <persistent + 64, 4xf32>
      }
      exec.run @update microbatch 0 slot 0
    }
    ```
  }];
  let dependentDialects = ["::mpc::dist::DistDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// On a kernel function: what its compilation found out (#exec.compiled).
    static constexpr llvm::StringLiteral kCompiledAttrName = "exec.compiled";
    /// On a function of the step: the microbatches it is for (#exec.variant).
    static constexpr llvm::StringLiteral kVariantAttrName = "exec.variant";
    /// On a function of a step that is cut into stages: its place (#exec.part).
    static constexpr llvm::StringLiteral kPartAttrName = "exec.part";

  private:
    void registerAttributes();

  public:
  }];
}

#endif // MPC_DIALECTS_EXEC_IR_EXECBASE_TD
