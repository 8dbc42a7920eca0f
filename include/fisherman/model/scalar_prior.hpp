// Prior distributions of a coefficient, and of the logarithm of a positive parameter, with their expectations under a normal
// distribution: exact, in closed form or by quadrature in one dimension.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// A log density, or its expectation under a normal distribution, with two derivatives in the argument, or in the mean.
struct ScalarJet {
  double value, slope, curvature;
};

/// Of a coefficient.
struct CoefficientPrior {
  enum class Family { normal, student_t, laplace, flat };

  Family family = Family::normal;
  double location = 0.0, scale = 1.0;
  double df = 3.0;  // of Student's t

  ScalarJet at(double x) const;
  /// Under N(mean, variance). Throws NotFinite unless these are finite.
  ScalarJet expected(double mean, double variance) const;
  /// The same prior for `factor` times the coefficient.
  CoefficientPrior scaled(double factor) const;
  void check() const;
};

/// Of a positive parameter s; densities here are those of log s, the Jacobian included.
struct ScalePrior {
  enum class Family { half_normal, half_t, exponential, gamma, lognormal };

  Family family = Family::half_normal;
  double scale = 1.0;  // of gamma: 1/rate; of lognormal: the median
  double shape =
      3.0;  // half_t: degrees of freedom; gamma: shape; lognormal: standard deviation of log s

  ScalarJet at(double log_s) const;
  ScalarJet expected(double mean, double variance) const;
  void check() const;
};

}  // namespace fisherman
