#include "fisherman/fisher/kronecker.hpp"

#include "fisherman/fisher/dense.hpp"
#include "toy.hpp"

namespace fisherman::fisher_kronecker_test {
namespace {

TEST(Kronecker, IsTheDenseInverseForOneColumnAndForIndependentFactors) {
  const Matrix x = toy::random_matrix(6, 40, 1);
  // One column: Z = x, E[ZᵀZ] = E|Z|², so that only the left factor is left. Its ε is Dense's.
  Kronecker one(6, 1, {.epsilon = 1e-5});
  Dense dense(6, {.epsilon = 1e-5});
  one.absorb(x);
  dense.absorb(x);
  const Vector g = toy::random_vector(6, 2);
  EXPECT_LT((one.solve(g) - dense.solve(g)).norm(), 1e-6 * dense.solve(g).norm());
  // All pairs of x with c from a set where |c| is constant: F = E[xxᵀ] ⊗ E[ccᵀ].
  Matrix c(2, 3);
  c << 1.0, 0.6, 0.0, 0.0, 0.8, -1.0;
  Matrix scores(12, 120);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 3; ++j) {
      const Matrix Z = x.col(i) * c.col(j).transpose();
      scores.col(3 * i + j) = as_vector(Z);
    }
  Kronecker two(6, 2, {.epsilon = 1e-5});
  two.absorb(scores.leftCols(50));
  two.absorb(scores.rightCols(70));
  const Matrix F = scores * scores.transpose() / 120.0;
  const Vector h = toy::random_vector(12, 3);
  // ε is 1e-6 of the sums, on either side; a smaller one would cancel 1/ε in the first update.
  EXPECT_LT((F * two.solve(h) - h).norm(), 1e-5 * h.norm());
  EXPECT_EQ(two.count(), 120);
}

}  // namespace
}  // namespace fisherman::fisher_kronecker_test
