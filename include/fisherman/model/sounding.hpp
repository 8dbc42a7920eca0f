// What a block of gradients of a log density tells about the Gaussian that it was taken at: an estimate of the NELBO, of its
// gradient, and of the curvature, with hardly any noise.
#pragma once

#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// At q = N(μ, LLᵀ), with V = −log p: estimates of the NELBO, of a = Lᵀ E∇V and of B = Lᵀ E∇²V L.
struct Sounding {
  double value = 0.0, error = 0.0;  // the NELBO, and one standard error of it
  Vector slope;                     // a
  Matrix curvature;                 // B, before it is made symmetric: its skew part is noise
  Matrix root;                      // L
  Index gradients = 0, failed = 0;  // how many were taken, and how many of them were not finite

  /// ∇ NELBO in the coordinates of gaussian_affine(): (a, svec(B − I)/√2). Fisher's metric is the identity there.
  Vector gradient() const;
  /// Newton's step, of length t: precision (1−t)Σ⁻¹ + t E∇²V, and the mean along the gradient by its inverse. In the same
  /// coordinates, for the exponential retraction.
  Vector step(double t) const;
  /// The longest step of length at most `t` that is no longer than `radius`; t is then its length.
  Vector step(double& t, double radius) const;
  /// What the noise of the gradient is worth, ½E|noise|² in nats: from the skew part of B, which is nothing else.
  double noise() const;
};

/// Of the same Gaussian.
Sounding mean(const std::vector<Sounding>& soundings);

/// Half the squared norm of the gradient, in nats, as soundings at the same Gaussian tell it: without bias from their
/// noise, and what that noise is worth in one of them. Of a single one, by its own noise().
struct GainEstimate {
  double gain, noise;
};
GainEstimate gain_of(const std::vector<Sounding>& soundings);

/// Their mean, with each of slope, curvature that is like `shapes`, and all other curvature brought as near to (0, I) as
/// noise demands (James and Stein). The shapes are symmetric matrices, packed by svec() one after the other, in the
/// coordinates of the density. The present precision is one more.
Sounding without_noise(const std::vector<Sounding>& soundings, const Vector& shapes);

/// The share of the curvature still to be gained, noise aside, that is not like the shapes: between 0 and 1.
double unlike_share(const Sounding& sounding, const Vector& shapes);

/// `count` radii at stratified quantiles of χ with `degrees` degrees of freedom, one in each stratum; `uniforms` say where.
Vector chi_radii(Index degrees, const Vector& uniforms);

}  // namespace fisherman
