//===- CompileSettings.h - the text of --mpc-compile ------------*- C++ -*-===//

#ifndef MPC_TOOLS_MPC_OPT_COMPILESETTINGS_H
#define MPC_TOOLS_MPC_OPT_COMPILESETTINGS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mpc {

/// What is wrong with settings such as "tp=2 stages=3,5", empty if nothing.
/// LLVM's parser refuses some of it too, but does not say what is legal; it
/// reads 010 as 8, and of two values of a setting takes the second.
std::string findMistake(llvm::StringRef settings);

/// How many files of `settings` are standard input.
unsigned countStandardInputs(llvm::StringRef settings);

} // namespace mpc

#endif // MPC_TOOLS_MPC_OPT_COMPILESETTINGS_H
