//===- CostOpInterface.td ----------------------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_INTERFACES_COSTOPINTERFACE_TD
#define MPC_DIALECTS_INTERFACES_COSTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Implemented by every command that computes. What it does follows from its types
    and its memory alone; what that costs is a matter of the device (cluster/pricing.h),
    so that planner, simulator and predictions cannot disagree.
  }];
  let methods = [
    InterfaceMethod<"What a device does to execute the command once.",
                    "::mpc::cluster::Work", "getWork">,
  ];
}

#endif // MPC_DIALECTS_INTERFACES_COSTOPINTERFACE_TD
