// The parts of the module, and what they share.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace fisherman::python {

void bind_fits(nb::module_& m);
void bind_stan(nb::module_& m);
void bind_vi(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_minimize(nb::module_& m);

inline void require_count(Index count) {
  require(count > 0, "the number of draws is ", count, ", but must be positive");
}

}  // namespace fisherman::python
