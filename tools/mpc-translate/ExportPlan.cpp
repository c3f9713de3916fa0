//===- ExportPlan.cpp - compiled modules to plan files ----------*- C++ -*-===//

#include "tools/export/ExportPlan.h"

#include "mlir/Parser/Parser.h"
#include "runtime/plan/plan_bytes.h"
#include "tools/mpc-translate/Translation.h"
#include "tools/version.h"

using namespace mlir;

namespace mpc {

LogicalResult writePlan(const TranslationRequest &request,
                         raw_ostream &output) {
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(request.sources, ParserConfig(request.context));
  if (!module)
    return failure();
  FailureOr<plan::Plan> plan = exportPlan(*module, MPC_VERSION);
  if (failed(plan))
    return failure();
  output << runtime::SerializePlan(*std::move(plan));
  return success();
}

} // namespace mpc
