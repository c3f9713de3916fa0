//===- ExecOps.td - all ops of the dialect -----------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_EXEC_IR_EXECOPS_TD
#define MPC_DIALECTS_EXEC_IR_EXECOPS_TD

include "dialects/exec/IR/ExecStructure.td"
include "dialects/exec/IR/ExecCommands.td"

#endif // MPC_DIALECTS_EXEC_IR_EXECOPS_TD
