//===- CheckTokens.h - the tokens of masked modelling -----------*- C++ -*-===//

#ifndef MPC_FRONTENDS_MODEL_CHECKTOKENS_H
#define MPC_FRONTENDS_MODEL_CHECKTOKENS_H

#include "frontends/model/ModelSpec.h"

namespace mpc {

/// Lets the training settings override the model's tokens and checks them. A
/// model that predicts the next token has none.
mlir::LogicalResult resolveTokens(ModelSpec &model,
                                  const TrainingSpec &training,
                                  const SettingOrigins &origins);

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_CHECKTOKENS_H
