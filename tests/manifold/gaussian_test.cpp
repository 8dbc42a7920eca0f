#include "fisherman/manifold/gaussian.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::manifold_gaussian_test {
namespace {

testing::FrameLawOptions laws(
    Index n,
    std::function<double(const Vector&, const Matrix&, const Vector&, const Matrix&)> metric,
    int order) {
  return {.metric =
              [=](const Vector& a, const Vector& b) {
                return metric(a.head(n), as_matrix(a.data() + n, n, n), b.head(n),
                              as_matrix(b.data() + n, n, n));
              },
          .order = order};
}

TEST(Gaussian, EuclideanLaws) {
  for (const Index n : {1, 3}) {
    const auto f = gaussian_euclidean(toy::random_vector(n, 1), toy::random_spd(n, 2));
    expect_laws(
        f,
        laws(
            n, [](auto& u, auto& U, auto& v, auto& V) { return u.dot(v) + (U * V).trace(); }, 1));
    expect_transport_laws(f);
  }
}

TEST(Gaussian, BuresWassersteinLaws) {
  for (const Index n : {1, 3}) {
    const auto f = gaussian_bures_wasserstein(toy::random_vector(n, 1), toy::random_spd(n, 2));
    const Spectrum s = spectrum(f.covariance());
    const Matrix S = f.covariance();
    expect_laws(f, laws(
                       n,
                       [=](auto& u, auto& U, auto& v, auto& V) {
                         return u.dot(v) + (lyapunov(s, U) * S * lyapunov(s, V)).trace();
                       },
                       2));
    expect_transport_laws(f);
  }
}

TEST(Gaussian, AffineLaws) {
  for (const Index n : {1, 3}) {
    const auto f = gaussian_affine(toy::random_vector(n, 1), toy::random_spd(n, 2));
    const Matrix inverse = f.covariance().inverse();
    // The Fisher information itself.
    expect_laws(f, laws(
                       n,
                       [=](auto& u, auto& U, auto& v, auto& V) {
                         return u.dot(inverse * v) + 0.5 * (inverse * U * inverse * V).trace();
                       },
                       1));
  }
  expect_laws(
      gaussian_affine(toy::random_vector(3, 1), toy::random_spd(3, 2), SpdRetraction::exponential));
  // Mean and covariance are no product here: parallel transport is not offered.
  static_assert(!HasTransport<GaussianAffine> && HasTransport<GaussianBuresWasserstein>);
}

TEST(Gaussian, PullScoresIsPullOfTheOuterProducts) {
  const Index n = 4;
  const Matrix A = toy::random_matrix(n, 3, 5);
  Matrix E(n + n * n, 3);
  for (Index k = 0; k < 3; ++k) {
    const Matrix half = 0.5 * A.col(k) * A.col(k).transpose();
    E.col(k) << A.col(k), as_vector(half);
  }
  const Vector mean = toy::random_vector(n, 1);
  const Matrix S = toy::random_spd(n, 2);
  const auto check = [&](const auto& f) {
    EXPECT_LT((f.pull_scores(A) - f.pull(E)).norm(), 1e-12 * E.norm() * S.norm() * 10);
  };
  check(gaussian_euclidean(mean, S));
  check(gaussian_bures_wasserstein(mean, S));
  check(gaussian_affine(mean, S));
}

TEST(Gaussian, Misuse) {
  expect_misuse([] { gaussian_affine(Vector::Zero(2), Matrix::Identity(3, 3)); }, "order 3");
  expect_misuse([] { gaussian_affine(Vector::Constant(2, NAN), Matrix::Identity(2, 2)); }, "NaN");
  expect_misuse([] { gaussian_affine(Vector::Zero(2), -Matrix::Identity(2, 2)); },
                "positive definite");
}

}  // namespace
}  // namespace fisherman::manifold_gaussian_test
