//===- ShardingRuleOpInterface.td --------------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_INTERFACES_SHARDINGRULEOPINTERFACE_TD
#define MPC_DIALECTS_INTERFACES_SHARDINGRULEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Implemented by every op that may stand between import and partitioning. There
    is no default rule: an op without one is an error of `mpc-verify-shardings`,
    never an op that is silently replicated.

    Implementing it also verifies the op's types: sizes against the rule, and
    shardings by C1 to C6 of ShardingRule.h.
  }];
  let methods = [
    InterfaceMethod<[{
        The rule as text, in the notation of ShardingRule.h, e.g.
        `x: b s k, w: o k -> y: b s o | reduce k | linear x; w`.
      }], "std::string", "getShardingRuleText">,
  ];
  let verify = [{ return ::mpc::detail::verifyShardingRule($_op); }];
}

#endif // MPC_DIALECTS_INTERFACES_SHARDINGRULEOPINTERFACE_TD
