//===- ExecCommands.td - what a rank does ------------------*- tablegen -*-===//
//
// The semantics of a command are those of its message in plan.proto. `from` names
// the op of the model that it came from.
//
//===----------------------------------------------------------------------===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECCOMMANDS_TD
#define MPC_DIALECTS_EXEC_IR_EXECCOMMANDS_TD

include "dialects/exec/IR/ExecStructure.td"
include "dialects/interfaces/CostOpInterface.td"

class Exec_Command<string mnemonic, dag inputs, list<Trait> traits = []>
    : Exec_Op<mnemonic, !listconcat([HasParent<"ListOp">], traits)> {
  let arguments = !con(inputs, (ins OptionalAttr<StrAttr>:$location));
}

/// Computes: has a cost.
class Exec_Computation<string mnemonic, dag inputs, list<Trait> traits = []>
    : Exec_Command<mnemonic, inputs, !listconcat(
        [DeclareOpInterfaceMethods<CostOpInterface>], traits)>;

def Exec_SlicesAttr : TypedArrayAttrBase<Exec_SliceAttr, "slices">;

// -------------------------------------------------------------- computing

def Exec_GemmOp : Exec_Computation<"gemm", (ins
    Exec_SliceAttr:$left, Exec_SliceAttr:$right, Exec_SliceAttr:$destination,
    I64Attr:$rows, I64Attr:$columns, I64Attr:$inner,
    UnitAttr:$transpose_left, UnitAttr:$transpose_right,
    UnitAttr:$accumulate, OptionalAttr<DenseI64ArrayAttr>:$batch,
    OptionalAttr<DenseI64ArrayAttr>:$left_strides,
    OptionalAttr<DenseI64ArrayAttr>:$right_strides,
    OptionalAttr<DenseI64ArrayAttr>:$destination_strides)> {
  let summary = "a matrix product, or one for each coordinate of a batch";
  let description = [{
    destination = op(left) · op(right), or += with `accumulate`; op(left) is rows x
    inner, op(right) inner x columns, a `transposed` one is stored the other way round.

    `batch` are the sizes of the batch's dimensions. For each a strides array has the
    elements from matrix to matrix, and last those from row to row of a stored
    matrix. Along a dimension of destination stride 0 products are added up, in
    ascending order.

    Constraints:
      - (C1) without a batch the slices have rows · inner, inner · columns and rows ·
        columns elements;
      - (C2) left and right have floats of one type, the destination that or f32;
      - (C3) with a batch there are all three arrays of strides, of one more entry
        than it has;
      - (C4) the matrices of a batch lie within the slices.
  }];
  let assemblyFormat = [{
    $left (`transposed` $transpose_left^)? `*`
    $right (`transposed` $transpose_right^)? `->`
    (`accumulate` $accumulate^)? $destination
    `rows` $rows `columns` $columns `inner` $inner
    (`batch` $batch^ `strides` $left_strides $right_strides $destination_strides)?
    (`from` $location^)? attr-dict
  }];
  let hasVerifier = 1;
}

defvar Exec_AttentionArguments = (ins
    F32Attr:$scale, UnitAttr:$causal, F32Attr:$dropout, I32Attr:$dropout_key,
    Exec_SliceAttr:$query, Exec_SliceAttr:$key, Exec_SliceAttr:$value,
    Exec_SliceAttr:$query_positions, Exec_SliceAttr:$key_positions,
    Exec_SliceAttr:$seed, Exec_SliceAttr:$samples, Exec_SliceAttr:$heads,
    Exec_SliceAttr:$output, Exec_SliceAttr:$logsumexp,
    OptionalAttr<Exec_SliceAttr>:$workspace);
defvar Exec_AttentionFormat = [{
    `query` $query `key` $key `value` $value
    `positions` $query_positions $key_positions `seed` $seed
    `samples` $samples `heads` $heads
    `output` $output `logsumexp` $logsumexp (`workspace` $workspace^)?
}];
defvar Exec_AttentionSettings = [{
    `scale` $scale (`causal` $causal^)? `dropout` $dropout `key` $dropout_key
    (`from` $location^)? attr-dict
}];

def Exec_AttentionOp : Exec_Computation<"attention", Exec_AttentionArguments> {
  let summary = "softmax(scale · q kᵀ + mask) v";
  let description = [{
    q and output are [b, s, kv, group, d], k and v [b, t, kv, d], logsumexp
    [b, s, kv, group], positions [b, s] and [b, t], samples [b], heads [kv, group].

    Constraints:
      - (C1) the slices have these sizes.
  }];
  let assemblyFormat =
      !strconcat(Exec_AttentionFormat, Exec_AttentionSettings);
  let hasVerifier = 1;
}

def Exec_AttentionGradOp : Exec_Computation<"attention_grad",
    !con(Exec_AttentionArguments, (ins
      Exec_SliceAttr:$output_grad, Exec_SliceAttr:$query_grad,
      Exec_SliceAttr:$key_grad, Exec_SliceAttr:$value_grad))> {
  let summary = "the cotangents of attention's queries, keys and values";
  let description = [{
    Output and logsumexp are read.

    Constraints:
      - (C1) the slices have the sizes of `exec.attention`, gradients those of what
        they are for.
  }];
  let assemblyFormat = !strconcat(Exec_AttentionFormat, [{
    `output_grad` $output_grad `query_grad` $query_grad `key_grad` $key_grad
    `value_grad` $value_grad
  }], Exec_AttentionSettings);
  let hasVerifier = 1;
}

def Exec_LaunchOp : Exec_Computation<"launch",
    (ins FlatSymbolRefAttr:$kernel, Exec_SlicesAttr:$inputs,
         Exec_SlicesAttr:$outputs),
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a kernel";
  let description = [{
    Constraints:
      - (C1) `kernel` names an `exec.kernel` of the module.
  }];
  let assemblyFormat = [{
    $kernel custom<Slices>($inputs) `->` custom<Slices>($outputs)
    (`from` $location^)? attr-dict
  }];
}

// -------------------------------------------------------------- moving data

def Exec_StartOp : Exec_Command<"start", (ins
    I64Attr:$handle, Exec_CollectiveKindAttr:$kind,
    OptionalAttr<Dist_ReductionKindAttr>:$reduction, Dist_AxesAttr:$axes,
    Exec_SliceAttr:$source, Exec_SliceAttr:$destination,
    DefaultValuedAttr<I64Attr, "0">:$source_dimension,
    DefaultValuedAttr<I64Attr, "0">:$destination_dimension)> {
  let summary = "begins a collective among the ranks of a group";
  let description = [{
    Until the `exec.wait` of the same handle the source is not written and the
    destination neither read nor written.

    Constraints:
      - (C1) all_reduce and reduce_scatter, and no others, have a reduction;
      - (C2) the axes are of the role's mesh, at least one;
      - (C3) the destination's sizes are what the kind makes of the source's.
  }];
  let assemblyFormat = [{
    $handle custom<Keyword>($kind) (`reducing` custom<Keyword>($reduction)^)? `over` $axes $source (`along` $source_dimension^)?
    `->` $destination (`along` $destination_dimension^)?
    (`from` $location^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_WaitOp : Exec_Command<"wait", (ins I64Attr:$handle)> {
  let summary = "ends the collective of that handle";
  let assemblyFormat = "$handle (`from` $location^)? attr-dict";
}

class Exec_ChannelCommand<string mnemonic, dag inputs>
    : Exec_Command<mnemonic, !con((ins FlatSymbolRefAttr:$channel), inputs),
                   [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      return detail::verifyChannel(*this, getChannelAttr(), symbols);
    }
  }];
}

def Exec_SendStartOp
    : Exec_ChannelCommand<"send_start", (ins Exec_SliceAttr:$source)> {
  let summary = "begins to send a message";
  let description = [{
    Never blocks. The source is not written until its `exec.send_wait`, which may be in
    a later list.

    Constraints:
      - (C1) `channel` names an `exec.channel` of the module.
  }];
  let assemblyFormat = "$source `to` $channel (`from` $location^)? attr-dict";
}

def Exec_SendWaitOp : Exec_ChannelCommand<"send_wait", (ins)> {
  let summary = "waits for the oldest message under way to a channel";
  let assemblyFormat = "$channel (`from` $location^)? attr-dict";
}

def Exec_ReceiveStartOp
    : Exec_ChannelCommand<"receive_start", (ins Exec_SliceAttr:$destination)> {
  let summary = "begins to receive a message";
  let description = [{
    Never blocks. The destination is neither read nor written until its
    `exec.receive_wait`, which may be in a later list.

    Constraints:
      - (C1) `channel` names an `exec.channel` of the module.
  }];
  let assemblyFormat =
      "$destination `of` $channel (`from` $location^)? attr-dict";
}

def Exec_ReceiveWaitOp : Exec_ChannelCommand<"receive_wait", (ins)> {
  let summary = "waits for the oldest message asked of a channel";
  let assemblyFormat = "$channel (`from` $location^)? attr-dict";
}

def Exec_ShardOp : Exec_Computation<"shard", (ins
    Dist_AxesAttr:$axes, I64Attr:$dimension, Exec_SliceAttr:$source,
    Exec_SliceAttr:$destination)> {
  let summary = "takes the rank's own piece of a replicated value";
  let description = [{
    Constraints:
      - (C1) the axes are of the role's mesh, at least one;
      - (C2) the destination is the source with `dimension` divided by the group's size.
  }];
  let assemblyFormat = [{
    $source `along` $dimension `over` $axes `->` $destination
    (`from` $location^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_KeepOnFirstOp : Exec_Computation<"keep_on_first", (ins
    Dist_AxesAttr:$axes, Exec_SliceAttr:$source, Exec_SliceAttr:$destination)> {
  let summary = "copies on the group's first rank, writes 0 on the others";
  let description = [{
    Constraints:
      - (C1) the axes are of the role's mesh, at least one;
      - (C2) source and destination have the same type.
  }];
  let assemblyFormat = [{
    $source `over` $axes `->` $destination (`from` $location^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_CopyOp : Exec_Computation<"copy",
    (ins Exec_SliceAttr:$source, Exec_SliceAttr:$destination)> {
  let summary = "copies a slice";
  let description = [{
    Constraints:
      - (C1) source and destination have the same type.
  }];
  let assemblyFormat =
      "$source `->` $destination (`from` $location^)? attr-dict";
  let hasVerifier = 1;
}

def Exec_FillOp : Exec_Computation<"fill",
    (ins F64Attr:$value, Exec_SliceAttr:$destination)> {
  let summary = "sets every element of a slice";
  let assemblyFormat =
      "$value `->` $destination (`from` $location^)? attr-dict";
}

#endif // MPC_DIALECTS_EXEC_IR_EXECCOMMANDS_TD
