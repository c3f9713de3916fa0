//===- Gpt2.cpp - the gpt2 family -------------------------------*- C++ -*-===//
//
// The defaults for absent keys are those of the family's configuration class,
// GPT2Config.
//
//===----------------------------------------------------------------------===//

#include "frontends/huggingface/Config.h"
#include "frontends/huggingface/ConfigReader.h"
#include "frontends/model/LfsPointer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace mpc {
namespace {

/// Keys of such files that do not change the model: names, tokens, generation,
/// and what belongs to heads and tasks other than language modelling. In f32,
/// reorder_and_upcast_attn changes nothing either.
const llvm::StringSet<> &harmlessKeys() {
  static const llvm::StringSet<> keys = {"_name_or_path",
                                         "_num_labels",
                                         "attn_implementation",
                                         "_attn_implementation_autoset",
                                         "bad_words_ids",
                                         "begin_suppress_tokens",
                                         "bos_token_id",
                                         "chunk_size_feed_forward",
                                         "decoder_start_token_id",
                                         "diversity_penalty",
                                         "do_sample",
                                         "dtype",
                                         "early_stopping",
                                         "encoder_no_repeat_ngram_size",
                                         "eos_token_id",
                                         "exponential_decay_length_penalty",
                                         "finetuning_task",
                                         "forced_bos_token_id",
                                         "forced_eos_token_id",
                                         "gradient_checkpointing",
                                         "id2label",
                                         "is_decoder",
                                         "keys_to_ignore_at_inference",
                                         "label2id",
                                         "length_penalty",
                                         "max_length",
                                         "min_length",
                                         "n_special",
                                         "no_repeat_ngram_size",
                                         "num_beam_groups",
                                         "num_beams",
                                         "num_labels",
                                         "num_return_sequences",
                                         "output_attentions",
                                         "output_hidden_states",
                                         "output_past",
                                         "output_scores",
                                         "pad_token_id",
                                         "predict_special_tokens",
                                         "prefix",
                                         "problem_type",
                                         "remove_invalid_values",
                                         "reorder_and_upcast_attn",
                                         "repetition_penalty",
                                         "return_dict",
                                         "return_dict_in_generate",
                                         "sep_token_id",
                                         "summary_activation",
                                         "summary_first_dropout",
                                         "summary_proj_to_labels",
                                         "summary_type",
                                         "summary_use_proj",
                                         "suppress_tokens",
                                         "task_specific_params",
                                         "temperature",
                                         "tf_legacy_loss",
                                         "tie_encoder_decoder",
                                         "tokenizer_class",
                                         "top_k",
                                         "top_p",
                                         "torch_dtype",
                                         "torchscript",
                                         "transformers_version",
                                         "typical_p",
                                         "use_bfloat16",
                                         "use_cache"};
  return keys;
}

LogicalResult checkFamily(ConfigReader &reader, Location file) {
  std::string type;
  if (failed(reader.readString("model_type", type)))
    return failure();
  if (!reader.has("model_type"))
    return emitError(file) << "has no model_type, expected \"gpt2\"";
  if (type != "gpt2")
    return reader.emitError("model_type")
           << " is \"" << type << "\", expected \"gpt2\"";
  FailureOr<const JsonValue *> architectures = reader.find("architectures");
  if (failed(architectures) || !*architectures)
    return architectures;
  // Others have another head, hence another loss.
  const JsonValue &list = **architectures;
  if (list.kind == JsonValue::Kind::Null)
    return success();
  if (list.kind != JsonValue::Kind::List ||
      list.strings.size() != list.elements)
    return reader.emitError("architectures")
           << " is " << list.text << ", expected a list of strings";
  for (const std::string &name : list.strings)
    if (name != "GPT2LMHeadModel" && name != "GPT2Model")
      return reader.emitError("architectures")
             << " holds \"" << name
             << "\", expected \"GPT2LMHeadModel\" or \"GPT2Model\"";
  return success();
}

/// Parts that a gpt2 model may have and MPC does not.
LogicalResult checkUnsupported(ConfigReader &reader) {
  for (StringRef key : {"add_cross_attention", "is_encoder_decoder"}) {
    bool asked = false;
    if (failed(reader.readFlag(key, asked)))
      return failure();
    if (asked)
      return reader.emitError(key)
             << " is true, which is not supported, expected false";
  }
  for (StringRef key : {"pruned_heads", "quantization_config"}) {
    FailureOr<const JsonValue *> value = reader.find(key);
    if (failed(value))
      return failure();
    if (*value &&
        ((*value)->kind != JsonValue::Kind::Null && (*value)->elements != 0))
      return reader.emitError(key)
             << " is given, which is not supported, expected none";
  }
  return success();
}

LogicalResult readSizes(ConfigReader &reader, SettingOrigins &origins,
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

LogicalResult readActivation(ConfigReader &reader, ModelSpec &spec) {
  std::string name = "gelu_new";
  if (failed(reader.readString("activation_function", name)))
    return failure();
  auto activation = llvm::StringSwitch<std::optional<Activation>>(name)
                        .Cases({"gelu_new", "gelu_pytorch_tanh", "gelu_fast"},
                               Activation::GeluTanh)
                        .Case("gelu", Activation::Gelu)
                        .Case("relu", Activation::Relu)
                        .Default(std::nullopt);
  if (!activation)
    return reader.emitError("activation_function")
           << " is \"" << name
           << "\", expected \"gelu_new\", \"gelu_pytorch_tanh\", "
              "\"gelu_fast\", "
              "\"gelu\" or \"relu\"";
  spec.activation = *activation;
  return success();
}

LogicalResult readNumbers(ConfigReader &reader, SettingOrigins &origins,
                          ModelSpec &spec) {
  struct Entry {
    StringRef setting, key;
    double ModelSpec::*member;
    double initial;
  };
  const Entry entries[] = {
      {"embedding_dropout", "embd_pdrop", &ModelSpec::embeddingDropout, 0.1},
      {"attention_dropout", "attn_pdrop", &ModelSpec::attentionDropout, 0.1},
      {"residual_dropout", "resid_pdrop", &ModelSpec::residualDropout, 0.1},
      {"norm_epsilon", "layer_norm_epsilon", &ModelSpec::normEpsilon, 1e-5},
      {"initializer_range", "initializer_range", &ModelSpec::initializerRange,
       0.02}};
  for (const Entry &entry : entries) {
    spec.*entry.member = entry.initial;
    if (failed(reader.readNumber(entry.setting, entry.key, origins,
                                 spec.*entry.member)))
      return failure();
  }
  return success();
}

std::vector<std::string> listAssumed(const ConfigReader &reader) {
  const std::pair<StringRef, StringRef> defaults[] = {
      {"activation_function", "gelu_new"},
      {"attn_pdrop", "0.1"},
      {"embd_pdrop", "0.1"},
      {"initializer_range", "0.02"},
      {"layer_norm_epsilon", "1e-05"},
      {"resid_pdrop", "0.1"},
      {"tie_word_embeddings", "true"}};
  std::vector<std::string> assumed;
  for (auto [key, value] : defaults)
    if (!reader.has(key))
      assumed.push_back((key + " = " + value).str());
  return assumed;
}

/// What logs call the model: files are mostly called config.json, which says
/// nothing.
std::string nameOf(llvm::MemoryBufferRef file) {
  StringRef stem = llvm::sys::path::stem(file.getBufferIdentifier());
  return stem == "config" || stem.starts_with("<") ? "gpt2" : stem.str();
}

} // namespace

FailureOr<HuggingFaceModel> readHuggingFaceConfig(llvm::MemoryBufferRef file,
                                                  SettingOrigins &origins) {
  MLIRContext *context = origins.getContext();
  if (failed(checkContentIsHere(file, context)))
    return failure();
  FailureOr<JsonObject> config = readJsonObject(file, context);
  if (failed(config))
    return failure();
  Location whole =
      FileLineColLoc::get(context, file.getBufferIdentifier(), 1, 1);
  ConfigReader reader(*config, whole);
  HuggingFaceModel model;
  ModelSpec &spec = model.spec;
  spec.name = nameOf(file);
  if (failed(checkFamily(reader, whole)) || failed(checkUnsupported(reader)) ||
      failed(readSizes(reader, origins, spec)) ||
      failed(readActivation(reader, spec)) ||
      failed(readNumbers(reader, origins, spec)) ||
      failed(reader.readFlag("tie_word_embeddings", spec.tiedEmbedding)) ||
      failed(reader.readFlag("scale_attn_weights", spec.scaleByHeadDim)) ||
      failed(reader.readFlag("scale_attn_by_inverse_layer_idx",
                             spec.scaleByLayer)) ||
      failed(reader.checkUnknown(harmlessKeys())))
    return failure();
  model.assumed = listAssumed(reader);
  return model;
}

} // namespace mpc
