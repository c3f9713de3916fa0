//===- SettingOrigins.cpp - where settings were written ---------*- C++ -*-===//

#include "frontends/model/SettingOrigins.h"

using namespace mlir;

namespace mpc {

void SettingOrigins::record(StringRef setting, StringRef name,
                            Location location) {
  origins.insert_or_assign(setting, Origin{name.str(), location});
}

std::string SettingOrigins::getName(StringRef setting) const {
  auto origin = origins.find(setting);
  return origin == origins.end() ? setting.str() : origin->second.name;
}

Location SettingOrigins::getLocation(StringRef setting) const {
  auto origin = origins.find(setting);
  return origin == origins.end() ? file : origin->second.location;
}

InFlightDiagnostic SettingOrigins::emitError(StringRef setting) const {
  return mlir::emitError(getLocation(setting)) << getName(setting);
}

} // namespace mpc
