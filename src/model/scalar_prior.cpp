#include "fisherman/model/scalar_prior.hpp"

#include <cmath>
#include <numbers>

#include "fisherman/core/error.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "fisherman/model/normal_quadrature.hpp"

namespace fisherman {
namespace {

const double log_2pi = std::log(2.0 * std::numbers::pi);

void require_normal(double mean, double variance) {
  if (!std::isfinite(mean) || !std::isfinite(variance) || variance < 0.0)
    throw NotFinite("a parameter has no finite normal distribution");
}

template <class F>
ScalarJet by_quadrature(double mean, double variance, double strip, const F& f) {
  const double deviation = std::sqrt(variance);
  const NormalRule& rule = normal_rule(deviation / strip);
  ScalarJet sum{};
  for (Index k = 0; k < rule.z.size(); ++k) {
    const ScalarJet at = f(mean + deviation * rule.z(k));
    sum.value += rule.weight(k) * at.value;
    sum.slope += rule.weight(k) * at.slope;
    sum.curvature += rule.weight(k) * at.curvature;
  }
  return sum;
}

}  // namespace

ScalarJet CoefficientPrior::at(double x) const {
  const double u = (x - location) / scale;
  switch (family) {
    case Family::normal:
      return {-0.5 * (log_2pi + u * u) - std::log(scale), -u / scale, -1.0 / (scale * scale)};
    case Family::student_t: {
      const double constant = log_gamma(0.5 * (df + 1.0)).value - log_gamma(0.5 * df).value -
                              0.5 * std::log(df * std::numbers::pi) - std::log(scale);
      const double q = 1.0 / (df + u * u);
      return {constant - 0.5 * (df + 1.0) * std::log1p(u * u / df), -(df + 1.0) * u * q / scale,
              -(df + 1.0) * q * (1.0 - 2.0 * u * u * q) / (scale * scale)};
    }
    case Family::laplace:
      return {-std::log(2.0 * scale) - std::abs(u), (u < 0.0 ? 1.0 : -1.0) / scale, 0.0};
    case Family::flat:
      return {0.0, 0.0, 0.0};
  }
  return {};
}

ScalarJet CoefficientPrior::expected(double mean, double variance) const {
  require_normal(mean, variance);
  const double m = mean - location;
  switch (family) {
    case Family::normal: {
      const double precision = 1.0 / (scale * scale);
      return {-0.5 * (log_2pi + (m * m + variance) * precision) - std::log(scale), -m * precision,
              -precision};
    }
    case Family::student_t:
      return by_quadrature(mean, variance, scale * std::sqrt(df), [&](double x) { return at(x); });
    case Family::laplace: {
      // E|x| = m(2Φ(m/s) − 1) + 2sφ(m/s), whose derivatives are 2Φ − 1 and 2φ/s.
      const double s = std::sqrt(variance);
      if (s == 0.0) return at(mean);
      const double density = std::exp(-0.5 * (m / s) * (m / s) - 0.5 * log_2pi);
      const double sign = std::erf(m / s / std::numbers::sqrt2);
      return {-std::log(2.0 * scale) - (m * sign + 2.0 * s * density) / scale, -sign / scale,
              -2.0 * density / (s * scale)};
    }
    case Family::flat:
      return {0.0, 0.0, 0.0};
  }
  return {};
}

CoefficientPrior CoefficientPrior::scaled(double factor) const {
  CoefficientPrior out = *this;
  out.location *= factor;
  out.scale *= std::abs(factor);
  return out;
}

void CoefficientPrior::check() const {
  require(std::isfinite(location), "the location of a prior is ", location, ", but must be finite");
  require(std::isfinite(scale) && scale > 0.0, "the scale of a prior is ", scale,
          ", but must be positive and finite");
  require(std::isfinite(df) && df > 0.0, "the degrees of freedom of a prior are ", df,
          ", but must be positive and finite");
}

ScalarJet ScalePrior::at(double t) const {
  switch (family) {
    case Family::half_normal: {
      const double u = std::exp(2.0 * (t - std::log(scale)));
      return {0.5 * std::log(2.0 / std::numbers::pi) + t - std::log(scale) - 0.5 * u, 1.0 - u,
              -2.0 * u};
    }
    case Family::half_t: {
      // (1 + s²/(df·scale²))^−(df+1)/2 is a softplus of 2t.
      const double constant = std::log(2.0) + log_gamma(0.5 * (shape + 1.0)).value -
                              log_gamma(0.5 * shape).value -
                              0.5 * std::log(shape * std::numbers::pi) - std::log(scale);
      const LogisticMoments f =
          logistic_moments(2.0 * (t - std::log(scale)) - std::log(shape), 0.0);
      const double h = 0.5 * (shape + 1.0);
      return {constant + t - h * f.softplus, 1.0 - 2.0 * h * f.sigmoid, -4.0 * h * f.slope};
    }
    case Family::exponential: {
      const double u = std::exp(t - std::log(scale));
      return {t - std::log(scale) - u, 1.0 - u, -u};
    }
    case Family::gamma: {
      const double u = std::exp(t - std::log(scale));
      return {-log_gamma(shape).value + shape * (t - std::log(scale)) - u, shape - u, -u};
    }
    case Family::lognormal:
      return CoefficientPrior{CoefficientPrior::Family::normal, std::log(scale), shape}.at(t);
  }
  return {};
}

// Under N(m, v): E e^(kt) = e^(km + k²v/2), and the softplus is that of a normal.
ScalarJet ScalePrior::expected(double m, double v) const {
  require_normal(m, v);
  switch (family) {
    case Family::half_normal: {
      const double u = std::exp(2.0 * (m + v - std::log(scale)));
      return {0.5 * std::log(2.0 / std::numbers::pi) + m - std::log(scale) - 0.5 * u, 1.0 - u,
              -2.0 * u};
    }
    case Family::half_t: {
      const double constant = at(0.0).value;
      const double h = 0.5 * (shape + 1.0), zero = -2.0 * std::log(scale) - std::log(shape);
      const LogisticMoments f = logistic_moments(2.0 * m + zero, 4.0 * v);
      return {constant + m - h * (f.softplus - logistic_moments(zero, 0.0).softplus),
              1.0 - 2.0 * h * f.sigmoid, -4.0 * h * f.slope};
    }
    case Family::exponential: {
      const double u = std::exp(m + 0.5 * v - std::log(scale));
      return {m - std::log(scale) - u, 1.0 - u, -u};
    }
    case Family::gamma: {
      const double u = std::exp(m + 0.5 * v - std::log(scale));
      return {-log_gamma(shape).value + shape * (m - std::log(scale)) - u, shape - u, -u};
    }
    case Family::lognormal:
      return CoefficientPrior{CoefficientPrior::Family::normal, std::log(scale), shape}.expected(m,
                                                                                                 v);
  }
  return {};
}

void ScalePrior::check() const {
  require(std::isfinite(scale) && scale > 0.0, "the scale of a prior is ", scale,
          ", but must be positive and finite");
  require(std::isfinite(shape) && shape > 0.0, "the shape of a prior is ", shape,
          ", but must be positive and finite");
}

}  // namespace fisherman
