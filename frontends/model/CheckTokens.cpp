//===- CheckTokens.cpp - the tokens of masked modelling ---------*- C++ -*-===//

#include "frontends/model/CheckTokens.h"

using namespace mlir;

namespace mpc {

static LogicalResult checkToken(StringRef setting, int64_t token,
                                const ModelSpec &model,
                                const SettingOrigins &origins) {
  if (token >= 0 && token < model.vocabulary)
    return success();
  return origins.emitError(setting)
         << " is " << token << ", expected 0 to " << model.vocabulary - 1
         << ", a token of the vocabulary";
}

LogicalResult resolveTokens(ModelSpec &model, const TrainingSpec &training,
                            const SettingOrigins &origins) {
  const TokenSpec &given = training.tokens;
  if (model.objective != Objective::MaskedLm) {
    for (auto [setting, isGiven] :
         {std::pair("mask_token", given.mask.has_value()),
          {"pad_token", given.pad.has_value()},
          {"special_tokens", !given.special.empty()}})
      if (isGiven)
        return origins.emitError(setting)
               << " is given, but the model predicts the next token; expected "
                  "it with masked language modelling only";
    return success();
  }
  TokenSpec &tokens = model.tokens;
  if (given.mask)
    tokens.mask = given.mask;
  if (given.pad)
    tokens.pad = given.pad;
  if (!given.special.empty())
    tokens.special = given.special;
  if (!tokens.mask)
    return emitError(origins.getLocation("mask_token"))
           << "mask_token is missing, which masked language modelling puts in "
              "the place of others; expected it in the training settings";
  if (failed(checkToken("mask_token", *tokens.mask, model, origins)))
    return failure();
  if (tokens.pad) {
    if (failed(checkToken("pad_token", *tokens.pad, model, origins)))
      return failure();
    if (*tokens.pad == *tokens.mask)
      return origins.emitError("mask_token")
             << " is " << *tokens.mask << ", which is "
             << origins.getName("pad_token") << " too; expected another";
  }
  for (int64_t token : tokens.special)
    if (failed(checkToken("special_tokens", token, model, origins)))
      return failure();
  return success();
}

} // namespace mpc
