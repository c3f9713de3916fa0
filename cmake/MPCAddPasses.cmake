# mpc_add_passes(PHASE file... [LINK target...])
# Generates Passes.h.inc from this folder's Passes.td, the documentation of the
# passes, and the library MPC<PHASE>.
function(mpc_add_passes phase)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls)
  add_public_tablegen_target(MPC${phase}IncGen)
  mpc_add_mlir_library(MPC${phase} SOURCES ${ARG_UNPARSED_ARGUMENTS}
    LINK ${ARG_LINK})
  add_dependencies(MPC${phase} MPC${phase}IncGen)
  add_mlir_doc(Passes ${phase}Passes passes/ -gen-pass-doc)
endfunction()
