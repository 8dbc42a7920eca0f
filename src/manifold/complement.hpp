// Orthonormal columns completed to a basis, once at the start, and moved along afterwards.
#pragma once

#include <algorithm>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// [X X⊥] for a user's X; throws Misuse unless it is n×p, p ≤ n, with orthonormal columns.
inline Matrix completed(const ConstMatrixRef& X, const char* manifold) {
  const Index n = X.rows(), p = X.cols();
  require(p >= 1 && p <= n, "a ", manifold, " point is n x p with 1 <= p <= n, but this one is ", n,
          " x ", p);
  require(X.allFinite(), "a ", manifold, " point holds a NaN or an infinity");
  const double error = (X.transpose() * X - Matrix::Identity(p, p)).cwiseAbs().maxCoeff();
  require(error < 1e-8, "the columns of a ", manifold,
          " point must be orthonormal, but XᵀX differs from I by ", error);
  const Matrix exact = polar_factor(X);  // what little was missing
  if (p == n) return exact;
  // Unit vectors with the least share in span X, made orthogonal to it.
  const Vector share = exact.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[std::size_t(i)] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return share(a) < share(b); });
  Matrix basis(n, n);
  basis.leftCols(p) = exact;
  for (Index j = p; j < n; ++j) basis.col(j) = Vector::Unit(n, order[std::size_t(j - p)]);
  Matrix Q = thin_qr(basis).Q;
  Q.leftCols(p) = exact;
  return Q;
}

/// [X Y] where Y is the old complement (the last columns of Q), made orthogonal to the new X by
/// Gram-Schmidt: close to the old one when X is close to the old X.
inline Matrix with_moved_complement(const Matrix& X, const Matrix& Q) {
  Matrix basis = Q;
  basis.leftCols(X.cols()) = X;
  Matrix moved = thin_qr(basis).Q;
  moved.leftCols(X.cols()) = X;
  return moved;
}

}  // namespace fisherman
