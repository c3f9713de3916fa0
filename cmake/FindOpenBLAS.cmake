# OpenBLAS, which a rank's threads call at the same time for parts of a product.
# Debian's serial build gives wrong results then: it shares its working memory
# between callers without a lock. The build with threads locks, and is told to use
# none of its own (runtime/device/cpu/blas.cc). Linked statically, because Debian's
# alternatives decide what the shared library's name means.
#
# Defines the target OpenBLAS::OpenBLAS.
find_path(OpenBLAS_INCLUDE_DIR cblas.h
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
  NO_DEFAULT_PATH)
find_library(OpenBLAS_LIBRARY libopenblas.a
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
  NO_DEFAULT_PATH)
find_package(Threads REQUIRED)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS
  REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libopenblas-pthread-dev")
if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS STATIC IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION "${OpenBLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "m;Threads::Threads")
endif()
