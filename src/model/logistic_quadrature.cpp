// The trapezoidal rule, which converges faster than any power of its spacing for smooth functions that
// vanish at both ends. Two of the three functions do not vanish, so something with the same ends and a
// known expectation is taken away first: the ramp and the step smoothed by a normal density of width a,
//     r(η) = ηΦ(η/a) + aφ(η/a),   E r(η) = mΦ(m/c) + cφ(m/c) with c² = a² + variance,
// and its derivative Φ(η/a) with E = Φ(m/c). What is left decays like e^-|η| whatever the variance, so
// a table on a fixed grid serves every row: Gauss-Hermite, the usual choice, converges slowly where
// the posterior is wide.
#include "fisherman/model/logistic_quadrature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

constexpr double width = 1.6;  // of the smoothing; any value near the logistic's own will do

// The spacing: the functions' nearest poles are at ±iπ, so the rule's error is exp(−2π²/spacing).
constexpr double spacing = 0.5;
constexpr double outermost = 40.0;  // e^-40 is below rounding
constexpr int outermost_node = int(outermost / spacing);
constexpr double narrow = 0.8;  // a normal narrower than this falls between the grid points

double density(double z) {
  return std::exp(-0.5 * z * z) * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
}
double distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

LogisticMoments at(double eta) {
  const double e = std::exp(-std::abs(eta)), s = 1.0 / (1.0 + e);
  return {std::max(eta, 0.0) + std::log1p(e), eta >= 0.0 ? s : e * s, e * s * s};
}

/// What is taken away, for a normal of variance v around m.
LogisticMoments smooth_part(double m, double v) {
  const double c = std::sqrt(width * width + v);
  return {m * distribution(m / c) + c * density(m / c), distribution(m / c), 0.0};
}

struct Nodes {
  std::array<LogisticMoments, 2 * outermost_node + 1> rest;

  Nodes() {
    for (int k = -outermost_node; k <= outermost_node; ++k) {
      const double eta = spacing * k;
      const LogisticMoments f = at(eta), s = smooth_part(eta, 0.0);
      rest[std::size_t(k + outermost_node)] = {f.softplus - s.softplus, f.sigmoid - s.sigmoid,
                                               f.slope};
    }
  }
};

/// The functions themselves, over ±8.5 standard deviations.
LogisticMoments narrow_moments(double mean, double deviation) {
  constexpr double step = 0.4;
  LogisticMoments sum{0.0, 0.0, 0.0};
  for (int k = -21; k <= 21; ++k) {
    const double z = step * k, w = step * density(z);
    const LogisticMoments f = at(mean + deviation * z);
    sum.softplus += w * f.softplus;
    sum.sigmoid += w * f.sigmoid;
    sum.slope += w * f.slope;
  }
  return sum;
}

}  // namespace

LogisticMoments logistic_moments(double mean, double variance) {
  if (!std::isfinite(mean) || !std::isfinite(variance) || variance < 0.0)
    throw NotFinite("a linear predictor has no finite normal distribution");
  const double deviation = std::sqrt(variance);
  if (deviation < narrow) return narrow_moments(mean, deviation);
  static const Nodes nodes;
  LogisticMoments sum = smooth_part(mean, variance);
  const double far = 9.0 * deviation;
  const int first = std::max(-outermost_node, int(std::ceil((mean - far) / spacing)));
  const int last = std::min(outermost_node, int(std::floor((mean + far) / spacing)));
  const double scale = spacing / deviation;
  for (int k = first; k <= last; ++k) {
    const double w = scale * density((spacing * k - mean) / deviation);
    const LogisticMoments& f = nodes.rest[std::size_t(k + outermost_node)];
    sum.softplus += w * f.softplus;
    sum.sigmoid += w * f.sigmoid;
    sum.slope += w * f.slope;
  }
  return sum;
}

}  // namespace fisherman
