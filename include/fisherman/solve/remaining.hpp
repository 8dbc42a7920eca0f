// How much is still to be gained, for methods that have no Fisher information to tell it.
//
// A gradient alone does not say: ½‖g‖² is a decrease in nats only where the curvature is 1. Differences of
// gradients do: ½gᵀH⁻¹g, with H the Hessian, is what a quadratic model of the objective has still to give.
#pragma once

#include <limits>

#include "fisherman/model/model.hpp"

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

}  // namespace fisherman
