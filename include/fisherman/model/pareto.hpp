// Pareto-smoothed importance sampling (Vehtari et al. 2024). The largest importance ratios are fitted by a generalised
// Pareto distribution. Its shape k̂ says how many moments they have, and so how well draws of q stand for draws of the
// target; and its quantiles are better weights than the ratios themselves.
#pragma once

#include <limits>
#include <string>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// From log ratios log p − log q at draws of q. NaN for fewer than 25 draws, or ratios that are equal.
double pareto_k(const Vector& log_ratios);

/// What tells how well draws of q stand for draws of the target.
///
/// k̂ is the shape of the tail of the ratios, whatever their size. Where q is nearly the target, they hardly vary, and the
/// shape of a tail of practically equal numbers means nothing: it may be 1 and more. So their variation comes first. With v
/// the standard deviation of the ratios over their mean, no expectation under the target differs from the one under q by
/// more than v standard deviations (Cauchy and Schwarz), and the target is at most log(1 + v²) nats from q. Below a tenth
/// no interval looks different.
struct RatioCheck {
  double k = std::numeric_limits<double>::quiet_NaN();
  double variation = std::numeric_limits<double>::quiet_NaN();  // v, as the draws have it

  bool hardly_vary() const { return variation < 0.1; }
  /// Whether importance weights correct what q misses: by the usual limit of k̂, or because the draws are worth at least
  /// 1/(1 + v²) of their number with weights, nine tenths.
  bool weights_correct() const { return k < 0.7 || variation < 0.33; }
  /// Whether draws with weights are worth less than half of their number. In many coordinates small differences in each add up
  /// to that, so that intervals can be fine all the same (bench/interval_coverage.py); but close is another word.
  bool vary_much() const { return variation > 1.0; }
  /// k̂, or what stands for it where the variation decides: 0 where the ratios hardly vary, 0.6 (usable) where weights
  /// correct in spite of a larger k̂, and at least that where they vary much. The limits 0.5 and 0.7 are for it.
  double judged() const;
  bool decided_by_variation() const;
  /// In plain words.
  std::string verdict() const;
  /// The same with the figures: "Pareto k 0.62, usable: …".
  std::string told() const;
};
RatioCheck ratio_check(const Vector& log_ratios);
/// The standard deviation of the ratios over their mean.
double ratio_variation(const Vector& log_ratios);

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
