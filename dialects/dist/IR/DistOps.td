//===- DistOps.td - reshards, pins, collectives ------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_DIST_IR_DISTOPS_TD
#define MPC_DIALECTS_DIST_IR_DISTOPS_TD

include "dialects/dist/IR/DistAttrs.td"
include "dialects/interfaces/ShardingRuleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Dist_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dist_Dialect, mnemonic, !listconcat([Pure], traits)>;

defvar Dist_Phased = (ins
  DefaultValuedAttr<Dist_PhaseAttr, "::mpc::dist::Phase::Forward">:$phase,
  OptionalAttr<I64Attr>:$piece);

def Dist_PinOp : Dist_Op<"pin", [SameOperandsAndResultType]> {
  let summary = "asks for a sharding of a value";
  let description = [{
    The identity. `mpc-spread-shardings` gives the value this sharding, inserts
    what communication that takes, and removes the op. A pass that chooses
    shardings does so by inserting pins.

    Constraints:
      - (C1) the sharding fits the shape of the value.

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = dist.pin %x : tensor<8x4xf32> to <#mesh, [{"tp"}, {} ]>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = !con((ins AnyRankedTensor:$input, Dist_ShardingAttr:$sharding),
                       Dist_Phased);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `:` type($input) `to` $sharding attr-dict";
  let hasVerifier = 1;
}

def Dist_ReshardOp : Dist_Op<"reshard"> {
  let summary = "changes the sharding of a value, not the value";
  let description = [{
    The only op whose operand and result may be sharded differently. What it costs
    follows from the two types: sum to replicated is an all-reduce, sum to split a
    reduce-scatter, split to replicated an all-gather, split to split in another
    dimension an all-to-all; replicated to split and replicated to sum are local
    (the rank at coordinate 0 keeps the value, the others hold 0).

    Constraints:
      - (C1) shape and element type do not change;
      - (C2) both types are sharded, over the same mesh;
      - (C3) a maximum cannot become a sum, and nothing becomes a partial maximum.

    ```mlir
    #mesh = #dist.mesh<["tp"=2]>
    #sum = #dist.sharding<#mesh, [{} ], sum = {"tp"}>
    #whole = #dist.sharding<#mesh, [{} ]>
    func.func @f(%x: tensor<8xf32, #sum>) -> tensor<8xf32, #whole> {
      %0 = dist.reshard %x : tensor<8xf32, #sum> -> tensor<8xf32, #whole>
      return %0 : tensor<8xf32, #whole>
    }
    ```
  }];
  let arguments = !con((ins AnyRankedTensor:$input), Dist_Phased);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Dist_ContributeOp : Dist_Op<"contribute"> {
  let summary = "makes a stage's value an addend over an axis";
  let description = [{
    In the program of one pipeline stage: the value is this stage's addend of a sum
    over `axis`, to which the programs of the other stages contribute theirs. The
    identity on each rank. Inserted where a step is cut into stages, with one
    contribution on every stage; what follows is an ordinary partial sum.

    Constraints:
      - (C1) the result's type is the operand's, partial over `axis` too.

    ```mlir
    #mesh = #dist.mesh<["pp"=2]>
    #whole = #dist.sharding<#mesh, []>
    #sum = #dist.sharding<#mesh, [], sum = {"pp"}>
    func.func @f(%x: tensor<f32, #whole>) -> tensor<f32, #whole> {
      %0 = dist.contribute %x over "pp" : tensor<f32, #whole> -> tensor<f32, #sum>
      %1 = dist.reshard %0 : tensor<f32, #sum> -> tensor<f32, #whole>
      return %1 : tensor<f32, #whole>
    }
    ```
  }];
  let arguments = !con((ins AnyRankedTensor:$input, StrAttr:$axis), Dist_Phased);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `over` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of a contribution of `type` over `axis`.
    static ::mlir::RankedTensorType
    getContributionType(::mlir::RankedTensorType type, ::mlir::StringAttr axis);
  }];
}

def Dist_IotaOp : Dist_Op<"iota",
    [DeclareOpInterfaceMethods<ShardingRuleOpInterface>]> {
  let summary = "numbers the elements of a tensor";
  let description = [{
    Element i, in row-major order of the whole tensor, is `start` + i. The only op
    that depends on where in the mesh a rank is: `global` keeps the sharded type when
    partitioning makes the result's type local.

    Constraints:
      - (C1) the element type is i32.

    ```mlir
    func.func @rows() -> tensor<16xi32> {
      %0 = dist.iota : tensor<16xi32>
      return %0 : tensor<16xi32>
    }
    ```
  }];
  let arguments = !con((ins OptionalAttr<TypeAttr>:$global,
                            DefaultValuedAttr<I32Attr, "0">:$start), Dist_Phased);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "(`of` $global^)? attr-dict `:` type($result)";
}

// ------------------------------------------------ after partitioning: local

class Dist_CollectiveOp<string mnemonic, dag more = (ins)>
    : Dist_Op<mnemonic> {
  let arguments = !con((ins AnyRankedTensor:$input, Dist_MeshAttr:$mesh,
                            Dist_AxesAttr:$axes), more, Dist_Phased);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
}

def Dist_AllReduceOp : Dist_CollectiveOp<"all_reduce",
    (ins DefaultValuedAttr<Dist_ReductionKindAttr,
                           "::mpc::dist::ReductionKind::Sum">:$reduction)> {
  let summary = "combines the values of a group, for all of it";
  let description = [{
    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) operand and result have the same type, without encoding.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = dist.all_reduce %x over <{"tp"}> of <["dp"=2, "tp"=2]>
        : tensor<4xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $input `over` $axes `of` $mesh attr-dict `:` type($input) `->` type($result)
  }];
}

class Dist_DimensionCollectiveOp<string mnemonic> : Dist_CollectiveOp<mnemonic,
    (ins I64Attr:$dimension)> {
  let assemblyFormat = [{
    $input `along` $dimension `over` $axes `of` $mesh attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Dist_AllGatherOp : Dist_DimensionCollectiveOp<"all_gather"> {
  let summary = "joins the pieces of a group along a dimension";
  let description = [{
    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) the result's `dimension` is the operand's times the group's size, the
        other sizes are equal.
  }];
}

def Dist_ReduceScatterOp : Dist_DimensionCollectiveOp<"reduce_scatter"> {
  let summary = "sums the values of a group and leaves a piece with each rank";
  let description = [{
    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) the operand's `dimension` is the result's times the group's size, the
        other sizes are equal.
  }];
}

def Dist_AllToAllOp : Dist_CollectiveOp<"all_to_all",
    (ins I64Attr:$split_dimension, I64Attr:$join_dimension)> {
  let summary = "moves a split from one dimension to another";
  let description = [{
    The operand is cut along `split_dimension` into a piece for each rank of the
    group; what arrives is joined along `join_dimension`.

    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) `split_dimension` shrinks and `join_dimension` grows by the group's
        size, the other sizes are equal.
  }];
  let assemblyFormat = [{
    $input `from` $split_dimension `to` $join_dimension `over` $axes `of` $mesh
    attr-dict `:` type($input) `->` type($result)
  }];
}

def Dist_ShardOp : Dist_DimensionCollectiveOp<"shard"> {
  let summary = "takes the rank's own piece of a replicated value; local";
  let description = [{
    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) the operand's `dimension` is the result's times the group's size, the
        other sizes are equal.
  }];
}

def Dist_KeepOnFirstOp : Dist_CollectiveOp<"keep_on_first"> {
  let summary = "turns a replicated value into addends of itself; local";
  let description = [{
    The rank at coordinate 0 of `axes` keeps the value, the others hold 0.

    Constraints:
      - (C1) `axes` are axes of `mesh`, at least one;
      - (C2) operand and result have the same type, without encoding.
  }];
  let assemblyFormat = [{
    $input `over` $axes `of` $mesh attr-dict `:` type($input) `->` type($result)
  }];
}

#endif // MPC_DIALECTS_DIST_IR_DISTOPS_TD
