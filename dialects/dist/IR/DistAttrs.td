//===- DistAttrs.td - mesh, sharding, phase ----------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_DIST_IR_DISTATTRS_TD
#define MPC_DIALECTS_DIST_IR_DISTATTRS_TD

include "dialects/dist/IR/DistBase.td"
include "dialects/dist/IR/DistEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class Dist_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Dist_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Dist_ReductionKindAttr
    : EnumAttr<Dist_Dialect, Dist_ReductionKind, "reduction">;

def Dist_PhaseAttr : EnumAttr<Dist_Dialect, Dist_Phase, "phase"> {
  let assemblyFormat = "`<` $value `>`";
}

def Dist_AxesAttr : Dist_Attr<"Axes", "axes"> {
  let summary = "an ordered list of distinct mesh axes, major to minor";
  let description = [{
    Written `#dist.axes<{"dp", "tp"}>`; inside a sharding just `{"dp", "tp"}`.

    Constraints:
      - (C1) no axis occurs twice.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool empty() const { return getNames().empty(); }
    size_t size() const { return getNames().size(); }
    auto begin() const { return getNames().begin(); }
    auto end() const { return getNames().end(); }
    bool contains(::mlir::StringAttr axis) const;
  }];
}

def Dist_MeshAttr : Dist_Attr<"Mesh", "mesh"> {
  let summary = "a grid of ranks, axes from major to minor in rank order";
  let description = [{
    Written `#dist.mesh<["dp"=2, "tp"=4]>`. It is held by value in every sharding,
    since a symbol could not be resolved where types are made.

    Constraints:
      - (C1) axis names are distinct;
      - (C2) every axis has at least two ranks: an axis of one is left out, and
        the mesh of a single rank is `#dist.mesh<[]>`.
  }];
  let parameters = (ins Dist_AxesAttr:$axes, ArrayRefParameter<"int64_t">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of ranks along `axis`, 0 if the mesh has no such axis.
    int64_t getAxisSize(::mlir::StringAttr axis) const;
    /// The place of `axis` in the mesh; it must be one of its axes.
    unsigned getAxisIndex(::mlir::StringAttr axis) const;
    /// The product of the sizes of `axes`.
    int64_t getGroupSize(AxesAttr axes) const;
    int64_t getRankCount() const { return getGroupSize(getAxes()); }
  }];
}

def Dist_ShardingAttr : Dist_Attr<"Sharding", "sharding",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "how a tensor lies on a mesh";
  let description = [{
    Written `#dist.sharding<#mesh, [{"dp"}, {} ], sum = {"tp"}>`: a list of axes for
    every dimension, then, if the value is partial, the axes over which the ranks
    hold addends (`sum`) or candidates (`max`). The piece of a dimension split over
    several axes is numbered by them major to minor.

    Constraints:
      - (C1) every axis is one of the mesh;
      - (C2) no axis occurs twice, partial axes included;
      - (C3) partial axes stand in mesh order;
      - (C4) there is a list of axes for each dimension of the tensor;
      - (C5) the axes of a dimension divide its size.
  }];
  let parameters = (ins
    Dist_MeshAttr:$mesh,
    ArrayRefParameter<"::mpc::dist::AxesAttr">:$dims,
    Dist_AxesAttr:$partial,
    "::mpc::dist::ReductionKind":$reduction);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Replicated over the whole mesh.
    static ShardingAttr getReplicated(MeshAttr mesh, int64_t rank);
    /// This sharding with other partial axes (put into mesh order).
    ShardingAttr withPartial(llvm::ArrayRef<::mlir::StringAttr> axes,
                             ReductionKind reduction) const;
    bool isPartial() const { return !getPartial().empty(); }
    /// True if neither a dimension nor the value is divided.
    bool isReplicated() const;
  }];
}

#endif // MPC_DIALECTS_DIST_IR_DISTATTRS_TD
