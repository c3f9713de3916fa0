# mpc_add_dialect(PREFIX dialect SOURCES file... LINK target...)
# Generates PREFIX{Dialect,Enums,Attrs,Ops}.{h,cpp}.inc from PREFIXOps.td in this
# folder, the dialect's documentation, and the library MPC<PREFIX>.
function(mpc_add_dialect prefix dialect)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  # Enums stand in a file of their own, or every dialect would define those of
  # the dialects that it includes.
  set(LLVM_TARGET_DEFINITIONS ${prefix}Enums.td)
  mlir_tablegen(${prefix}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${prefix}Enums.cpp.inc -gen-enum-defs)
  set(LLVM_TARGET_DEFINITIONS ${prefix}Ops.td)
  mlir_tablegen(${prefix}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${prefix}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  mlir_tablegen(${prefix}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect})
  mlir_tablegen(${prefix}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect})
  mlir_tablegen(${prefix}Ops.h.inc -gen-op-decls -dialect=${dialect} -op-include-regex=^${dialect}[.])
  mlir_tablegen(${prefix}Ops.cpp.inc -gen-op-defs -dialect=${dialect} -op-include-regex=^${dialect}[.])
  add_public_tablegen_target(MPC${prefix}IncGen)
  mpc_add_mlir_library(MPC${prefix} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  add_dependencies(MPC${prefix} MPC${prefix}IncGen MPCInterfacesIncGen)
  add_mlir_doc(${prefix}Ops ${prefix}Dialect dialects/ -gen-dialect-doc -dialect=${dialect})
endfunction()
