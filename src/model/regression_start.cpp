// Where a Gaussian approximation of a regression begins.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fisherman/core/error.hpp"
#include "fisherman/model/regression.hpp"

namespace fisherman {
namespace {

std::optional<Expectation> at_point(const RegressionTarget& target, const Vector& theta) {
  try {
    Expectation out = target.expectation(theta, {});
    if (std::isfinite(out.value) && out.gradient.allFinite() && out.hessian.allFinite()) return out;
  } catch (const NotFinite&) {  // too far away
  }
  return std::nullopt;
}

/// (−H + damping·D)⁻¹ g, with D the size of H's diagonal: damping grows until the matrix is positive definite.
Vector newton_step(const Matrix& negative, const Vector& g, double& damping) {
  const Vector size = negative.diagonal().cwiseAbs().cwiseMax(1e-8);
  for (;;) {
    Matrix damped = negative;
    damped.diagonal() += damping * size;
    const Eigen::LLT<Matrix> llt(damped);
    if (llt.info() == Eigen::Success) {
      const Vector step = llt.solve(g);
      if (step.allFinite()) return step;
    }
    damping = std::max(10.0 * damping, 1e-6);
    require(damping < 1e30, "no direction leads up");
  }
}

/// The mode of the coefficients, the other parameters being held.
void climb(const RegressionTarget& target, Vector& theta, Expectation& here, double enough) {
  const Index p = target.coefficients();
  double damping = 0.0;
  for (int k = 0; k < 60; ++k) {
    const Vector g = here.gradient.head(p);
    const Vector step = newton_step(-here.hessian.topLeftCorner(p, p), g, damping);
    if (0.5 * g.dot(step) < enough) return;
    Vector next = theta;
    next.head(p) += step;
    std::optional<Expectation> there = at_point(target, next);
    if (there && there->value >= here.value + 1e-4 * g.dot(step)) {
      theta = std::move(next);
      here = std::move(*there);
      damping = damping < 1e-6 ? 0.0 : 0.1 * damping;
    } else {
      damping = std::max(10.0 * damping, 1e-3);
      if (damping > 1e12) return;  // as high as rounding lets it
    }
  }
}

/// A covariance from curvature: its inverse where that is positive definite, and no wider than `widest` in any direction.
Matrix covariance_of(const Matrix& negative, const Vector& widest) {
  // In units of `widest` no precision is below 1.
  const Matrix scaled = widest.asDiagonal() * negative * widest.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (scaled + scaled.transpose()));
  const Vector precision = eigen.eigenvalues().cwiseAbs().cwiseMax(1.0);
  const Matrix half = widest.asDiagonal() * eigen.eigenvectors() *
                      precision.cwiseSqrt().cwiseInverse().asDiagonal();
  return half * half.transpose();
}

/// The mode's curvature knows nothing of what lies around it, where e^η may be beyond all bounds: the covariance is made
/// smaller for as long as that lowers the NELBO.
Matrix shrunk(const RegressionTarget& target, const Vector& mean, Matrix covariance) {
  const auto nelbo = [&](const Matrix& S, double log_scale) {
    try {
      const double value = -0.5 * double(mean.size()) * log_scale - target.expected(mean, S);
      return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
    } catch (const NotFinite&) {
      return std::numeric_limits<double>::infinity();
    }
  };
  constexpr double step = 0.25, least = 1e-8;
  double scale = 1.0, here = nelbo(covariance, 0.0);
  while (scale > least) {
    const double next = nelbo(step * covariance, std::log(step * scale));
    if (std::isfinite(here) && !(next < here)) break;
    covariance *= step;
    scale *= step;
    here = next;
  }
  return covariance;
}

}  // namespace

RegressionStart regression_start(const RegressionTarget& target) {
  const Index p = target.coefficients(), J = target.effects(), d = target.dimension();
  const RegressionPriors& priors = target.priors();
  Vector theta = Vector::Zero(d), widest = Vector::Ones(d);
  for (Index j = 0; j < p; ++j) {
    const CoefficientPrior& prior = priors.coefficients[std::size_t(j)];
    const bool flat = prior.family == CoefficientPrior::Family::flat;
    theta(j) = flat ? 0.0 : prior.location;
    widest(j) = flat ? 30.0 : 2.0 * prior.scale;
  }
  for (Index e = 0; e < J; ++e) {
    const GroupEffects& g = priors.effects[std::size_t(e)];
    theta(p + e) = std::log(0.5 * g.prior.scale);
    for (Index j = g.first; j < g.first + g.count; ++j) {
      theta(j) = 0.0;
      widest(j) = g.prior.scale;
    }
  }
  constexpr Index enough = 20000;  // rows, for a guess
  const std::optional<RegressionTarget> some =
      target.extras() > 0 ? std::optional(target.sample(enough)) : std::nullopt;
  const auto guess = [&] {
    if (!some) return;
    Vector eta = some->design() * theta.head(p);
    if (some->offset().size() > 0) eta += some->offset();
    theta.tail(target.extras()) = target.likelihood().guess(some->outcomes(), eta);
  };
  guess();
  std::optional<Expectation> here = at_point(target, theta);
  if (!here) throw NotFinite("the posterior density is not finite where the fit would start");
  const int rounds = J > 0 || target.extras() > 0 ? 3 : 1;
  for (int round = 0; round < rounds; ++round) {
    climb(target, theta, *here, round + 1 < rounds ? 0.1 : 1e-3);
    if (round + 1 == rounds) break;
    guess();
    // Of effects of which the mode is known and the curvature: what they vary by, estimated as EM does.
    const Matrix inverse =
        J > 0 ? covariance_of(-here->hessian.topLeftCorner(p, p), widest.head(p)) : Matrix();
    for (Index e = 0; e < J; ++e) {
      const GroupEffects& g = priors.effects[std::size_t(e)];
      const double square = theta.segment(g.first, g.count).squaredNorm() +
                            inverse.diagonal().segment(g.first, g.count).sum();
      theta(p + e) = 0.5 * std::log(square / double(g.count));
    }
    here = at_point(target, theta);
    if (!here) throw NotFinite("the posterior density is not finite where the fit would start");
  }
  // Standard deviations are learnt from few numbers: their logarithms are not known better than a tenth, nor worse than 1.
  Matrix negative = -here->hessian;
  for (Index k = p; k < d; ++k) {
    const double own = negative(k, k);
    negative.row(k).setZero();
    negative.col(k).setZero();
    negative(k, k) = std::max(own, 1.0);
  }
  return {theta, shrunk(target, theta, covariance_of(negative, widest))};
}

}  // namespace fisherman
