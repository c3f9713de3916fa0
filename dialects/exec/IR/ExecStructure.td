//===- ExecStructure.td - target, roles, state, schedule ---*- tablegen -*-===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECSTRUCTURE_TD
#define MPC_DIALECTS_EXEC_IR_EXECSTRUCTURE_TD

include "dialects/exec/IR/ExecAttrs.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Exec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Exec_Dialect, mnemonic, traits>;

def Exec_ObjectAttr
    : Attr<CPred<"::llvm::isa<::mlir::DenseResourceElementsAttr>($_self)">,
           "a resource"> {
  let storageType = "::mlir::DenseResourceElementsAttr";
  let returnType = "::mlir::DenseResourceElementsAttr";
  let convertFromStorage = "$_self";
}

def Exec_TargetOp : Exec_Op<"target", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "what the kernels were compiled for, and their code";
  let description = [{
    `object` is a shared object that exports every `exec.kernel`.

    ```mlir
    exec.target cpu "x86_64-unknown-linux-gnu" features ["avx2", "fma"]
    ```
  }];
  let arguments = (ins Exec_DeviceKindAttr:$device, StrAttr:$triple,
                       StrArrayAttr:$features,
                       OptionalAttr<Exec_ObjectAttr>:$object);
  let assemblyFormat = [{
    custom<Keyword>($device) $triple `features` $features (`object` $object^)? attr-dict
  }];
}

def Exec_KernelOp : Exec_Op<"kernel", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "a compiled function of the target's object";
  let description = [{
    `extent` counts the iterations of its outermost loop, which threads may divide.

    Constraints:
      - (C1) the extent is at least 1.

    ```mlir
    exec.kernel @kernel_0 "bias_add gelu" extent 1024
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$description,
                       I64Attr:$extent);
  let assemblyFormat = "$sym_name $description `extent` $extent attr-dict";
  let hasVerifier = 1;
}

def Exec_ChannelOp : Exec_Op<"channel", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "messages from the ranks of one stage to those of another";
  let description = [{
    Between ranks with the same other coordinates, in order.

    Constraints:
      - (C1) the stages differ and are not negative.

    ```mlir
    exec.channel @activation_0_1 from 0 to 1
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$source_stage,
                       I64Attr:$destination_stage);
  let assemblyFormat =
      "$sym_name `from` $source_stage `to` $destination_stage attr-dict";
  let hasVerifier = 1;
}

def Exec_RoleOp : Exec_Op<"role", [
    HasParent<"::mlir::ModuleOp">, SymbolTable, NoTerminator, SingleBlock,
    NoRegionArguments]> {
  let summary = "the program of the ranks of one pipeline stage";
  let description = [{
    The bytes of the three regions of a rank's memory (the slot region holds `slots`
    copies of `slot_bytes`), state, command lists, and the schedule of a step: its
    `exec.run` ops in order.

    Constraints:
      - (C1) no size is negative;
      - (C2) every slice of its commands and state lies in its region;
      - (C3) a pair of kind and name is the state of one op;
      - (C4) an observed state exists;
      - (C5) an observable is final after a run of the schedule;
      - (C6) a run's slot exists.
  }];
  let arguments = (ins I64Attr:$stage, Dist_MeshAttr:$mesh,
    I64Attr:$persistent_bytes, I64Attr:$slot_bytes, I64Attr:$slots,
    I64Attr:$transient_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `stage` $stage `mesh` $mesh `persistent` $persistent_bytes
    `slot` $slot_bytes `x` $slots `transient` $transient_bytes
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

class Exec_RoleMember<string mnemonic, list<Trait> traits = []>
    : Exec_Op<mnemonic, !listconcat([HasParent<"RoleOp">], traits)>;

def Exec_StateOp : Exec_RoleMember<"state"> {
  let summary = "a named tensor that outlives a command list";
  let description = [{
    `type` is that of the whole tensor with its sharding; `slice` is the rank's part;
    `logical` leaves out the padding of the vocabulary. A BATCH state says what the
    loader writes there.

    Constraints:
      - (C1) the slice has the type's local sizes and elements;
      - (C2) it is dense, and in the persistent region, or, if it is a BATCH, STASH or
        INCOMING state, in the slot region (a STASH always);
      - (C3) logical sizes are from 1 to the sizes of the type;
      - (C4) BATCH states, and no others, are loaded.

    ```mlir
    exec.role stage 0 mesh <[]> persistent 64 slot 64 x 1 transient 0 {
      exec.state master "w" : tensor<4xf32> logical [3] at <persistent + 0, 4xf32>
        initially <normal 2.0e-02 of "w">
      exec.state batch "ids" : tensor<2x8xi32> logical [2, 8] at <slot + 0, 2x8xi32>
        loads ids
    }
    ```
  }];
  let arguments = (ins Exec_StateKindAttr:$kind, StrAttr:$name, TypeAttr:$type,
    DenseI64ArrayAttr:$logical, Exec_SliceAttr:$slice,
    OptionalAttr<Exec_InitialAttr>:$initial,
    OptionalAttr<Exec_BatchInputAttr>:$batch_input);
  let assemblyFormat = [{
    custom<Keyword>($kind) $name `:` $type `logical` $logical `at` $slice
    (`initially` $initial^)? (`loads` custom<Keyword>($batch_input)^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Exec_ListOp : Exec_RoleMember<"list", [
    Symbol, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "commands that run in order";
  let description = [{
    Constraints:
      - (C1) it holds commands only;
      - (C2) a collective is waited for after its start, once, in the same list, and no
        two that are under way have one handle.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Exec_ListPhaseAttr:$phase,
    Exec_VariantAttr:$variant,
    DefaultValuedAttr<I64Attr, "0">:$piece);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `phase` custom<Keyword>($phase) `variant` custom<Keyword>($variant)
    (`piece` $piece^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Exec_RunOp : Exec_RoleMember<"run",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one entry of the schedule: runs a list";
  let description = [{
    With `load_batch` the loader first fills the slot's BATCH states with the
    microbatch.

    Constraints:
      - (C1) `list` names an `exec.list` of the role;
      - (C2) neither microbatch nor slot is negative.
  }];
  let arguments = (ins FlatSymbolRefAttr:$list, I64Attr:$microbatch,
                       I64Attr:$slot, UnitAttr:$load_batch);
  let assemblyFormat = [{
    $list `microbatch` $microbatch `slot` $slot (`load_batch` $load_batch^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_ObserveOp : Exec_RoleMember<"observe"> {
  let summary = "a value that is compared with the reference's of the same name";
  let description = [{
    It is the state's once entry number `entry` of the schedule has run. Checked by the
    role.
  }];
  let arguments = (ins StrAttr:$name, Exec_StateKindAttr:$kind, StrAttr:$state,
                       I64Attr:$entry, OptionalAttr<StrAttr>:$location);
  let assemblyFormat = [{
    $name `of` custom<Keyword>($kind) $state `after` $entry (`from` $location^)? attr-dict
  }];
}

#endif // MPC_DIALECTS_EXEC_IR_EXECSTRUCTURE_TD
