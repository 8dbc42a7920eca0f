// Standard errors of a reduced-rank fit against a bootstrap.
#include <gtest/gtest.h>

#include <cmath>

#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman::slow_reduced_rank_bootstrap_test {
namespace {

TEST(Uncertainty, StandardErrorsAgreeWithABootstrap) {
  // 2,000 rows drawn from a model of rank 1; the bootstrap draws labels from the fitted model.
  const Index p = 4, K = 3, n = 2000, repeats = 200;
  const Matrix x = Draws(1, 0).normals(0, p, n);
  const Matrix B = Vector{{1.0, -0.5, 0.3, 0.0}} * Vector{{1.0, -0.7}}.transpose();
  const auto drawn = [&](const Matrix& eta, std::uint64_t seed) {
    const Matrix prob = probabilities(eta), u = Draws(seed, 0).uniforms(0, n, 1);
    std::vector<int> y;
    for (Index i = 0; i < n; ++i)
      y.push_back(u(i) < prob(0, i) ? 0 : u(i) < prob(0, i) + prob(1, i) ? 1 : 2);
    return std::make_shared<const ClassData>(x, y, K);
  };
  const auto fitted = [&](const std::shared_ptr<const ClassData>& data) {
    ReducedRankSettings settings;
    settings.ridge = 0.0;
    settings.tolerance = 1e-10;
    const auto features = std::make_shared<const FeatureMoments>(feature_moments(data->design()));
    ErasedRun run = make_descent(data, settings, first_point(*data, settings, 1, 0, features.get()),
                                 features, 0);
    EXPECT_EQ(PlainDriver().drive(run).status, Status::converged);
    return reduced_rank_point(run.state.estimate());
  };
  const Vector alpha{{0.2, -0.3}};
  const auto data = drawn((B.transpose() * x).colwise() + alpha, 7);
  const ReducedRank fit = fitted(data);
  const auto errors = Uncertainty::of(data, fit);
  ASSERT_TRUE(errors);
  const LinearScores s = Multinomial::linear(fit);
  const Matrix eta = (s.right * (s.left.transpose() * x).eval()).colwise() + s.intercepts;
  Matrix sum = Matrix::Zero(p, K - 1), squares = sum;
  Vector chance = Vector::Zero(K), chance_squares = chance;
  for (Index k = 0; k < repeats; ++k) {
    const ReducedRank again = fitted(drawn(eta, 100 + std::uint64_t(k)));
    const Matrix moved = again.factor<0>().matrix() - fit.factor<0>().matrix();
    sum += moved;
    squares += moved.cwiseAbs2();
    const LinearScores t = Multinomial::linear(again);
    const Vector row = probabilities(
        (t.right * (t.left.transpose() * x.leftCols(1)).eval()).colwise() + t.intercepts);
    chance += row;
    chance_squares += row.cwiseAbs2();
  }
  const double m = double(repeats);
  const Matrix spread = ((squares - sum.cwiseAbs2() / m) / (m - 1.0)).cwiseSqrt();
  const Vector chance_spread = ((chance_squares - chance.cwiseAbs2() / m) / (m - 1.0)).cwiseSqrt();
  // A standard deviation of 200 values has a relative error of 5%; four of those.
  const Matrix ratio = errors->coefficients().cwiseQuotient(spread);
  EXPECT_GT(ratio.minCoeff(), 0.8) << ratio;
  EXPECT_LT(ratio.maxCoeff(), 1.25) << ratio;
  const Vector chance_ratio =
      errors->probabilities(x.leftCols(1)).col(0).cwiseQuotient(chance_spread);
  EXPECT_GT(chance_ratio.minCoeff(), 0.8) << chance_ratio;
  EXPECT_LT(chance_ratio.maxCoeff(), 1.25) << chance_ratio;
}

}  // namespace
}  // namespace fisherman::slow_reduced_rank_bootstrap_test
