//===- TransformerOps.td - all ops of the dialect, by family -*- tablegen -*-=//
#ifndef MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMEROPS_TD
#define MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMEROPS_TD

include "dialects/transformer/IR/TransformerAttrs.td"
include "dialects/transformer/IR/LayerOps.td"
include "dialects/transformer/IR/AttentionOps.td"
include "dialects/transformer/IR/UnfusedAttentionOps.td"
include "dialects/transformer/IR/LossOps.td"
include "dialects/transformer/IR/OptimizerOps.td"

#endif // MPC_DIALECTS_TRANSFORMER_IR_TRANSFORMEROPS_TD
