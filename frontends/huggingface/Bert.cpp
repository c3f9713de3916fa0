//===- Bert.cpp - the bert and roberta families -----------------*- C++ -*-===//
//
// Models with the masked language modelling head. The defaults for absent keys
// are those of the families' configuration classes, BertConfig and
// RobertaConfig.
//
//===----------------------------------------------------------------------===//

#include "frontends/huggingface/Family.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace mpc {
namespace {

LogicalResult readSizes(ConfigReader &reader, SettingOrigins &origins,
                        ModelSpec &spec) {
  spec.ffn = 3072;
  spec.tokenTypes = 2;
  struct Size {
    StringRef setting, key;
    int64_t ModelSpec::*member;
    bool required;
  };
  const Size sizes[] = {
      {"layers", "num_hidden_layers", &ModelSpec::layers, true},
      {"hidden", "hidden_size", &ModelSpec::hidden, true},
      {"heads", "num_attention_heads", &ModelSpec::heads, true},
      {"vocabulary", "vocab_size", &ModelSpec::vocabulary, true},
      {"positions", "max_position_embeddings", &ModelSpec::positions, true},
      {"ffn", "intermediate_size", &ModelSpec::ffn, false},
      {"token_types", "type_vocab_size", &ModelSpec::tokenTypes, false}};
  for (const Size &size : sizes)
    if (failed(reader.readSize(size.setting, size.key, "", origins,
                               spec.*size.member, size.required)))
      return failure();
  return success();
}

/// Keys that only bert models have, and that may ask for what MPC lacks.
LogicalResult checkEncoder(ConfigReader &reader) {
  std::string positions = "absolute";
  bool isDecoder = false;
  if (failed(reader.readString("position_embedding_type", positions)) ||
      failed(reader.readFlag("is_decoder", isDecoder)))
    return failure();
  if (positions != "absolute")
    return reader.emitError("position_embedding_type")
           << " is \"" << positions << "\", expected \"absolute\"";
  if (isDecoder)
    return reader.emitError("is_decoder")
           << " is true, which is not supported, expected false";
  return success();
}

/// All but the tokens.
LogicalResult readEncoder(ConfigReader &reader, SettingOrigins &origins,
                          HuggingFaceModel &model,
                          ArrayRef<StringRef> activations,
                          llvm::StringSet<> &harmless) {
  ModelSpec &spec = model.spec;
  spec.objective = Objective::MaskedLm;
  spec.norm = Norm::Post;
  spec.activation = Activation::Gelu;
  spec.embeddingNorm = spec.headTransform = spec.headBias = true;
  const NumberKey numbers[] = {
      {"residual_dropout", "hidden_dropout_prob", &ModelSpec::residualDropout,
       0.1},
      {"attention_dropout", "attention_probs_dropout_prob",
       &ModelSpec::attentionDropout, 0.1},
      {"norm_epsilon", "layer_norm_eps", &ModelSpec::normEpsilon, 1e-12},
      {"initializer_range", "initializer_range", &ModelSpec::initializerRange,
       0.02}};
  if (failed(checkEncoder(reader)) ||
      failed(readSizes(reader, origins, spec)) ||
      failed(
          readActivation(reader, "hidden_act", activations, spec.activation)) ||
      failed(readNumbers(reader, origins, numbers, spec)) ||
      failed(reader.readFlag("tie_word_embeddings", spec.tiedEmbedding)))
    return failure();
  spec.embeddingDropout = spec.residualDropout;
  spec.headActivation = spec.activation;
  // The pooler's and the classifier's.
  for (StringRef key :
       {"classifier_dropout", "directionality", "pooler_fc_size",
        "pooler_num_attention_heads", "pooler_num_fc_layers",
        "pooler_size_per_head", "pooler_type"})
    harmless.insert(key);
  model.assumed = listAssumed(reader, {{"attention_probs_dropout_prob", "0.1"},
                                       {"hidden_act", "gelu"},
                                       {"hidden_dropout_prob", "0.1"},
                                       {"initializer_range", "0.02"},
                                       {"intermediate_size", "3072"},
                                       {"layer_norm_eps", "1e-12"},
                                       {"tie_word_embeddings", "true"},
                                       {"type_vocab_size", "2"}});
  return success();
}

LogicalResult readToken(ConfigReader &reader, SettingOrigins &origins,
                        StringRef setting, StringRef key, int64_t initial,
                        HuggingFaceModel &model,
                        std::optional<int64_t> &token) {
  token = initial;
  if (!reader.has(key))
    model.assumed.push_back((key + " = " + Twine(initial)).str());
  return reader.readToken(setting, key, origins, token);
}

LogicalResult readRoberta(ConfigReader &reader, SettingOrigins &origins,
                          HuggingFaceModel &model, Norm norm,
                          llvm::StringSet<> &harmless) {
  ModelSpec &spec = model.spec;
  spec.family = mpc::Family::Roberta;
  // The head's activation is this one whatever the model's.
  if (failed(readEncoder(reader, origins, model, {"gelu"}, harmless)))
    return failure();
  spec.norm = norm;
  std::optional<int64_t> first, last;
  if (failed(readToken(reader, origins, "pad_token", "pad_token_id", 1, model,
                       spec.tokens.pad)) ||
      failed(readToken(reader, origins, "special_tokens", "bos_token_id", 0,
                       model, first)) ||
      failed(readToken(reader, origins, "special_tokens", "eos_token_id", 2,
                       model, last)))
    return failure();
  if (!spec.tokens.pad)
    return reader.emitError("pad_token_id")
           << " is null, expected a token: positions are counted from the one "
              "after it";
  spec.firstPosition = *spec.tokens.pad + 1;
  origins.record("first_position", "pad_token_id + 1",
                 origins.getLocation("pad_token"));
  for (std::optional<int64_t> token : {first, last})
    if (token)
      spec.tokens.special.push_back(*token);
  spec.tokens.mask = spec.vocabulary - 1;
  return success();
}

} // namespace

LogicalResult readBert(ConfigReader &reader, SettingOrigins &origins,
                       HuggingFaceModel &model, llvm::StringSet<> &harmless) {
  ModelSpec &spec = model.spec;
  spec.family = mpc::Family::Bert;
  if (failed(readEncoder(reader, origins, model,
                         {"gelu", "gelu_new", "gelu_pytorch_tanh", "gelu_fast",
                          "relu", "silu", "swish"},
                         harmless)) ||
      failed(readToken(reader, origins, "pad_token", "pad_token_id", 0, model,
                       spec.tokens.pad)))
    return failure();
  // [UNK], [CLS], [SEP] and [MASK] of all published vocabularies.
  constexpr int64_t kMask = 103;
  if (spec.vocabulary > kMask) {
    spec.tokens.mask = kMask;
    spec.tokens.special = {100, 101, 102};
  }
  return success();
}

LogicalResult readRoberta(ConfigReader &reader, SettingOrigins &origins,
                          HuggingFaceModel &model,
                          llvm::StringSet<> &harmless) {
  return readRoberta(reader, origins, model, Norm::Post, harmless);
}

LogicalResult readRobertaPreNorm(ConfigReader &reader, SettingOrigins &origins,
                                 HuggingFaceModel &model,
                                 llvm::StringSet<> &harmless) {
  return readRoberta(reader, origins, model, Norm::Pre, harmless);
}

} // namespace mpc
