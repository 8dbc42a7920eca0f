// Expectations of smooth functions under a normal distribution, by sums over a few points of it.
//
// What decides how many points are needed is the width of the normal against the distance of the function's nearest
// singularity from the real axis: near 0 a Gauss-Hermite rule of seven points is exact to rounding, and for wide normals
// the trapezoidal rule converges faster than any power of its spacing.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// E f(z) ≈ Σ weightₖ f(zₖ) for a standard normal z.
struct NormalRule {
  Vector z, weight;
};

/// From the eigenvectors of the Jacobi matrix (Golub and Welsch).
NormalRule gauss_hermite(Index points);
/// 2·each_side + 1 points, `step` apart.
NormalRule trapezoidal(Index each_side, double step);

/// For functions of mean + deviation·z that are smooth within a strip of half width `strip` around the real axis, to about
/// 1e-12 of their size: `ratio` is deviation/strip. Throws NotFinite for a ratio that is not a finite number, or so large
/// that more than 10,000 points would be needed.
const NormalRule& normal_rule(double ratio);

/// E f(z) ≈ Σ weightₖ f(zₖ) for a standard normal z of several dimensions, one row of `z` a node. No weight is negative,
/// means are 0 and the covariance is the identity.
struct NormalNodes {
  Matrix z;
  Vector weight;
};

inline constexpr Index usual_nodes = 1024;

/// About `count` nodes, always the same. In two dimensions rings, which are exact for polynomials up to degree
/// √count − 1, in three and four a product of Gauss-Hermite rules. Products need too many nodes in more dimensions: there it is
/// Richtmyer's sequence, z and −z together.
NormalNodes normal_nodes(Index dimension, Index count = usual_nodes);

/// Distribution function of the standard normal, and its logarithm with two derivatives, for any argument.
double normal_distribution(double x);
struct LogNormalDistribution {
  double value, slope, curvature;
};
LogNormalDistribution log_normal_distribution(double x);

/// log Γ with its first two derivatives at x > 0.
struct LogGamma {
  double value, slope, curvature;
};
LogGamma log_gamma(double x);

}  // namespace fisherman
