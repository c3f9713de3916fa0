#include "dialects/transformer/IR/Transformer.h"
using namespace mlir;
namespace mpc::tfm {
SmallVector<Value> EmbeddingOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> EmbeddingGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> DropoutOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LayerNormOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LayerNormInputGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LayerNormParamGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LinearOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LinearInputGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> LinearWeightGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> BiasAddOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> BiasGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> AddOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> AccumulateOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ScaleOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> GeluOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> GeluGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ReluOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ReluGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ResidualOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> AttentionOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> AttentionGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> RowMaxOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ExpSumOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ExpSumGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> PickOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> PickGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> NllOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> NllGradOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> SumAllOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> BroadcastOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> CountValidOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> SumSquaresOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> SqrtOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ReciprocalOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> ClipFactorOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> CountStepOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> BiasCorrectionOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> SgdOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
SmallVector<Value> AdamWOp::decompose(OpBuilder &, ValueRange) { emitOpError("has no decomposition yet"); return {}; }
}
