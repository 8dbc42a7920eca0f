// Second moments of the scores of a model that is linear in a matrix of low rank, η = R Lᵀx + a, in the coordinates of
// FactoredRank × Euclidean. With E[wwᵀ|x] = W, the covariance of the outcome, and z = Lᵀx, they are
//     xxᵀ ⊗ RᵀWR  for L,   zzᵀ ⊗ W  for R,   W  for a:
// the means of their parts are what a Fisher approximation can be built of.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// Means over some rows: a minibatch, or rows spread over all.
struct FactorMoments {
  static constexpr const char* unavailable =
      "this model has no factors; learn from its scores with Dense";

  Matrix W;    // k×k
  Matrix RWR;  // r×r
  Matrix zz;   // r×r
};

/// Means of what the coordinates of a feature, and those of R and a, have in common.
struct FactorInformation {
  static constexpr const char* unavailable = FactorMoments::unavailable;

  FactorMoments means;
  Matrix
      features;  // r²×p: x_j² RᵀWR for each feature j; empty if only rows spread over all were looked at
  Matrix
      classes;  // (z,1)(z,1)ᵀ ⊗ W, of order (r+1)k, projected to RᵀE = 0; empty if that is too large
  Matrix gauge;  // R, k×r
  Matrix ridge;  // r×r: what a penalty adds to every feature
};

/// The same without the means over all rows: cheaper.
struct SpreadInformation : FactorInformation {};

}  // namespace fisherman
