//===- ExecAttrs.td - slices and other facts of a plan -----*- tablegen -*-===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECATTRS_TD
#define MPC_DIALECTS_EXEC_IR_EXECATTRS_TD

include "dialects/exec/IR/ExecBase.td"
include "dialects/exec/IR/ExecEnums.td"
include "dialects/dist/IR/DistAttrs.td"
include "mlir/IR/AttrTypeBase.td"

class Exec_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Exec_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Exec_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<Exec_Dialect, info, attrMnemonic>;

def Exec_StateKindAttr : Exec_EnumAttr<Exec_StateKind, "state_kind">;
def Exec_BatchInputAttr : Exec_EnumAttr<Exec_BatchInput, "batch_input">;
def Exec_CollectiveKindAttr : Exec_EnumAttr<Exec_CollectiveKind, "collective">;
def Exec_ListPhaseAttr : Exec_EnumAttr<Exec_ListPhase, "list_phase">;
def Exec_DeviceKindAttr : Exec_EnumAttr<Exec_DeviceKind, "device">;
def Exec_VariantAttr : Exec_EnumAttr<Exec_Variant, "variant"> {
  let assemblyFormat = "`<` $value `>`";
}

def Exec_SliceAttr : Exec_Attr<"Slice", "slice"> {
  let summary = "a place in a rank's memory";
  let description = [{
    Written `#exec.slice<transient + 1024, 32x768xf32>`: region, bytes from the start of
    the region, sizes and element type. Rows of the last dimension follow each other,
    or start `rows every` so many elements: `<slot + 8, 4x4xf32, rows every 12>`.

    Constraints:
      - (C1) elements are f32, bf16, f16 or i32, sizes at least 1;
      - (C2) the offset is not negative, and a multiple of 64; with strided rows, of
        the element's size;
      - (C3) a row stride is 0 (dense) or at least the last size.
  }];
  let parameters = (ins EnumParameter<Exec_Region>:$region, "int64_t":$offset,
    "::mlir::RankedTensorType":$type, "int64_t":$rowStride);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "Region":$region, "int64_t":$offset,
        "::mlir::RankedTensorType":$type), [{
      return $_get(type.getContext(), region, offset, type, /*rowStride=*/0);
    }]>];
  let extraClassDeclaration = [{
    /// From the first byte to behind the last, gaps between rows included.
    int64_t getSpanBytes() const;
    int64_t getNumElements() const { return getType().getNumElements(); }
  }];
}

def Exec_PartAttr : Exec_Attr<"Part", "part"> {
  let summary = "the part of a step that a function is";
  let description = [{
    Written `#exec.part<forward of 2 on 0>`: the phase, the piece of the model in depth
    order, and the stage that runs it. Of prologue and update the piece is 0. An
    attribute of the functions of a step that is cut into stages, `exec.part`.
  }];
  let parameters = (ins EnumParameter<Exec_ListPhase>:$phase, "int64_t":$piece,
                        "int64_t":$stage);
  let assemblyFormat = "`<` $phase `of` $piece `on` $stage `>`";
}

def Exec_InitialAttr : Exec_Attr<"Initial", "initial"> {
  let summary = "the value of a state before the first step";
  let description = [{
    Written `#exec.initial<normal 2.0e-02 of "wte">` (standard deviation and key),
    `<constant 1.0e+00>` or `<iota>`, where that counts from 0, else
    `<iota from -2.0e+00>`. A function of the global index alone.
  }];
  let parameters = (ins EnumParameter<Exec_InitialKind>:$kind, "::mlir::FloatAttr":$value,
                        "::mlir::StringAttr":$key);
  let hasCustomAssemblyFormat = 1;
}

def Exec_CompiledAttr : Exec_Attr<"Compiled", "compiled"> {
  let summary = "what the compilation of a kernel found out";
  let description = [{
    Written `#exec.compiled<extent 32 in_place [0 to 1]>`: iterations of the outermost
    loop, and the pairs (input, output) that may be the same memory. An attribute of
    kernel functions, `exec.compiled`, which the memory plan reads.
  }];
  let parameters = (ins "int64_t":$extent,
    ArrayRefParameter<"int64_t">:$inputs, ArrayRefParameter<"int64_t">:$outputs);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool canAlias(unsigned input, unsigned output) const;
  }];
}

#endif // MPC_DIALECTS_EXEC_IR_EXECATTRS_TD
