#include "fisherman/manifold/fixed_rank.hpp"

#include "expect_laws.hpp"
#include "fisherman/core/spectral.hpp"
#include "toy.hpp"

namespace fisherman::manifold_fixed_rank_test {
namespace {

FixedRank example(Index m, Index n, Index r) {
  return FixedRank(toy::random_matrix(m, r, 1) * toy::random_matrix(r, n, 2), r);
}

TEST(FixedRank, Laws) {
  for (const auto& [m, n, r] : {std::tuple{6, 5, 2}, {7, 3, 3}, {3, 4, 1}, {6, 4, 3}}) {
    expect_laws(example(m, n, r), {.embedded = true, .order = 2});
    expect_transport_laws(example(m, n, r));
  }
}

TEST(FixedRank, DiagonalOnesAreNoTrouble) {
  // The paper's start: all singular values tie, so the factors of a fresh SVD are arbitrary.
  Matrix X = Matrix::Zero(7, 5);
  X.topLeftCorner(3, 3).setIdentity();
  expect_laws(FixedRank(X, 3), {.embedded = true, .order = 2});
}

TEST(FixedRank, RetractsToTheNearestMatrix) {
  const FixedRank f = example(6, 5, 2);
  const Vector v = toy::random_vector(f.dimension(), 3), xi = f.push(v);
  const Matrix moved = f.matrix() + as_matrix(xi.data(), 6, 5);
  const auto [U, singular, V] = svd(moved);
  const Matrix best = U.leftCols(2) * singular.head(2).asDiagonal() * V.leftCols(2).transpose();
  EXPECT_LT((f.retract(v).matrix() - best).norm(), 1e-12 * best.norm());
}

TEST(FixedRank, FactorsStayAligned) {
  // Aligned factors move by as much as the matrix does; those of a fresh SVD jump.
  FixedRank f = example(8, 6, 3);
  const Matrix directions = toy::random_matrix(f.dimension(), 16, 4);
  for (int k = 0; k < 200; ++k) {
    const FixedRank next = f.retract(1e-3 * directions.col(k % 16));
    EXPECT_LT((next.U() - f.U()).norm(), 0.1);
    EXPECT_LT((next.V() - f.V()).norm(), 0.1);
    EXPECT_LT((next.U().transpose() * next.U() - Matrix::Identity(3, 3)).norm(), 1e-12);
    f = next;
  }
}

TEST(FixedRank, PullOuterIsPullOfTheProduct) {
  const FixedRank f = example(6, 5, 2);
  const Matrix X = toy::random_matrix(6, 4, 5), W = toy::random_matrix(5, 4, 6);
  Matrix E(30, 4);
  for (Index k = 0; k < 4; ++k) {
    const Matrix outer = X.col(k) * W.col(k).transpose();
    E.col(k) = as_vector(outer);
  }
  EXPECT_LT((f.pull_outer(X, W) - f.pull(E)).norm(), 1e-13 * E.norm() * 10);
}

// eq:fixedrank-proj: the transport is the ambient projection at the new point.
TEST(FixedRank, PaperTransportIsTheAmbientProjection) {
  const FixedRank f = example(6, 5, 2),
                  next = f.retract(0.3 * toy::random_vector(f.dimension(), 7));
  const Vector v = toy::random_vector(f.dimension(), 8), xi = f.push(v);
  EXPECT_LT((next.push(f.transport_to(next).apply(v)) - next.push(next.pull(Matrix(xi)))).norm(),
            1e-12 * xi.norm());
}

TEST(FixedRank, Misuse) {
  expect_misuse([] { FixedRank(Matrix::Identity(3, 2), 3); }, "rank 3");
  expect_misuse([] { FixedRank(Matrix::Identity(3, 2), 0); }, "rank 0");
  expect_misuse([] { FixedRank(Matrix::Ones(3, 2), 2); }, "rank below 2");
  expect_misuse(
      [] {
        FixedRank(2.0 * Matrix::Identity(3, 2), Matrix::Identity(2, 2), Matrix::Identity(2, 2));
      },
      "orthonormal");
}

}  // namespace
}  // namespace fisherman::manifold_fixed_rank_test
