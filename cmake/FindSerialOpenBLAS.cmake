# OpenBLAS without threads of its own: a rank's threads call it for parts of a
# product. Linked statically, because Debian's alternatives may point the shared
# library's name at a build whose threads would fight ours.
#
# Defines the target SerialOpenBLAS::SerialOpenBLAS.
find_path(SerialOpenBLAS_INCLUDE_DIR cblas.h
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
  NO_DEFAULT_PATH)
find_library(SerialOpenBLAS_LIBRARY libopenblas.a
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
  NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialOpenBLAS
  REQUIRED_VARS SerialOpenBLAS_LIBRARY SerialOpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libopenblas-serial-dev")
if(SerialOpenBLAS_FOUND AND NOT TARGET SerialOpenBLAS::SerialOpenBLAS)
  add_library(SerialOpenBLAS::SerialOpenBLAS STATIC IMPORTED)
  set_target_properties(SerialOpenBLAS::SerialOpenBLAS PROPERTIES
    IMPORTED_LOCATION "${SerialOpenBLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SerialOpenBLAS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES m)
endif()
