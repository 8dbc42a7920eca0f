#include "fisherman/fisher/spectrum_bounds.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "fisherman/core/random.hpp"

namespace fisherman {

SpectrumBounds spectrum_bounds(Index n, const std::function<Vector(const Vector&)>& product,
                               Index steps) {
  steps = std::min(steps, n);
  Matrix basis(n, steps);
  Vector diagonal(steps), off(std::max<Index>(steps - 1, 0));
  Vector q = Draws(0, 0).normals(0, n, 1).col(0).normalized();
  Index k = 0;
  for (; k < steps; ++k) {
    basis.col(k) = q;
    Vector r = product(q);
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
