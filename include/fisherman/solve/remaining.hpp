// How much is still to be gained, for methods that have no Fisher information to tell it.
//
// A gradient alone does not say: ½‖g‖² is a decrease in nats only where the curvature is 1. Differences of
// gradients do: ½gᵀH⁻¹g, with H the Hessian, is what a quadratic model of the objective has still to give.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "fisherman/model/model.hpp"
#include "fisherman/solve/state.hpp"
#include "fisherman/solve/step.hpp"

namespace fisherman {

/// ½gᵀH⁻¹g by conjugate gradients, a bound from below that rises with every step and stops once it is above
/// `enough`: one step, mostly. H is taken from gradients with the same draws a `length` apart, so that their
/// noise cancels. Infinite where the curvature is not positive.
template <Frame F, Model<F> M>
double remaining(M& model, const F& frame, const Vector& g, const Draws& draws, double length,
                 double enough) {
  constexpr int most = 30;
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const double size = g.squaredNorm();
  if (size == 0.0) return 0.0;
  if (!(length > 0.0)) return unknown;
  double bound = 0.0;
  const Vector here = model.gradient(frame, draws);
  Vector r = g, p = g;
  double rr = size;
  for (int k = 0; k < most && rr > 1e-12 * size && bound <= enough; ++k) {
    const double t = length / p.norm();
    const Vector Hp = (Vector(model.gradient(frame.retract(Vector(t * p)), draws)) - here) / t;
    const double curvature = p.dot(Hp);
    if (!(curvature > 0.0) || !std::isfinite(curvature)) return unknown;
    const double alpha = rr / curvature, before = rr;
    bound += 0.5 * alpha * rr;
    r -= alpha * Hp;
    rr = r.squaredNorm();
    p = r + (rr / before) * p;
  }
  return bound;
}

namespace detail {

/// How gradients at one point differ from their mean, one a column: none of it if there is no noise.
template <Frame F, FisherApproximation H, Model<F> M>
Matrix noise_at(const State<F, H>& s, M& model) {
  constexpr int several = 16;
  Matrix g(s.frame.dimension(), several);
  for (int k = 0; k < several; ++k)
    g.col(k) = model.gradient(s.frame, Draws(s.seed, std::uint64_t(s.iteration - k)));
  g.colwise() -= Vector(g.rowwise().mean());
  return g * std::sqrt(double(several) / double(several - 1));
}

/// What noise costs at the end, in nats. With N = tr 𝐇⁻¹Σ, steps of τ keep the iterates ¼τN above the
/// minimum, and an average of n of them is ½N/n above it.
template <Frame F, FisherApproximation H>
double cost_of_noise(const State<F, H>& s, const Matrix& noise, double tau) {
  double N = 0.0;
  for (Index k = 0; k < noise.cols(); ++k) {
    H fisher = s.fisher;
    Vector response = fisher.solve(noise.col(k));
    if (has_momentum(fisher))  // a gradient goes on to act for some tens of iterations
      for (int again = 0; again < 40; ++again) response = fisher.solve(noise.col(k));
    N += std::max(0.0, noise.col(k).dot(response)) / double(noise.cols());
  }
  return s.average.empty() ? 0.25 * tau * N : 0.5 * N / s.average.effective_count();
}

}  // namespace detail

/// What is still to be gained, measured, if the Fisher approximation's word for it is not enough: `in_nats`
/// says whether that is in nats at all. The sum is as long as it must be to pass `enough`; `smoothing` is the
/// weight of the past in the state's mean gradient.
template <Frame F, FisherApproximation H, Model<F> M>
double measured_gain(const State<F, H>& s, M& model, const StepReport& step, double smoothing,
                     double enough, bool in_nats) {
  const Draws draws(s.seed, std::uint64_t(s.iteration));
  const auto by_differences = [&](const Vector& g, double until) {
    return remaining(model, s.frame, g, draws, step.step_norm, until);
  };
  try {
    double left = in_nats ? s.predicted : by_differences(s.mean_gradient, enough);
    if (!(left < enough)) return left;
    const Matrix noise = detail::noise_at(s, model);
    left += detail::cost_of_noise(s, noise, step.step);
    if (in_nats) return left;
    // A direction of small curvature may hide in the noise that the mean gradient has still: twice what
    // that noise promises by itself, so that a lucky moment does not end the run.
    constexpr Index looks = 8;
    const double share = 2.0 * (1.0 - smoothing) / (1.0 + smoothing) / looks;
    for (Index k = 0; k < looks && left < enough; ++k)
      left += share * by_differences(noise.col(k), (enough - left) / share);
    return left;
  } catch (const NotFinite&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace fisherman
