//===- Gpt2.cpp - the gpt2 family -------------------------------*- C++ -*-===//
//
// The defaults for absent keys are those of the family's configuration class,
// GPT2Config.
//
//===----------------------------------------------------------------------===//

#include "frontends/huggingface/Family.h"

using namespace mlir;

namespace mpc {

static LogicalResult readSizes(ConfigReader &reader, SettingOrigins &origins,
                               ModelSpec &spec) {
  if (failed(reader.readSize("layers", "n_layer", "num_hidden_layers", origins,
                             spec.layers, /*required=*/true)) ||
      failed(reader.readSize("hidden", "n_embd", "hidden_size", origins,
                             spec.hidden, /*required=*/true)) ||
      failed(reader.readSize("heads", "n_head", "num_attention_heads", origins,
                             spec.heads, /*required=*/true)) ||
      failed(reader.readSize("vocabulary", "vocab_size", "", origins,
                             spec.vocabulary, /*required=*/true)) ||
      failed(reader.readSize("positions", "n_positions",
                             "max_position_embeddings", origins, spec.positions,
                             /*required=*/true)))
    return failure();
  spec.ffn = 4 * std::min<int64_t>(spec.hidden, INT32_MAX);
  if (failed(reader.readSize("ffn", "n_inner", "", origins, spec.ffn,
                             /*required=*/false, /*nullable=*/true)))
    return failure();
  // Older files repeat the positions under this name.
  SettingOrigins ignored(origins.getLocation("positions"));
  int64_t context = spec.positions;
  if (failed(reader.readSize("positions", "n_ctx", "", ignored, context,
                             /*required=*/false)))
    return failure();
  if (context != spec.positions)
    return reader.emitError("n_ctx")
           << " is " << context << ", but " << origins.getName("positions")
           << " is " << spec.positions << "; expected the same";
  return success();
}

LogicalResult readGpt2(ConfigReader &reader, SettingOrigins &origins,
                       HuggingFaceModel &model, llvm::StringSet<> &harmless) {
  ModelSpec &spec = model.spec;
  const NumberKey numbers[] = {
      {"embedding_dropout", "embd_pdrop", &ModelSpec::embeddingDropout, 0.1},
      {"attention_dropout", "attn_pdrop", &ModelSpec::attentionDropout, 0.1},
      {"residual_dropout", "resid_pdrop", &ModelSpec::residualDropout, 0.1},
      {"norm_epsilon", "layer_norm_epsilon", &ModelSpec::normEpsilon, 1e-5},
      {"initializer_range", "initializer_range", &ModelSpec::initializerRange,
       0.02}};
  if (failed(readSizes(reader, origins, spec)) ||
      failed(readActivation(
          reader, "activation_function",
          {"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu", "relu"},
          spec.activation)) ||
      failed(readNumbers(reader, origins, numbers, spec)) ||
      failed(reader.readFlag("tie_word_embeddings", spec.tiedEmbedding)) ||
      failed(reader.readFlag("scale_attn_weights", spec.scaleByHeadDim)) ||
      failed(reader.readFlag("scale_attn_by_inverse_layer_idx",
                             spec.scaleByLayer)))
    return failure();
  // In f32, reorder_and_upcast_attn changes nothing.
  for (StringRef key : {"is_decoder", "n_special", "predict_special_tokens",
                        "reorder_and_upcast_attn", "summary_activation",
                        "summary_first_dropout", "summary_proj_to_labels",
                        "summary_type", "summary_use_proj"})
    harmless.insert(key);
  model.assumed = listAssumed(reader, {{"activation_function", "gelu_new"},
                                       {"attn_pdrop", "0.1"},
                                       {"embd_pdrop", "0.1"},
                                       {"initializer_range", "0.02"},
                                       {"layer_norm_epsilon", "1e-05"},
                                       {"resid_pdrop", "0.1"},
                                       {"tie_word_embeddings", "true"}});
  return success();
}

} // namespace mpc
