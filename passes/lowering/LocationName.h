//===- LocationName.h - the part of the model an op is from -----*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_LOCATIONNAME_H
#define MPC_PASSES_LOWERING_LOCATIONNAME_H

#include "mlir/IR/Location.h"
#include <string>

namespace mpc {

/// The names in a location, e.g. `h.3.attn.c_proj`; of a fused one each once,
/// joined by ` + `. Empty if it has none.
std::string getLocationName(mlir::Location location);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_LOCATIONNAME_H
