# Finds the C interface of LAPACK: LAPACKE::LAPACKE. Some libraries carry it themselves (OpenBLAS built
# with it), Debian ships it on its own.
find_library(LAPACKE_LIBRARY NAMES lapacke openblas)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE DEFAULT_MSG LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR)
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES IMPORTED_LOCATION "${LAPACKE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}")
endif()
mark_as_advanced(LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR)
