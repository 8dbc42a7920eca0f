// Whether predicted probabilities are what is observed, for fits with two classes.
#pragma once

#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/fit/page.hpp"

namespace fisherman::report {

/// What one run predicts for the rows it was fitted to.
struct Predicted {
  std::string name;
  Vector p, y;          // P(y = 1), and what was observed: 0 or 1
  std::string missing;  // why there is no p and y, if there is none
};

Section calibration_section(const std::vector<Predicted>& runs);

}  // namespace fisherman::report
