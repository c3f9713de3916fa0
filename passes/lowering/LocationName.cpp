//===- LocationName.cpp - the part of the model an op is from ---*- C++ -*-===//

#include "passes/lowering/LocationName.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mpc {

std::string getLocationName(Location location) {
  llvm::SetVector<StringRef> names;
  // The walk goes into what a name stands for, which is not of interest.
  std::function<void(Location)> collect = [&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part))
      names.insert(named.getName().getValue());
    else if (auto fused = dyn_cast<FusedLoc>(part))
      llvm::for_each(fused.getLocations(), collect);
  };
  collect(location);
  return llvm::join(names, " + ");
}

} // namespace mpc
