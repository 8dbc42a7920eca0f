// Pareto-smoothed importance sampling (Vehtari et al. 2024). The largest importance ratios are fitted by a generalised
// Pareto distribution. Its shape k̂ says how many moments they have, and so how well draws of q stand for draws of the
// target; and its quantiles are better weights than the ratios themselves.
#pragma once

#include <string>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// From log ratios log p − log q at draws of q. NaN for fewer than 25 draws, or ratios that are equal.
double pareto_k(const Vector& log_ratios);

/// Logarithms of weights that add up to 1.
struct SmoothedWeights {
  Vector log_weights;
  double k;  // as pareto_k() has it; where it is NaN, nothing was smoothed
};
SmoothedWeights pareto_smoothed(const Vector& log_ratios);

/// log Σ exp(x), without overflow.
double log_sum_exp(const Vector& x);

/// In plain words.
std::string pareto_verdict(double k);

}  // namespace fisherman
