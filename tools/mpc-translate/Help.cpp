//===- Help.cpp - what mpc-translate --help teaches -------------*- C++ -*-===//
//
// Defaults are those of the structs that the readers fill in, so they cannot
// differ from what happens.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/ModelSpec.h"
#include "frontends/model/SpellNumber.h"
#include "tools/mpc-translate/Translation.h"
#include "llvm/Support/FormatVariadic.h"

namespace mpc {

static std::string row(llvm::StringRef name, const std::string &value,
                       llvm::StringRef meaning) {
  return llvm::formatv("  {0,-20} {1,-18} {2}\n", name, value, meaning).str();
}

static std::string text(int64_t number) { return std::to_string(number); }
static std::string text(double number) { return spellNumber(number); }

static std::string describeTraining() {
  const TrainingSpec defaults;
  std::string out =
      "\nTRAINING SETTINGS (a text protocol buffer, e.g. global_batch: 16), "
      "their defaults:\n";
  out += row("sequence_length", "the longest",
             "tokens a sequence, at most the "
             "model's positions");
  out += row("global_batch", text(defaults.globalBatch),
             "sequences a step, at least 1");
  out += row("optimizer",
             defaults.optimizer == tfm::OptimizerKind::AdamW ? "ADAMW" : "SGD",
             "SGD or ADAMW");
  out += row("learning_rate", text(defaults.learningRate),
             "after the warm-up, at least 0");
  out +=
      row("min_learning_rate", "learning_rate / 10", "where the cosine ends");
  out += row("warmup_steps", text(defaults.warmupSteps),
             "of linear growth from 0");
  out += row("decay_steps", text(defaults.decaySteps),
             "where the cosine ends; 0: constant rate");
  out += row("beta1", text(defaults.beta1), "of ADAMW, in [0, 1)");
  out += row("beta2", text(defaults.beta2), "of ADAMW, in [0, 1)");
  out += row("epsilon", text(defaults.epsilon), "of ADAMW, above 0");
  out += row("weight_decay", text(defaults.weightDecay),
             "of ADAMW; matrices and tables, not norms or biases");
  out += row("clip_norm", text(defaults.clipNorm),
             "of all gradients together; 0: none");
  out += row("precision", llvm::StringRef(stringifyPrecision(defaults.precision)).upper(),
             "F32, BF16 or F16, of activations and the parameters computed with");
  out += row("loss_scale", "65536", "of F16 at first, a power of two");
  out += row("loss_scale_window", text(defaults.lossScaleWindow),
             "steps without overflow until it doubles");
  out += row("dropout", "the model's own", "replaces all rates, in [0, 1)");
  out += row("vocabulary_multiple", text(defaults.vocabularyMultiple),
             "the vocabulary is padded to a multiple of tp times it");
  out += row("mask_token", "the family's",
             "stands for hidden tokens (BERT), which 15 % become");
  out += row("pad_token", "config.json's",
             "fills sequences up (BERT): neither read nor hidden");
  out += row("special_tokens", "the family's",
             "never hidden (BERT); give it once for each");
  return out;
}

std::string getHelpText() {
  return describeTraining() + R"(
A JOB SPEC holds model { }, training { } and strategy { }; every field with its
unit, default and legal values is in frontends/spec/spec.proto. A smallest one:

  model { layers: 4 hidden: 128 heads: 4 vocabulary: 256 positions: 64 }

EXAMPLES:
  # GPT-2 from its configuration, with settings of your own
  mpc-translate --import-huggingface config.json --training=train.textproto -o model.mlir
  # BERT from its configuration; a mask token that is not the family's is a setting
  mpc-translate --import-huggingface bert/config.json --training=train.textproto -o bert.mlir
  # everything from one file, checked and counted
  mpc-translate --import-spec job.textproto | mpc-opt --mpc-print-parameter-count
  # from a model to a plan that mpc-run trains
  mpc-opt --mpc-compile="tp=2 dp=2 microbatches=4" model.mlir | mpc-translate --export-plan -o model.plan

The output file is written whole or not at all. Exit status: 0 success, 1 error.
)";
}

} // namespace mpc
