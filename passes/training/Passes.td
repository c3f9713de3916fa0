//===- Passes.td - from a forward pass to a training step --*- tablegen -*-===//
#ifndef MPC_PASSES_TRAINING_PASSES_TD
#define MPC_PASSES_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitMicrobatchesPass
    : Pass<"mpc-split-microbatches", "::mlir::ModuleOp"> {
  let summary = "Gives @forward the batch of one microbatch";
  let description = [{
    Requires: @forward is for the whole `global_batch` of `tfm.training`; its
    vocabulary is padded (`mpc-pad-vocabulary`).
    Ensures: its batch is global_batch / microbatches of `tfm.strategy` (1 without a
    strategy), and dp divides that. Otherwise it is one error, which with `strict`
    also lists the sizes that tp does not divide.
    Preserves: what the function computes from a sequence.

    ```mlir
    module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 2, microbatches = 4,
        sequence_parallel = false, zero = 0, strict = false, reference = false>} {
      // With global_batch = 8, this tensor<8x16xi32> becomes tensor<2x16xi32>.
      func.func @forward(%ids: tensor<8x16xi32> {tfm.binding = #tfm.binding<batch "ids">}) {
        return
      }
    }
    ```
  }];
}

def PadVocabularyPass : Pass<"mpc-pad-vocabulary", "::mlir::ModuleOp"> {
  let summary = "Rounds the vocabulary up to what tensor parallelism divides";
  let description = [{
    Requires: @forward.
    Ensures: every dimension of kind `vocabulary` is a multiple of tp of
    `tfm.strategy` times `vocabulary_multiple` of `tfm.training`.
    Preserves: the loss and the gradients of what was there: `classes` of the loss
    and the parameters' logical shapes keep the true vocabulary, and rows beyond it
    start and stay 0.

    ```mlir
    // With tp = 2, tensor<13x4xf32> becomes tensor<14x4xf32>.
    func.func @forward(%table: tensor<13x4xf32> {tfm.parameter =
        #tfm.parameter<"wte", [vocabulary, hidden], [13, 4], normal = 0.02, decay = true>}) {
      return
    }
    ```
  }];
}

def SetPrecisionPass : Pass<"mpc-set-precision", "::mlir::ModuleOp"> {
  let summary = "Gives @forward the precision of training";
  let description = [{
    Requires: @forward in f32.
    Ensures: with `precision` bf16 or f16 in `tfm.training`, its parameters and the
    results of its ops have that element type, except statistics (`isStatistic` of
    GradientOpInterface: sums over many elements, log-sum-exp, the loss). With f32
    nothing changes.
    Preserves: values up to rounding.

    ```mlir
    // Becomes tensor<2x8x16xbf16>, and so does the weight.
    func.func @forward(%x: tensor<2x8x16xf32>, %w: tensor<4x16xf32>) {
      %0 = tfm.linear %x, %w
        : (tensor<2x8x16xf32>, tensor<4x16xf32>) -> tensor<2x8x4xf32>
      return
    }
    ```
  }];
}

def UnfuseAttentionPass : Pass<"mpc-unfuse-attention", "::mlir::ModuleOp"> {
  let summary = "Makes the scores of attention tensors of the program";
  let description = [{
    Requires: nothing reads the logsumexp of a `tfm.attention`.
    Ensures: with `attention = "unfused"` in the strategy there is no `tfm.attention`:
    each is a product of queries and keys, a masked softmax, dropout where its rate is
    not 0, and a product of probabilities and values. Without, nothing is done.
    Preserves: what the function computes, up to rounding: the same probabilities are
    dropped. Locations, phases and pieces.

    ```mlir
    module attributes {tfm.strategy = #tfm.strategy<tp = 1, dp = 1, microbatches = 1,
        sequence_parallel = false, zero = 0, strict = false, reference = false,
        attention = "unfused">} {
      func.func @forward(%q: tensor<2x8x4x1x4xf32>, %k: tensor<2x8x4x4xf32>,
                         %v: tensor<2x8x4x4xf32>, %positions: tensor<2x8xi32>,
                         %seed: tensor<i32>, %samples: tensor<2xi32>,
                         %heads: tensor<4x1xi32>) -> tensor<2x8x4x1x4xf32> {
        // tfm.attention_scores, tfm.masked_softmax, tfm.attention_context
        %0:2 = tfm.attention %q, %k, %v, %positions, %positions, %seed, %samples, %heads
          {scale = 0.5 : f32, causal = true, rate = 0.0 : f32, key = 1 : i32}
          : (tensor<2x8x4x1x4xf32>, tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>,
             tensor<2x8xi32>, tensor<2x8xi32>, tensor<i32>, tensor<2xi32>,
             tensor<4x1xi32>) -> (tensor<2x8x4x1x4xf32>, tensor<2x8x4x1xf32>)
        return %0#0 : tensor<2x8x4x1x4xf32>
      }
    }
    ```
  }];
}

def BuildTrainingStepPass
    : Pass<"mpc-build-training-step", "::mlir::ModuleOp"> {
  let summary = "Differentiates @forward and writes the functions of a step";
  let description = [{
    Requires: @forward, for one microbatch, returns the sum of the loss over its valid
    tokens; every argument is a parameter or bound, every op between a parameter and
    the loss implements GradientOpInterface.
    Ensures: instead of @forward, the functions @prologue (valid tokens of the step;
    parameters in the precision of @forward),
    @forward_backward (one microbatch: its gradients are added to the accumulators)
    and @update (norm, clipping, optimizer), all arguments and results of which are
    bound to named state.
    Preserves: the loss. Gradients are those of the mean over all valid tokens of
    the step, from the first microbatch on, since the count is known before it.

    A value used several times has the sum of the uses' cotangents, added in the
    order of the backward pass. A parameter's gradient is accumulated as soon as its
    last contribution is there.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mpc::tfm::TfmDialect"];
}

def RecomputePass : Pass<"mpc-recompute", "::mlir::ModuleOp"> {
  let summary = "Lets backward compute activations again instead of keeping them";
  let description = [{
    Requires: @forward_backward, and `recompute` in the strategy: a mode, or a list of
    modes by layer.
    Ensures: what the backward ops of a layer read of it is computed again, in phase
    `recompute`, in front of the first of them. In a layer of mode *full* that is all
    but the stream that enters the layer; of mode *selective* the scores and
    probabilities of unfused attention, or, where it is fused and keeps none, the
    results of norms, activations and dropout, which are large and cheap; of mode
    *none* nothing.
    Preserves: every value, bit for bit: dropout draws by sample and position.
  }];
}

def PrintParameterCountPass
    : Pass<"mpc-print-parameter-count", "::mlir::ModuleOp"> {
  let summary = "Prints how many learned numbers a model has";
  let description = [{
    Requires: @forward.
    Ensures: nothing; prints one line, `parameters: 124439808`, on standard output.
    The padding of the vocabulary does not count, a table with two uses counts once.
    mpc-opt prints no IR beside it unless -o says where to.
    Preserves: everything.
  }];
}

def VerifyTrainingPass : Pass<"mpc-verify-training", "::mlir::ModuleOp"> {
  let summary = "Fails unless the module is exactly the three functions of a step";
  let description = [{
    Requires: nothing.
    Ensures: the module holds @prologue, @forward_backward and @update and nothing
    else; every argument and result is bound, nothing twice in one function; state
    of one kind and name has one type everywhere; masters carry `tfm.parameter`.
  }];
}

#endif // MPC_PASSES_TRAINING_PASSES_TD
