//===- Config.cpp - models from Hugging Face's config.json ------*- C++ -*-===//

#include "frontends/huggingface/Config.h"
#include "frontends/huggingface/Family.h"
#include "frontends/model/LfsPointer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace mpc {
namespace {

struct FamilyRow {
  StringRef type;
  /// Others have another head, hence another loss.
  SmallVector<StringRef, 2> architectures;
  FamilyReader read;
};

ArrayRef<FamilyRow> getFamilies() {
  static const FamilyRow families[] = {
      {"gpt2", {"GPT2LMHeadModel", "GPT2Model"}, readGpt2},
      {"bert", {"BertForMaskedLM", "BertModel"}, readBert},
      {"roberta", {"RobertaForMaskedLM", "RobertaModel"}, readRoberta},
      {"roberta-prelayernorm",
       {"RobertaPreLayerNormForMaskedLM", "RobertaPreLayerNormModel"},
       readRobertaPreNorm}};
  return families;
}

/// Keys of such files that change no model: names, tokens, generation, and what
/// belongs to heads and tasks other than language modelling.
constexpr StringLiteral kHarmlessKeys[] = {"_name_or_path",
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
                                           "keys_to_ignore_at_inference",
                                           "label2id",
                                           "length_penalty",
                                           "max_length",
                                           "min_length",
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
                                           "prefix",
                                           "problem_type",
                                           "remove_invalid_values",
                                           "repetition_penalty",
                                           "return_dict",
                                           "return_dict_in_generate",
                                           "sep_token_id",
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

FailureOr<const FamilyRow *> chooseFamily(ConfigReader &reader, Location file) {
  SmallVector<StringRef> types;
  for (const FamilyRow &family : getFamilies())
    types.push_back(family.type);
  std::string type;
  if (failed(reader.readString("model_type", type)))
    return failure();
  if (!reader.has("model_type"))
    return emitError(file) << "has no model_type, expected " << quoteAll(types);
  for (const FamilyRow &family : getFamilies())
    if (type == family.type)
      return &family;
  return reader.emitError("model_type")
         << " is \"" << type << "\", expected " << quoteAll(types);
}

LogicalResult checkArchitectures(ConfigReader &reader,
                                 const FamilyRow &family) {
  FailureOr<const JsonValue *> architectures = reader.find("architectures");
  if (failed(architectures) || !*architectures)
    return architectures;
  const JsonValue &list = **architectures;
  if (list.kind == JsonValue::Kind::Null)
    return success();
  if (list.kind != JsonValue::Kind::List ||
      list.strings.size() != list.elements)
    return reader.emitError("architectures")
           << " is " << list.text << ", expected a list of strings";
  for (const std::string &name : list.strings)
    if (!llvm::is_contained(family.architectures, name))
      return reader.emitError("architectures")
             << " holds \"" << name << "\", expected "
             << quoteAll(family.architectures);
  return success();
}

/// Parts that a model may have and MPC does not.
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

/// What logs call the model: files are mostly called config.json, which says
/// nothing.
std::string nameOf(llvm::MemoryBufferRef file, const FamilyRow &family) {
  StringRef stem = llvm::sys::path::stem(file.getBufferIdentifier());
  return stem == "config" || stem.starts_with("<") ? family.type.str()
                                                   : stem.str();
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
  FailureOr<const FamilyRow *> family = chooseFamily(reader, whole);
  if (failed(family))
    return failure();
  HuggingFaceModel model;
  model.spec.name = nameOf(file, **family);
  llvm::StringSet<> harmless;
  for (StringRef key : kHarmlessKeys)
    harmless.insert(key);
  if (failed(checkArchitectures(reader, **family)) ||
      failed(checkUnsupported(reader)) ||
      failed((*family)->read(reader, origins, model, harmless)) ||
      failed(reader.checkUnknown(harmless)))
    return failure();
  return model;
}

} // namespace mpc
