# Open MPI and the PMIx library beside it, through which its processes find each
# other before MPI is initialised. Without them mpc-run has no communicator mpi.
#
# Sets MPC_HAS_MPI; defines MPI::MPI_C and PMIx::PMIx.
option(MPC_ENABLE_MPI "Build the communicator mpi where Open MPI is installed" ON)
set(MPC_HAS_MPI OFF)
if(MPC_ENABLE_MPI)
  find_package(MPI COMPONENTS C)
  find_package(PkgConfig)
  if(MPI_C_FOUND AND PkgConfig_FOUND)
    pkg_check_modules(PMIX IMPORTED_TARGET pmix)
  endif()
  if(PMIX_FOUND)
    add_library(PMIx::PMIx ALIAS PkgConfig::PMIX)
    set(MPC_HAS_MPI ON)
  endif()
  if(NOT MPC_HAS_MPI)
    message(STATUS "communicator mpi: left out, libopenmpi-dev or pkg-config is missing")
  endif()
endif()
