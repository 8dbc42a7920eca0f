#include "fisherman/core/random_sequence.hpp"

#include <cmath>
#include <limits>

namespace fisherman {
namespace {

constexpr Index at_once = 8;

double log_factorial(double k) {
  int sign = 1;
  return ::lgamma_r(k + 1.0, &sign);
}

/// The outcome whose share of (0, 1) holds u, where shares are laid out from the mode on in turns: one above, one below.
template <class Up, class Down>
double from_mode(double u, double mode, double at_mode, double most, const Up& up,
                 const Down& down) {
  double high = mode, low = mode, p_high = at_mode, p_low = at_mode;
  u -= at_mode;
  while (u > 0.0) {
    const bool rise = high < most && p_high > 0.0, fall = low > 0.0 && p_low > 0.0;
    if (!rise && !fall) break;  // rounding: all shares together were a little less than 1
    if (rise) {
      p_high *= up(high);
      high += 1.0;
      u -= p_high;
      if (u <= 0.0) return high;
    }
    if (fall) {
      p_low *= down(low);
      low -= 1.0;
      u -= p_low;
      if (u <= 0.0) return low;
    }
  }
  return mode;
}

}  // namespace

double RandomSequence::next(Matrix& kept, Index& at, bool uniform) {
  if (at == kept.size()) {
    kept = uniform ? draws_.uniforms(stream_, at_once, 1) : draws_.normals(stream_, at_once, 1);
    ++stream_;
    at = 0;
  }
  return kept(at++);
}

double RandomSequence::gamma(double a) {
  if (a < 1.0) {
    const double boosted = gamma(a + 1.0);
    return boosted * std::pow(uniform(), 1.0 / a);
  }
  const double d = a - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal(), root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double RandomSequence::poisson(double mean) {
  if (!(mean > 0.0)) return 0.0;
  if (mean > 1e12)
    return std::round(mean + std::sqrt(mean) * normal());  // no difference to be seen
  const double mode = std::floor(mean);
  return from_mode(
      uniform(), mode, std::exp(mode * std::log(mean) - mean - log_factorial(mode)),
      std::numeric_limits<double>::infinity(), [&](double k) { return mean / (k + 1.0); },
      [&](double k) { return k / mean; });
}

double RandomSequence::binomial(double trials, double p) {
  if (!(p > 0.0)) return 0.0;
  if (p >= 1.0) return trials;
  const double mode = std::min(trials, std::floor((trials + 1.0) * p)), odds = p / (1.0 - p);
  const double log_mode = log_factorial(trials) - log_factorial(mode) -
                          log_factorial(trials - mode) + mode * std::log(p) +
                          (trials - mode) * std::log1p(-p);
  return from_mode(
      uniform(), mode, std::exp(log_mode), trials,
      [&](double k) { return (trials - k) / (k + 1.0) * odds; },
      [&](double k) { return k / (trials - k + 1.0) / odds; });
}

}  // namespace fisherman
