#include "fisherman/solve/lbfgs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "fisherman/core/error.hpp"
#include "toy.hpp"

namespace fisherman::solve_lbfgs_test {
namespace {

TEST(Lbfgs, SolvesALinearSystem) {
  const Matrix A = toy::random_spd(12, 1);
  const Vector b = toy::random_vector(12, 2);
  const auto result = lbfgs(Vector::Zero(12),
                            [&](const Vector& x, Vector& g) {
                              g = A * x - b;
                              return 0.5 * x.dot(A * x) - b.dot(x);
                            },
                            {.tolerance = 1e-16});
  EXPECT_TRUE(result.converged);
  // ½gᵀH⁻¹g < 1e-16 bounds the error by about 1.4e-8/√λmin, and λmin > 0.1.
  EXPECT_LT((result.x - A.llt().solve(b)).norm(), 1e-7);
}

TEST(Lbfgs, WalksRosenbrocksValley) {
  const auto result = lbfgs(Vector{{-1.2, 1.0}},
                            [](const Vector& x, Vector& g) {
                              const double a = 1.0 - x(0), c = x(1) - x(0) * x(0);
                              g = Vector{{-2.0 * a - 400.0 * x(0) * c, 200.0 * c}};
                              return a * a + 100.0 * c * c;
                            },
                            {.tolerance = 1e-20});
  EXPECT_TRUE(result.converged);
  EXPECT_LT((result.x - Vector::Ones(2)).norm(), 1e-8);
  EXPECT_LT(result.iterations, 60);  // published implementations take 35 to 40
}

TEST(Lbfgs, StepsBackFromWhereTheFunctionIsNotFinite) {
  const auto result = lbfgs(Vector{{50.0}}, [](const Vector& x, Vector& g) {
    g = Vector{{1.0 - 1.0 / x(0)}};
    return x(0) > 0.0 ? x(0) - std::log(x(0)) : NAN;
  });
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.x(0), 1.0, 1e-3);
}

TEST(Lbfgs, EndsWhenTold) {
  const auto quartic = [](const Vector& x, Vector& g) {
    g = x.array().cube();
    return 0.25 * x.array().pow(4).sum();
  };
  EXPECT_EQ(lbfgs(Vector::Ones(3), quartic, {.iterations = 4, .tolerance = 1e-300}).iterations, 4);
  const auto stopped =
      lbfgs(Vector::Ones(3), quartic, {.tolerance = 1e-300}, [](Index k, double) { return k < 3; });
  EXPECT_EQ(stopped.iterations, 3);
  EXPECT_FALSE(stopped.converged);
  EXPECT_THROW(lbfgs(Vector::Ones(1), [](const Vector&, Vector&) { return NAN; }), NotFinite);
}

}  // namespace
}  // namespace fisherman::solve_lbfgs_test
