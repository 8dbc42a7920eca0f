#include "fisherman/core/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <lapacke.h>
#include "fisherman/core/error.hpp"

namespace fisherman {

Spectrum spectrum(const ConstMatrixRef& S) {
  require(S.rows() == S.cols(), "a symmetric matrix is square, but this one is ", S.rows(), " x ",
          S.cols());
  require_finite(S, "a symmetric matrix");
  Spectrum out{S, Vector(S.rows())};
  const int n = int(S.rows());
  if (n == 0) return out;
  const int info =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, out.P.data(), n, out.values.data());
  if (info != 0) throw NotFinite("the eigenvalues of a symmetric matrix did not converge");
  return out;
}

Matrix lyapunov(const Spectrum& sigma, const ConstMatrixRef& U) {
  const auto& [P, lambda] = sigma;
  Matrix X = P.transpose() * U * P;
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i) X(i, j) /= lambda(i) + lambda(j);
  return P * X * P.transpose();
}

Matrix geometric_mean(const ConstMatrixRef& A, const ConstMatrixRef& B) {
  const Spectrum a = spectrum(A);
  const Matrix root = a.map([](double x) { return std::sqrt(x); });
  const Matrix inverse_root = a.map([](double x) { return 1.0 / std::sqrt(x); });
  const Spectrum middle = spectrum(inverse_root * B * inverse_root);
  return root * middle.map([](double x) { return std::sqrt(std::max(x, 0.0)); }) * root;
}

Matrix polar_factor(const ConstMatrixRef& A) {
  const Svd f = svd(A);
  return f.U * f.V.transpose();
}

Svd svd(const ConstMatrixRef& A) {
  require_finite(A, "a matrix");
  const Index m = A.rows(), n = A.cols(), k = std::min(m, n);
  Matrix copy = A, Vt(k, n);
  Svd out{Matrix(m, k), Vector(k), Matrix(n, k)};
  const int info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', int(m), int(n), copy.data(), int(m),
                                  out.s.data(), out.U.data(), int(m), Vt.data(), int(k));
  if (info != 0) throw NotFinite("a singular value decomposition did not converge");
  out.V = Vt.transpose();
  return out;
}

Qr thin_qr(const ConstMatrixRef& A) {
  require_finite(A, "a matrix");
  const Index m = A.rows(), n = A.cols(), k = std::min(m, n);
  Matrix packed = A;
  Vector tau(k);
  LAPACKE_dgeqrf(LAPACK_COL_MAJOR, int(m), int(n), packed.data(), int(m), tau.data());
  Qr out{Matrix(), packed.topRows(k).triangularView<Eigen::Upper>()};
  LAPACKE_dorgqr(LAPACK_COL_MAJOR, int(m), int(k), int(k), packed.data(), int(m), tau.data());
  out.Q = packed.leftCols(k);
  for (Index j = 0; j < k; ++j)
    if (out.R(j, j) < 0.0) {
      out.Q.col(j) = -out.Q.col(j);
      out.R.row(j) = -out.R.row(j);
    }
  return out;
}

namespace {

/// f of a real normal matrix, from its Schur form: blocks a, and [a −b; b a] for eigenvalues a ± ib. f
/// takes (a, b) of such a block to those of the result.
template <class F>
Matrix map_normal(const ConstMatrixRef& A, F f) {
  require_finite(A, "a matrix");
  const Index n = A.rows();
  Matrix T = A, Z(n, n), out = Matrix::Zero(n, n);
  Vector real(n), imaginary(n);
  int unused = 0;
  const int info = LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, int(n), T.data(), int(n),
                                 &unused, real.data(), imaginary.data(), Z.data(), int(n));
  if (info != 0) throw NotFinite("a Schur decomposition did not converge");
  for (Index k = 0; k < n; ++k) {
    const bool pair = k + 1 < n && T(k + 1, k) != 0.0;
    const double b = pair ? 0.5 * (T(k + 1, k) - T(k, k + 1)) : 0.0;
    const auto [c, d] = f(T(k, k), b);
    out(k, k) = c;
    if (!pair) continue;
    out(k + 1, k + 1) = c;
    out(k + 1, k) = d;
    out(k, k + 1) = -d;
    ++k;
  }
  return Z * out * Z.transpose();
}

}  // namespace

Matrix rotation_exp(const ConstMatrixRef& skew) {
  return map_normal(skew, [](double, double b) { return std::pair(std::cos(b), std::sin(b)); });
}

Matrix rotation_log(const ConstMatrixRef& rotation) {
  return map_normal(rotation, [](double a, double b) {
    require(a > 0.0 || b != 0.0, "the rotation turns by π: its logarithm is not unique");
    return std::pair(0.0, std::atan2(b, a));
  });
}

}  // namespace fisherman
