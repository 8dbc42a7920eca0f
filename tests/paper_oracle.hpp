// The paper's Algorithm 1 for Gaussian variational inference as its appendix prints it
// (appx:transporting-fisher, appx:vi-logistic-regression): vec-space, d + d² coordinates, the metric
// matrix G, the transports T̃ there and back. No frame, no svec, nothing of the library but its random
// numbers.
//
// It differs from the print in two places: the Bures-Wasserstein score has the factor 2 that the
// Riemannian gradient has (docs/equations.md, D5), and the first step is τ₀ (D15).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "fisherman/core/random.hpp"

namespace fisherman::oracle {

inline Matrix kron(const Matrix& A, const Matrix& B) {
  Matrix K(A.rows() * B.rows(), A.cols() * B.cols());
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < A.rows(); ++i)
      K.block(i * B.rows(), j * B.cols(), B.rows(), B.cols()) = A(i, j) * B;
  return K;
}

inline Vector vec(const Matrix& A) { return Eigen::Map<const Vector>(A.data(), A.size()); }

/// A # B = A^½ (A^-½ B A^-½)^½ A^½
inline Matrix mean_of(const Matrix& A, const Matrix& B) {
  const Eigen::SelfAdjointEigenSolver<Matrix> a(A);
  const Matrix root = a.operatorSqrt(), inverse_root = a.operatorInverseSqrt();
  const Matrix inner = inverse_root * B * inverse_root;
  const Eigen::SelfAdjointEigenSolver<Matrix> b(0.5 * (inner + inner.transpose()));
  return root * b.operatorSqrt() * root;
}

/// T̃ = (P⊗P)(Λ⊗I + I⊗Λ)⁻¹(P⊗P)ᵀ (M⊗I + I⊗M),  M = (Σ₁⁻¹ # Σ₂)Σ₁,  Σ₂ = PΛPᵀ.
class VecTransport {
 public:
  VecTransport(const Matrix& sigma1, const Matrix& sigma2) {
    const Eigen::SelfAdjointEigenSolver<Matrix> two(sigma2);
    P_ = two.eigenvectors();
    lambda_ = two.eigenvalues();
    M_ = mean_of(sigma1.llt().solve(Matrix::Identity(sigma1.rows(), sigma1.rows())), sigma2) *
         sigma1;
  }

  /// The d²×d² matrix, factor by factor.
  Matrix printed() const {
    const Matrix I = Matrix::Identity(P_.rows(), P_.rows()), L = lambda_.asDiagonal();
    const Matrix PP = kron(P_, P_);
    const Vector sums = (kron(L, I) + kron(I, L)).diagonal();
    const Matrix lyapunov = PP * sums.cwiseInverse().asDiagonal() * PP.transpose();
    return lyapunov * (kron(M_, I) + kron(I, M_));
  }

  /// T̃H and HT̃ by (A⊗B)vec(X) = vec(BXAᵀ), O(d³) a column: for sizes where the matrix takes too long.
  Matrix times(const Matrix& H) const {
    return columns(H, [&](const Matrix& X) { return lyapunov(M_ * X + X * M_.transpose()); });
  }
  Matrix before(const Matrix& H) const {
    return columns(H.transpose(),
                   [&](const Matrix& X) -> Matrix {
                     const Matrix Y = lyapunov(X);
                     return M_.transpose() * Y + Y * M_;
                   })
        .transpose();
  }

 private:
  Matrix lyapunov(const Matrix& Y) const {
    Matrix inner = P_.transpose() * Y * P_;
    for (Index j = 0; j < inner.cols(); ++j) inner.col(j).array() /= lambda_.array() + lambda_(j);
    return P_ * inner * P_.transpose();
  }
  template <class Map>
  Matrix columns(const Matrix& H, Map map) const {
    const Index d = P_.rows();
    Matrix out(H.rows(), H.cols());
    for (Index k = 0; k < H.cols(); ++k)
      out.col(k) = vec(map(Eigen::Map<const Matrix>(H.col(k).data(), d, d)));
    return out;
  }

  Matrix P_, M_;
  Vector lambda_;
};

enum class Geometry { euclidean, bures_wasserstein };

struct Settings {
  Geometry geometry;
  double prior_variance = 10.0, epsilon, tau0, alpha;
  std::uint64_t seed = 1;
  bool materialise = true;  // T̃ as a matrix, or by its Kronecker factors
};

class GaussianVi {
 public:
  GaussianVi(Matrix X, Vector y, const Settings& settings)
      : mu(Vector::Zero(X.cols())),
        sigma(Matrix::Identity(X.cols(), X.cols())),
        X_(std::move(X)),
        y_(std::move(y)),
        settings_(settings),
        sigma_before_(sigma),
        mean_inverse_(sigma / settings.epsilon),
        covariance_inverse_(Matrix::Identity(sigma.size(), sigma.size()) / settings.epsilon) {}

  Vector mu;
  Matrix sigma;

  void iterate() {
    const Index d = mu.size();
    const bool bw = settings_.geometry == Geometry::bures_wasserstein;
    const double two = bw ? 2.0 : 1.0;
    const Draws draws(settings_.seed, std::uint64_t(s_));
    const Eigen::LLT<Matrix> factor(sigma);
    const Matrix L = factor.matrixL(), inverse = factor.solve(Matrix::Identity(d, d));

    if (bw) transport();
    sigma_before_ = sigma;

    const Vector centred = L * draws.normals(1, d, 1);  // ȳ − μ
    const Vector phi_mu = inverse * centred;
    const Matrix phi_sigma =
        two * (0.5 * inverse * centred * centred.transpose() * inverse - 0.5 * inverse);
    const Matrix phi_tilde = bw ? 0.5 * (sigma * phi_sigma + phi_sigma * sigma) : phi_sigma;
    score_update(mean_inverse_, phi_mu, phi_mu);
    score_update(covariance_inverse_, vec(phi_sigma), vec(phi_tilde));

    const Matrix betas = (L * draws.normals(0, d, 100)).colwise() + mu;
    const Matrix S = (1.0 + (-X_ * betas).array().exp()).inverse();
    const Matrix slopes = X_.transpose() * (S.colwise() - y_) + betas / settings_.prior_variance;
    const Vector weights = (S.array() * (1.0 - S.array())).rowwise().mean();
    const Matrix hessian = X_.transpose() * weights.asDiagonal() * X_ +
                           Matrix::Identity(d, d) / settings_.prior_variance;
    const Vector by_mu = slopes.rowwise().mean();
    const Matrix by_sigma = two * (0.5 * hessian - 0.5 * inverse);

    const double n = double(s_ + 1);
    const double tau = settings_.tau0 * std::pow(100.0 / (100.0 + double(s_)), settings_.alpha);
    const Vector g_mu = n * (mean_inverse_ * by_mu);
    const Vector flat = n * (covariance_inverse_ * vec(by_sigma));
    const Matrix g_sigma = Eigen::Map<const Matrix>(flat.data(), d, d);
    mu -= tau * g_mu;
    const Matrix move = Matrix::Identity(d, d) - tau * g_sigma;
    sigma = clipped(bw ? Matrix(move * sigma * move.transpose()) : Matrix(sigma - tau * g_sigma));
    ++s_;
  }

 private:
  void transport() {
    const VecTransport there(sigma_before_, sigma), back(sigma, sigma_before_);
    covariance_inverse_ = settings_.materialise
                              ? Matrix(there.printed() * covariance_inverse_ * back.printed())
                              : there.times(back.before(covariance_inverse_));
  }
  static void score_update(Matrix& inverse, const Vector& phi, const Vector& tilde) {
    const Vector left = inverse * phi;
    const Eigen::RowVectorXd right = tilde.transpose() * inverse;
    inverse -= (left / (1.0 + tilde.dot(left))) * right;
  }
  static Matrix clipped(const Matrix& S) {
    const Eigen::SelfAdjointEigenSolver<Matrix> e(0.5 * (S + S.transpose()));
    return e.eigenvectors() * e.eigenvalues().cwiseMax(1e-8).asDiagonal() *
           e.eigenvectors().transpose();
  }

  Matrix X_;
  Vector y_;
  Settings settings_;
  Matrix sigma_before_, mean_inverse_, covariance_inverse_;
  std::int64_t s_ = 0;
};

}  // namespace fisherman::oracle
