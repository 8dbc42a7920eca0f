#include "fisherman/fisher/decorrelated.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::fisher_decorrelated_test {
namespace {

constexpr Index rows = 6, cols = 3, at = 2, behind = 4, coordinates = at + rows * cols + behind;
constexpr double epsilon = 0.5;
const OuterBlock block{at, rows, cols};
const std::vector<Index> rest{2, 4};

/// b scores whose moments E[ccᵀ|x] are positive definite and not alike.
OuterScores scores(Index b, std::uint64_t seed) {
  OuterScores out{block, toy::random_matrix(rows, b, seed), Matrix(cols * cols, b),
                  toy::random_matrix(at + behind, b, seed + 100)};
  for (Index k = 0; k < b; ++k) {
    const Matrix A = toy::random_matrix(cols, cols, seed + 200 + std::uint64_t(k));
    const Matrix C = A * A.transpose() + Matrix::Constant(cols, cols, 0.5);
    out.moments.col(k) = as_vector(C);
  }
  return out;
}

Matrix moment(const OuterScores& s, Index k) {
  return as_matrix(s.moments.col(k).data(), cols, cols);
}

/// As the formula stands: W from all scores so far, one second moment for each column, inverted.
struct Plain {
  Matrix W = Matrix::Zero(cols, cols), whiten;
  std::vector<Matrix> H{std::size_t(cols), epsilon* Matrix::Identity(rows, rows)};
  double n = 0.0;

  void absorb(const OuterScores& s) {
    for (Index k = 0; k < s.x.cols(); ++k) W += moment(s, k);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(W / (W.trace() / double(cols)));
    whiten = eigen.operatorInverseSqrt();
    for (Index k = 0; k < s.x.cols(); ++k) {
      const Matrix C = whiten * moment(s, k) * whiten;
      for (Index j = 0; j < cols; ++j)
        H[std::size_t(j)] += C(j, j) * s.x.col(k) * s.x.col(k).transpose();
    }
    n += double(s.x.cols());
  }
  Matrix solve(const Matrix& G) const {
    Matrix D = G * whiten;
    for (Index j = 0; j < cols; ++j) D.col(j) = n * (H[std::size_t(j)].inverse() * D.col(j)).eval();
    return D * whiten;
  }
};

TEST(Decorrelated, IsItsFormula) {
  Decorrelated fisher(block, rest, {.epsilon = epsilon});
  BlockDiagonal<Dense> others({Dense(2, {.epsilon = epsilon}), Dense(4, {.epsilon = epsilon})});
  Plain plain;
  for (std::uint64_t s = 0; s < 5; ++s) {
    const OuterScores some = scores(7, 10 * s);
    fisher.absorb(some);
    plain.absorb(some);
    others.absorb(some.rest);
    const Vector g = toy::random_vector(coordinates, 1000 + s);
    const Vector d = fisher.solve(g);
    const Matrix expected = plain.solve(as_matrix(g.data() + at, rows, cols));
    EXPECT_LT((d.segment(at, rows * cols) - as_vector(expected)).norm(), 1e-11 * expected.norm());
    Vector outside(at + behind), found(at + behind);
    outside << g.head(at), g.tail(behind);
    found << d.head(at), d.tail(behind);
    EXPECT_EQ(found, Vector(others.solve(outside)));
  }
}

TEST(Decorrelated, IsDenseForOneColumn) {
  Decorrelated fisher({0, rows, 1}, {1}, {.epsilon = epsilon});
  Dense dense(rows, {.epsilon = epsilon});
  const Matrix z = toy::random_matrix(rows + 1, 20, 3);
  fisher.absorb(z);
  dense.absorb(Matrix(z.topRows(rows)));
  const Vector g = toy::random_vector(rows + 1, 4);
  EXPECT_LT((fisher.solve(g).head(rows) - dense.solve(g.head(rows))).norm(), 1e-12);
}

/// The block's part of 𝐇⁻¹.
Matrix learnt(const OuterScores& s) {
  Decorrelated fisher({0, rows, cols}, {1}, {.epsilon = epsilon});
  OuterScores alone = s;
  alone.block.at = 0;
  alone.rest = Matrix::Ones(1, s.x.cols());
  fisher.absorb(alone);
  Matrix out(rows * cols, rows * cols);
  for (Index k = 0; k < rows * cols; ++k)
    out.col(k) = fisher.solve(Vector::Unit(rows * cols + 1, k)).head(rows * cols);
  return out;
}

/// The inverse of E[ccᵀ ⊗ xxᵀ], damped by ε/n in the coordinates in which the columns are uncorrelated.
Matrix exact(const OuterScores& s) {
  Matrix F = Matrix::Zero(rows * cols, rows * cols), W = Matrix::Zero(cols, cols);
  for (Index k = 0; k < s.x.cols(); ++k) W += moment(s, k);
  W *= double(cols) / W.trace();
  for (Index i = 0; i < cols; ++i)
    for (Index j = 0; j < cols; ++j)
      F.block(i * rows, j * rows, rows, rows).diagonal().array() +=
          epsilon / double(s.x.cols()) * W(i, j);
  for (Index k = 0; k < s.x.cols(); ++k)
    for (Index i = 0; i < cols; ++i)
      for (Index j = 0; j < cols; ++j)
        F.block(i * rows, j * rows, rows, rows) +=
            moment(s, k)(i, j) * s.x.col(k) * s.x.col(k).transpose() / double(s.x.cols());
  return F.inverse();
}

double error(const OuterScores& s) { return (learnt(s) - exact(s)).norm() / exact(s).norm(); }

TEST(Decorrelated, IsExactWhereTheMomentsAreAlikeOrUncorrelated) {
  OuterScores s = scores(40, 7);
  EXPECT_GT(error(s), 0.01);  // moments that vary with x: an approximation
  const Vector one = s.moments.col(0);
  s.moments.colwise() = one;
  EXPECT_LT(error(s), 1e-12);
  s = scores(40, 7);
  for (Index k = 0; k < 40; ++k) {
    const Matrix C = moment(s, k).diagonal().asDiagonal();
    s.moments.col(k) = as_vector(C);
  }
  EXPECT_LT(error(s), 1e-12);
}

TEST(Decorrelated, TakesOuterProductsApart) {
  // Written out and given as factors, sampled scores are the same scores.
  const Matrix x = toy::random_matrix(rows, 9, 1), c = toy::random_matrix(cols, 9, 2);
  OuterScores factors{block, x, Matrix(cols * cols, 9), toy::random_matrix(at + behind, 9, 3)};
  Matrix written(coordinates, 9);
  for (Index k = 0; k < 9; ++k) {
    const Matrix Z = x.col(k) * c.col(k).transpose();
    // outer_scores() has no way to know how the length of Z was shared.
    const Matrix C = x.col(k).squaredNorm() * c.col(k) * c.col(k).transpose();
    factors.moments.col(k) = as_vector(C);
    factors.x.col(k).normalize();
    written.col(k) << factors.rest.col(k).head(at), as_vector(Z), factors.rest.col(k).tail(behind);
  }
  Decorrelated a(block, rest), b(block, rest);
  a.absorb(written);
  b.absorb(factors);
  const Vector g = toy::random_vector(coordinates, 4);
  EXPECT_LT((Vector(a.solve(g)) - b.solve(g)).norm(), 1e-12 * g.norm());
}

struct CountingModel {
  using ScoreForms = Forms<OuterScores>;
  int asked = 0;
  OuterScores scores(int, const Draws& draws, As<OuterScores>) {
    ++asked;
    return fisher_decorrelated_test::scores(3, draws.index());
  }
};

TEST(Decorrelated, LearnsFromOneIterationInSoMany) {
  CountingModel model;
  Decorrelated fisher(block, rest, {.every = 3}), twice(block, rest);
  for (std::uint64_t s = 0; s < 6; ++s) fisher.learn(model, 0, Draws(1, s));
  EXPECT_EQ(model.asked, 2);
  twice.absorb(scores(3, 0));
  twice.absorb(scores(3, 3));
  const Vector g = toy::random_vector(coordinates, 4);
  EXPECT_EQ(Vector(fisher.solve(g)), Vector(twice.solve(g)));
}

TEST(Decorrelated, SurvivesMomentsOfLowRank) {
  OuterScores s = scores(5, 1);
  s.moments.setZero();
  s.moments.row(0).setOnes();  // c is e₁ times ±1
  Decorrelated fisher(block, rest);
  fisher.absorb(s);
  EXPECT_TRUE(fisher.solve(toy::random_vector(coordinates, 4)).allFinite());
  s.moments.setZero();
  Decorrelated nothing(block, rest);
  nothing.absorb(s);
  EXPECT_TRUE(nothing.solve(toy::random_vector(coordinates, 4)).allFinite());
}

TEST(Decorrelated, Misuse) {
  EXPECT_THROW(Decorrelated({7, rows, cols}, rest), Misuse);
  EXPECT_THROW(Decorrelated(block, rest, {.every = 0}), Misuse);
  Decorrelated fisher(block, rest);
  EXPECT_THROW(fisher.absorb(Matrix(Matrix::Ones(coordinates + 1, 1))), Misuse);
  EXPECT_THROW(fisher.solve(Vector(Vector::Ones(coordinates - 1))), Misuse);
  OuterScores s = scores(2, 1);
  s.block.at = 1;
  EXPECT_THROW(fisher.absorb(s), Misuse);
  s = scores(2, 1);
  s.moments(0, 0) = NAN;
  EXPECT_THROW(fisher.absorb(s), NotFinite);
}

}  // namespace
}  // namespace fisherman::fisher_decorrelated_test
