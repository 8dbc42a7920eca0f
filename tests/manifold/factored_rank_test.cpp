#include "fisherman/manifold/factored_rank.hpp"

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::manifold_factored_rank_test {
namespace {

FactoredRank example(Index m, Index n, Index r) {
  return FactoredRank(toy::random_matrix(m, r, 1), toy::random_matrix(n, r, 2));
}

Matrix product(const FactoredRank& f) { return f.L() * f.R().transpose(); }

TEST(FactoredRank, Laws) {
  for (const auto& [m, n, r] : {std::tuple{6, 5, 2}, {7, 3, 3}, {3, 4, 1}, {6, 4, 3}})
    expect_laws(example(m, n, r), {.embedded = true, .order = 1});
}

TEST(FactoredRank, KeepsTheProductOfAnyFactors) {
  const Matrix L = toy::random_matrix(6, 2, 1), R = toy::random_matrix(5, 2, 2);
  const FactoredRank f(L, R);
  EXPECT_LT((product(f) - L * R.transpose()).norm(), 1e-13);
  EXPECT_LT((f.R().transpose() * f.R() - Matrix::Identity(2, 2)).norm(), 1e-14);
}

// The factors move by (D, E) and are brought back into the gauge: nothing of the product is lost.
TEST(FactoredRank, StepsMultiplyOut) {
  const FactoredRank f = example(6, 5, 2);
  const Vector v = f.push(toy::random_vector(f.dimension(), 3));
  const Matrix moved =
      (f.L() + as_matrix(v.data(), 6, 2)) * (f.R() + as_matrix(v.data() + 12, 5, 2)).transpose();
  EXPECT_LT((product(f.retract(v)) - moved).norm(), 1e-12 * moved.norm());
}

// For the gradient Z of a function of X, against differences of ⟨Z, X⟩.
TEST(FactoredRank, PullsGradientsOfTheProduct) {
  const FactoredRank f = example(6, 5, 2);
  const Matrix Z = toy::random_matrix(6, 5, 4);
  const Vector g = f.pull_products(Z * f.R(), Z.transpose() * f.L());
  for (std::uint64_t k = 0; k < 3; ++k) {
    const Vector v = toy::random_vector(f.dimension(), 10 + k);
    const double h = 1e-5;
    const double slope =
        ((product(f.retract(Vector(h * v))) - product(f.retract(Vector(-h * v)))).array() *
         Z.array())
            .sum() /
        (2.0 * h);
    EXPECT_NEAR(g.dot(v), slope, 1e-7);  // h² of third derivatives of order 100
  }
}

// A singular value may come down to zero and go on: nothing is divided by it.
TEST(FactoredRank, PassesThroughALowerRank) {
  FactoredRank f(Matrix::Identity(4, 2), Matrix::Identity(3, 2));
  Vector v = Vector::Zero(f.dimension());
  v(0) = -0.5;  // of L(0, 0)
  for (int k = 0; k < 4; ++k) f = f.retract(v);
  EXPECT_NEAR(product(f)(0, 0), -1.0, 1e-14);
  EXPECT_NEAR(product(f)(1, 1), 1.0, 1e-14);
}

TEST(FactoredRank, StaysOrthonormalHoweverFarAStepGoes) {
  FactoredRank f = example(6, 5, 2);
  for (int k = 0; k < 20; ++k)
    f = f.retract(1e6 * toy::random_vector(f.dimension(), 30 + std::uint64_t(k)));
  EXPECT_LT((f.R().transpose() * f.R() - Matrix::Identity(2, 2)).norm(), 1e-13);
}

TEST(FactoredRank, Misuse) {
  expect_misuse([] { FactoredRank(Matrix::Ones(4, 2), Matrix::Ones(3, 2)); }, "rank below 2");
  expect_misuse([] { FactoredRank(Matrix::Ones(4, 2), Matrix::Ones(3, 1)); }, "fit together");
  const FactoredRank f = example(6, 5, 2);
  Vector state = f.state();
  state.tail(1) *= 2.0;
  expect_misuse([&] { f.restored(state); }, "orthonormal");
}

}  // namespace
}  // namespace fisherman::manifold_factored_rank_test
