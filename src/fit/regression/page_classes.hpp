#pragma once

#include "page.hpp"

namespace fisherman::regression_report {

/// Of fits that tell several classes apart: how good the probabilities are, and which class is taken for which.
Section classes_section(const RegressionFits& fits);

}  // namespace fisherman::regression_report
