//===- PartNames.cpp - what checkpoints call the parts of a model ---------===//
//
// Parts that no checkpoint of a family has are named in its style.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/PartNames.h"

namespace mpc {
namespace {

PartNames getGpt2Names() {
  PartNames names;
  names.model = "transformer";
  names.tokens = "wte";
  names.positions = "wpe";
  names.tokenTypes = "wtt";
  names.embeddingNorm = "ln_e";
  names.embeddingDropout = "drop";
  names.layers = "h";
  names.attention = "attn";
  names.attentionNorm = "ln_1";
  names.query = "attn.c_attn.q";
  names.key = "attn.c_attn.k";
  names.value = "attn.c_attn.v";
  names.fusedQueryKeyValue = "attn.c_attn";
  names.attentionOutput = "attn.c_proj";
  names.attentionDropout = "attn.resid_dropout";
  names.feedForward = "mlp";
  names.feedForwardNorm = "ln_2";
  names.expand = "mlp.c_fc";
  names.activation = "mlp.act";
  names.contract = "mlp.c_proj";
  names.feedForwardDropout = "mlp.dropout";
  names.finalNorm = "ln_f";
  names.headDense = "lm_head.dense";
  names.headActivation = "lm_head.act";
  names.headNorm = "lm_head.ln";
  names.head = "lm_head";
  names.headBias = "lm_head.bias";
  return names;
}

/// Norms stand elsewhere in the tree, hence under other names, where they
/// precede the blocks, as in RobertaPreLayerNorm.
PartNames getBertNames(bool precedes) {
  PartNames names;
  names.model = "bert";
  names.tokens = "embeddings.word_embeddings";
  names.positions = "embeddings.position_embeddings";
  names.tokenTypes = "embeddings.token_type_embeddings";
  names.embeddingNorm = "embeddings.LayerNorm";
  names.embeddingDropout = "embeddings.dropout";
  names.layers = "encoder.layer";
  names.attention = "attention.self";
  names.attentionNorm =
      precedes ? "attention.LayerNorm" : "attention.output.LayerNorm";
  names.query = "attention.self.query";
  names.key = "attention.self.key";
  names.value = "attention.self.value";
  names.attentionOutput = "attention.output.dense";
  names.attentionDropout = "attention.output.dropout";
  names.feedForward = "output";
  names.feedForwardNorm =
      precedes ? "intermediate.LayerNorm" : "output.LayerNorm";
  names.expand = "intermediate.dense";
  names.activation = "intermediate.act";
  names.contract = "output.dense";
  names.feedForwardDropout = "output.dropout";
  names.finalNorm = "LayerNorm";
  names.headDense = "cls.predictions.transform.dense";
  names.headActivation = "cls.predictions.transform.act";
  names.headNorm = "cls.predictions.transform.LayerNorm";
  names.head = "cls.predictions.decoder";
  names.headBias = "cls.predictions.bias";
  return names;
}

/// The body of BERT under another head.
PartNames getRobertaNames(bool precedes) {
  PartNames names = getBertNames(precedes);
  names.model = precedes ? "roberta_prelayernorm" : "roberta";
  names.headDense = "lm_head.dense";
  names.headActivation = "lm_head.act";
  names.headNorm = "lm_head.layer_norm";
  names.head = "lm_head.decoder";
  names.headBias = "lm_head.bias";
  return names;
}

} // namespace

PartNames getPartNames(const ModelSpec &spec) {
  const bool precedes = spec.norm == Norm::Pre;
  switch (spec.family) {
  case Family::Gpt2:
    return getGpt2Names();
  case Family::Bert:
    return getBertNames(precedes);
  case Family::Roberta:
    return getRobertaNames(precedes);
  }
  llvm_unreachable("family of another version");
}

} // namespace mpc
