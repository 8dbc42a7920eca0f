#include "fisherman/core/types.hpp"

// Present in OpenBLAS, absent from reference BLAS, which has no threads to switch off.
extern "C" void openblas_set_num_threads(int count) __attribute__((weak));

bool fisherman::detail::use_one_blas_thread() {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  return true;
}
