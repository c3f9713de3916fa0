#include "runtime/device/cpu/blas.h"

#include <cblas.h>

namespace mpc::runtime {

void UseBlasInCallingThread() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  (void)done;
}

}  // namespace mpc::runtime
