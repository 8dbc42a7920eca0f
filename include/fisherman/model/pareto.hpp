// Pareto k̂ (Vehtari et al. 2024): how well draws of q stand for draws of the target. The largest
// importance ratios are fitted by a generalised Pareto distribution; its shape says how many moments
// they have.
#pragma once

#include <string>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// From log ratios log p − log q at draws of q. NaN for fewer than 25 draws, or ratios that are equal.
double pareto_k(const Vector& log_ratios);

/// In plain words.
std::string pareto_verdict(double k);

}  // namespace fisherman
