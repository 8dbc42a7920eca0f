#include "fisherman/manifold/spd.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/core/packing.hpp"
#include "toy.hpp"

namespace fisherman::manifold_spd_test {
namespace {

testing::FrameLawOptions laws(std::function<double(const Matrix&, const Matrix&)> metric, Index n,
                              int order = 2) {
  return {.metric =
              [=](const Vector& a, const Vector& b) {
                return metric(as_matrix(a.data(), n, n), as_matrix(b.data(), n, n));
              },
          .order = order};
}

/// L_Σ(U) from the n²×n² system, no eigenvalues involved.
Matrix lyapunov_by_kronecker(const Matrix& S, const Matrix& U) {
  const Index n = S.rows();
  Matrix K = Matrix::Zero(n * n, n * n);
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < n; ++k) {
      K.block(j * n, k * n, n, n) += S(j, k) * Matrix::Identity(n, n);
      if (j == k) K.block(j * n, k * n, n, n) += S;
    }
  const Vector x = K.partialPivLu().solve(Vector(as_vector(U)));
  return as_matrix(x.data(), n, n);
}

TEST(SpdEuclidean, Laws) {
  for (const Index n : {1, 2, 5})
    expect_laws(SpdEuclidean(toy::random_spd(n, 3)),
                laws([](const Matrix& a, const Matrix& b) { return (a * b).trace(); }, n, 1));
  expect_transport_laws(SpdEuclidean(toy::random_spd(3, 3)));
}

TEST(SpdBuresWasserstein, Laws) {
  for (const Index n : {1, 2, 5}) {
    const Matrix S = toy::random_spd(n, 4);
    const auto metric = [S](const Matrix& a, const Matrix& b) {
      return (lyapunov_by_kronecker(S, a) * S * lyapunov_by_kronecker(S, b)).trace();
    };
    expect_laws(SpdBuresWasserstein(S), laws(metric, n));
    expect_transport_laws(SpdBuresWasserstein(S));
  }
}

TEST(SpdBuresWasserstein, LawsHoldWhereEigenvaluesTie) {
  const Matrix S = Matrix::Identity(4, 4);
  const auto metric = [](const Matrix& a, const Matrix& b) { return 0.25 * (a * b).trace(); };
  expect_laws(SpdBuresWasserstein(S), laws(metric, 4));
  expect_transport_laws(SpdBuresWasserstein(S));
}

TEST(SpdAffine, Laws) {
  for (const Index n : {1, 2, 5}) {
    const Matrix S = toy::random_spd(n, 5), inverse = S.inverse();
    const auto metric = [inverse](const Matrix& a, const Matrix& b) {
      return (inverse * a * inverse * b).trace();
    };
    expect_laws(SpdAffine(S), laws(metric, n));
    expect_laws(SpdAffine(S, SpdRetraction::exponential), laws(metric, n));
    expect_laws(SpdAffine(S, SpdRetraction::precision), laws(metric, n));
    const auto half = [metric](const Matrix& a, const Matrix& b) { return 0.5 * metric(a, b); };
    expect_laws(SpdAffine(S, SpdRetraction::second_order, std::sqrt(0.5)), laws(half, n));
    expect_transport_laws(SpdAffine(S));
  }
}

// Lin et al. (2020): the precision P moves to P + G + ½GP⁻¹G for a tangent G, which is −PUP here.
TEST(SpdAffine, PrecisionRetractionIsTheRuleOfLinEtAl) {
  const Matrix S = toy::random_spd(4, 8), P = S.inverse();
  const SpdAffine frame(S, SpdRetraction::precision);
  const Vector v = 2.0 * toy::random_vector(frame.dimension(), 9);
  const Matrix U = as_matrix(frame.push(v).data(), 4, 4), G = -P * U * P;
  const Matrix next = P + G + 0.5 * G * S * G;
  // Rounding, multiplied by the condition of the matrices.
  EXPECT_LT((frame.retract(v).matrix() * next - Matrix::Identity(4, 4)).norm(), 1e-11);
}

TEST(SpdLogEuclidean, Laws) {
  for (const Index n : {1, 2, 5}) {
    const Matrix S = toy::random_spd(n, 6);
    const Spectrum s = spectrum(S);
    // tr(D log[U] D log[V]) with D log from divided differences of log itself.
    const auto metric = [s, n](const Matrix& a, const Matrix& b) {
      Matrix divided(n, n);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          divided(i, j) = i == j
                              ? 1.0 / s.values(i)
                              : std::log(s.values(i) / s.values(j)) / (s.values(i) - s.values(j));
      const Matrix A = (s.P.transpose() * a * s.P).cwiseProduct(divided);
      return (A * (s.P.transpose() * b * s.P).cwiseProduct(divided)).trace();
    };
    expect_laws(SpdLogEuclidean(S), laws(metric, n));
  }
  expect_laws(SpdLogEuclidean(Matrix::Identity(3, 3)),
              laws([](const Matrix& a, const Matrix& b) { return (a * b).trace(); }, 3));
  expect_transport_laws(SpdLogEuclidean(toy::random_spd(3, 6)));
}

TEST(Spd, OneByOneByHand) {
  // On σ > 0, moving by log 2 along the affine and log-Euclidean frames doubles σ; the
  // Bures-Wasserstein coordinate of U = 2σX is X√σ, and exp is (1+X)²σ.
  const Matrix four = Matrix::Constant(1, 1, 4.0);
  const Vector log2 = Vector::Constant(1, std::log(2.0));
  EXPECT_NEAR(SpdAffine(four).exp(log2).matrix()(0), 8.0, 1e-12);
  EXPECT_NEAR(SpdLogEuclidean(four).retract(log2).matrix()(0), 8.0, 1e-12);
  EXPECT_NEAR(SpdBuresWasserstein(four).retract(Vector::Constant(1, 1.0)).matrix()(0), 9.0, 1e-12);
  EXPECT_NEAR(SpdBuresWasserstein(four).distance(SpdBuresWasserstein(Matrix::Constant(1, 1, 9.0))),
              1.0, 1e-12);
}

TEST(SpdBuresWasserstein, DistanceIsWasserstein) {
  // eq:w2-distance, written out.
  const Matrix A = toy::random_spd(4, 7), B = toy::random_spd(4, 8);
  const auto root = [](const Matrix& m) {
    return spectrum(m).map([](double x) { return std::sqrt(x); });
  };
  const double squared = (A + B - 2.0 * root(root(A) * B * root(A))).trace();
  EXPECT_NEAR(SpdBuresWasserstein(A).distance(SpdBuresWasserstein(B)), std::sqrt(squared), 1e-10);
}

// "isometric to 1e-12": written with the metric of the paper, tr(XΣX), not with our coordinates.
TEST(SpdBuresWasserstein, FrameTransportIsIsometricAndPathIndependent) {
  const SpdBuresWasserstein start(toy::random_spd(6, 9));
  const auto length = [](const SpdBuresWasserstein& f, const Vector& v) {
    const Matrix X = f.tangent_x(v);
    return (X * f.matrix() * X).trace();
  };
  SpdBuresWasserstein f = start;
  const Vector v = toy::random_vector(f.dimension(), 10);
  for (int k = 0; k < 20; ++k) {
    f = f.retract(0.05 * toy::random_vector(f.dimension(), 11 + std::uint64_t(k)));
    EXPECT_NEAR(length(f, v), v.squaredNorm(), 1e-12 * v.squaredNorm());
  }
  // Home by another way: the same point, and the same frame.
  const Vector leg = 0.3 * toy::random_vector(f.dimension(), 60).normalized();
  const SpdBuresWasserstein detour = start.retract(leg);
  const SpdBuresWasserstein arrived = detour.exp(detour.log(f));
  EXPECT_LT((arrived.matrix() - f.matrix()).norm(), 1e-13 * f.matrix().norm());
  EXPECT_LT((f.push(v) - arrived.push(v)).norm(), 1e-12 * f.push(v).norm());
}

TEST(Spd, FramesAreContinuousAcrossEigenvalueCrossings) {
  // Two eigenvalues cross at t = ½, in a basis of no coordinate axes; rounding decides what a solver
  // takes for eigenvectors there.
  const Matrix R = toy::random_orthonormal(3, 3, 12);
  const auto at = [&](double t) -> Matrix {
    return R * Vector{{0.5 + t, 1.5 - t, 2.0}}.asDiagonal() * R.transpose();
  };
  for (const auto& report :
       {testing::check_path([&](double t) { return SpdBuresWasserstein(at(t)); }),
        testing::check_path([&](double t) { return SpdAffine(at(t)); }),
        testing::check_path([&](double t) { return SpdLogEuclidean(at(t)); })})
    EXPECT_TRUE(report.ok()) << report;
}

// The paper's vec-space transport, built as the n²×n² matrix it prints.
TEST(SpdBuresWasserstein, PaperTransportEqualsDenseVecSpaceOracle) {
  const Index n = 5;
  const SpdBuresWasserstein a(toy::random_spd(n, 14));
  const SpdBuresWasserstein b = a.retract(0.3 * toy::random_vector(a.dimension(), 15).normalized());
  const auto kron = [n](const Matrix& A, const Matrix& B) {
    Matrix K(n * n, n * n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) K.block(i * n, j * n, n, n) = A(i, j) * B;
    return K;
  };
  const Matrix I = Matrix::Identity(n, n), S1 = a.matrix();
  const Spectrum s2 = spectrum(b.matrix());
  const Matrix C = geometric_mean(S1.inverse(), b.matrix()), M = C * S1;
  const Matrix PP = kron(s2.P, s2.P), L = s2.values.asDiagonal();
  const Matrix T =
      PP * (kron(L, I) + kron(I, L)).inverse() * PP.transpose() * (kron(M, I) + kron(I, M));
  const Transport ours = a.transport_to(b);
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Vector v = toy::random_vector(a.dimension(), 20 + k);
    const Vector x = T * as_vector(a.tangent_x(v));
    const Vector expected = b.from_tangent_x(as_matrix(x.data(), n, n));
    EXPECT_LT((ours.apply(v) - expected).norm(), 1e-12 * v.norm());
  }
  // On this manifold the transport back is the adjoint of the transport there.
  const Vector v = toy::random_vector(a.dimension(), 30);
  EXPECT_LT((b.transport_to(a).apply(v) - ours.adjoint(v)).norm(), 1e-12 * v.norm());
}

TEST(Spd, ClipsAreCounted) {
  const SpdEuclidean f(Matrix::Identity(3, 3));
  const SpdEuclidean next = f.retract(svec(Vector{{-2.0, 0.0, -5.0}}.asDiagonal().toDenseMatrix()));
  EXPECT_EQ(next.clips(), 2);
  EXPECT_NEAR(spectrum(next.matrix()).values(0), spd_floor, 1e-15);
  EXPECT_EQ(f.retract(svec(0.1 * Matrix::Identity(3, 3))).clips(), 0);
  EXPECT_LT(f.reach(svec(-2.0 * Matrix::Identity(3, 3))), 0.5);
}

TEST(SpdAffine, NearlySingularStaysPositiveDefinite) {
  SpdAffine f(Vector{{1e-12, 1.0}}.asDiagonal().toDenseMatrix());
  for (int k = 0; k < 50; ++k) {
    const Vector v = 3.0 * toy::random_vector(3, 40 + std::uint64_t(k));
    f = f.retract(f.reach(v) * v);
    EXPECT_GT(spectrum(f.matrix()).values(0), 0.0);
  }
}

TEST(Spd, Misuse) {
  expect_misuse([] { SpdAffine(Matrix::Zero(2, 3)); }, "2 x 3");
  expect_misuse([] { SpdAffine(-Matrix::Identity(2, 2)); }, "smallest eigenvalue is -1");
  expect_misuse([] { SpdBuresWasserstein(Matrix::Constant(2, 2, NAN)); }, "NaN");
  expect_misuse([] { SpdBuresWasserstein(1e-10 * Matrix::Identity(2, 2)); }, "clips at");
  Matrix skewed = Matrix::Identity(2, 2);
  skewed(0, 1) = 0.5;
  expect_misuse([&] { SpdLogEuclidean{skewed}; }, "symmetric");
  expect_misuse([] { SpdEuclidean(Matrix::Identity(2, 2)).push(Vector::Zero(4)); }, "must have 3");
  expect_misuse([] { SpdEuclidean(Matrix::Identity(2, 2)).pull(Matrix::Zero(3, 1)); },
                "must have 4");
}

}  // namespace
}  // namespace fisherman::manifold_spd_test
