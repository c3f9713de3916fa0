# MLIR and LLVM 22 as shared libraries: the only imported targets that may be
# linked are MLIR and LLVM. Anything named MLIRxxx is a static copy with type
# ids of its own.

# Debian keeps each LLVM in a folder of its own.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# add_mlir_doc writes below this folder.
set(MLIR_BINARY_DIR "${PROJECT_BINARY_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The tablegen functions take their include path from the directory.
include_directories("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

add_library(mpc_mlir INTERFACE)
target_include_directories(mpc_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(mpc_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(mpc_mlir INTERFACE MLIR LLVM)

add_library(mpc_pch STATIC "${CMAKE_CURRENT_LIST_DIR}/mlir_pch.cpp")
target_link_libraries(mpc_pch PUBLIC mpc_options mpc_mlir)
target_precompile_headers(mpc_pch PRIVATE "${CMAKE_CURRENT_LIST_DIR}/mlir_pch.h")
