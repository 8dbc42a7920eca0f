#include "fisherman/core/packing.hpp"

#include <numbers>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {
constexpr double half_sqrt2 = 0.5 * std::numbers::sqrt2;
}

Vector svec(const ConstMatrixRef& S) {
  const Index n = S.rows();
  Vector v(svec_size(n));
  Index k = 0;
  for (Index j = 0; j < n; ++j) {
    v(k++) = S(j, j);
    for (Index i = j + 1; i < n; ++i) v(k++) = half_sqrt2 * (S(i, j) + S(j, i));
  }
  return v;
}

Matrix smat(const ConstVectorRef& v, Index n) {
  require_size(v, svec_size(n), "a packed symmetric matrix");
  Matrix S(n, n);
  Index k = 0;
  for (Index j = 0; j < n; ++j) {
    S(j, j) = v(k++);
    for (Index i = j + 1; i < n; ++i) S(i, j) = S(j, i) = half_sqrt2 * v(k++);
  }
  return S;
}

Vector skew_vec(const ConstMatrixRef& A) {
  const Index n = A.rows();
  Vector v(skew_size(n));
  Index k = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i) v(k++) = half_sqrt2 * (A(i, j) - A(j, i));
  return v;
}

Matrix skew_mat(const ConstVectorRef& v, Index n) {
  require_size(v, skew_size(n), "a packed skew matrix");
  Matrix A = Matrix::Zero(n, n);
  Index k = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i) {
      A(i, j) = half_sqrt2 * v(k++);
      A(j, i) = -A(i, j);
    }
  return A;
}

}  // namespace fisherman
