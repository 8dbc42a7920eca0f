// A Stan program as Python has it.
#pragma once

#include "fisherman/fit/density.hpp"

namespace fisherman::python {

struct StanDensity {
  DensityModel model;
};

}  // namespace fisherman::python
