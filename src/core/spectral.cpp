#include "fisherman/core/spectral.hpp"

#include <Eigen/Dense>
#include <cmath>

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
  const Eigen::JacobiSVD<Matrix, Eigen::HouseholderQRPreconditioner> svd(
      A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

Matrix orthonormalised(const ConstMatrixRef& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  Matrix Q = qr.householderQ() * Matrix::Identity(A.rows(), A.cols());
  for (Index j = 0; j < A.cols(); ++j)
    if (qr.matrixQR()(j, j) < 0.0) Q.col(j) = -Q.col(j);
  return Q;
}

}  // namespace fisherman
