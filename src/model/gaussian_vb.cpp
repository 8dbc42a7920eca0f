#include "fisherman/model/gaussian_vb.hpp"

#include <functional>

namespace fisherman {
namespace {

Vector joined(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out << a, b;
  return out;
}

}  // namespace

FisherOperator gaussian_fisher(const GaussianEuclidean& q) {
  const Matrix sigma = q.covariance();
  const Matrix inverse = sigma.llt().solve(Matrix::Identity(q.order(), q.order()));
  const auto congruence = [n = q.order()](const Matrix& M, double factor) {
    return [=](const Vector& v) {
      const Matrix U = smat(v.tail(v.size() - n), n);
      return joined(M * v.head(n), factor * svec(M * U * M));
    };
  };
  return {congruence(inverse, 0.5), congruence(sigma, 2.0)};
}

FisherOperator gaussian_fisher(const GaussianBuresWasserstein& q) {
  const Spectrum& eigen = q.covariance_frame().eigen();
  const Index n = q.order();
  const auto scaled = [n, P = eigen.P](const Vector& mean_factor, const Matrix& factor) {
    return [=](const Vector& v) {
      const Matrix inner = P.transpose() * smat(v.tail(v.size() - n), n) * P;
      const Vector mean = P * mean_factor.cwiseProduct(P.transpose() * v.head(n));
      return joined(mean, svec(P * inner.cwiseProduct(factor) * P.transpose()));
    };
  };
  const Vector inverse = eigen.values.cwiseInverse();
  const Matrix sums = inverse.replicate(1, n) + inverse.transpose().replicate(n, 1);
  return {scaled(inverse, sums), scaled(eigen.values, sums.cwiseInverse())};
}

FisherOperator gaussian_fisher(const GaussianAffine& q) {
  const double scale = q.covariance_frame().scale();
  const auto scaled = [n = q.order()](double factor) {
    return [=](const Vector& v) { return joined(v.head(n), factor * v.tail(v.size() - n)); };
  };
  return {scaled(0.5 / (scale * scale)), scaled(2.0 * scale * scale)};
}

double gaussian_kl(const Vector& mean1, const Matrix& covariance1, const Vector& mean2,
                   const Matrix& covariance2) {
  const Eigen::LLT<Matrix> one(covariance1), two(covariance2);
  const Matrix L1 = one.matrixL(), L2 = two.matrixL();
  const Matrix ratio = L2.triangularView<Eigen::Lower>().solve(L1);
  const Vector shift = L2.triangularView<Eigen::Lower>().solve(mean2 - mean1);
  const double log_ratio = ratio.diagonal().array().log().sum();
  return 0.5 * (ratio.squaredNorm() + shift.squaredNorm() - double(mean1.size())) - log_ratio;
}

}  // namespace fisherman
