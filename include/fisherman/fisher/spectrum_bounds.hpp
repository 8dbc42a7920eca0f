// How far 𝐇⁻¹ stretches and shrinks: the paper's assumption:eigenvalues asks that its largest
// eigenvalue grow slowly, and a run can report it.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "fisherman/core/random.hpp"
#include "fisherman/fisher/fisher.hpp"

namespace fisherman {

struct SpectrumBounds {
  double smallest = 0.0;
  double largest = 0.0;
};

/// Extreme eigenvalues of the symmetric operator v ↦ solve(v), by the Lanczos method with full
/// reorthogonalisation: `steps` products. Ritz values lie inside the spectrum, so the true interval
/// is at least this wide.
template <FisherApproximation H>
SpectrumBounds spectrum_bounds(H& fisher, Index steps = 40) {
  const Index n = fisher.dimension();
  steps = std::min(steps, n);
  Matrix basis(n, steps);
  Vector diagonal(steps), off(std::max<Index>(steps - 1, 0));
  Vector q = Draws(0, 0).normals(0, n, 1).col(0).normalized();
  Index k = 0;
  for (; k < steps; ++k) {
    basis.col(k) = q;
    Vector r = fisher.solve(q);
    diagonal(k) = q.dot(r);
    for (int twice = 0; twice < 2; ++twice)
      r -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * r).eval();
    const double norm = r.norm();
    if (k + 1 == steps || norm <= 1e-13 * std::abs(diagonal(k))) {
      ++k;
      break;
    }
    off(k) = norm;
    q = r / norm;
  }
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;
  eigen.computeFromTridiagonal(diagonal.head(k), off.head(std::max<Index>(k - 1, 0)),
                               Eigen::EigenvaluesOnly);
  return {eigen.eigenvalues().minCoeff(), eigen.eigenvalues().maxCoeff()};
}

}  // namespace fisherman
