# How the targets of this project are made: warnings, sanitizers, includes from
# the root of the repository, and one precompiled header for all MLIR code.

add_library(mpc_options INTERFACE)
target_include_directories(mpc_options INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_compile_options(mpc_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${MPC_WERROR}>:-Werror>
  $<$<BOOL:${MPC_ENABLE_ASSERTIONS}>:-UNDEBUG>)
if(MPC_SANITIZE)
  target_compile_options(mpc_options INTERFACE
    -fsanitize=${MPC_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(mpc_options INTERFACE -fsanitize=${MPC_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(mpc_options INTERFACE -fuse-ld=lld)
endif()

# mpc_add_library(NAME SOURCES file... [LINK target...])
# A library of the runtime: Abseil and Protocol Buffers, never MLIR.
function(mpc_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mpc_options ${ARG_LINK})
endfunction()

# mpc_add_mlir_library(NAME SOURCES file... [LINK target...])
# A library of the compiler.
function(mpc_add_mlir_library name)
  mpc_add_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC mpc_mlir)
  target_precompile_headers(${name} REUSE_FROM mpc_pch)
endfunction()

# mpc_add_test(NAME SOURCES file... [LINK target...])
# A GoogleTest program; each of its tests is a test of CTest.
function(mpc_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mpc_options ${ARG_LINK}
    GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300)
endfunction()

# mpc_add_mlir_test(NAME SOURCES file... [LINK target...])
# The same for the compiler. Objects by themselves, since code of an executable
# cannot use the precompiled header of libraries.
function(mpc_add_mlir_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name}_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(${name}_objects PUBLIC mpc_options mpc_mlir ${ARG_LINK}
    GTest::gmock)
  target_precompile_headers(${name}_objects REUSE_FROM mpc_pch)
  mpc_add_test(${name} SOURCES $<TARGET_OBJECTS:${name}_objects>
    LINK ${ARG_LINK})
endfunction()
