#include "fisherman/model/regression.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/random.hpp"

namespace fisherman::model_regression_test {
namespace {

/// All of the table, and more classes than two, with few nodes, which are fast and show the same.
std::vector<std::shared_ptr<const Likelihood>> likelihoods_and_classes() {
  std::vector<std::shared_ptr<const Likelihood>> out = likelihoods();
  for (const Index classes : {3, 5}) out.push_back(multinomial_likelihood(classes, 64));
  return out;
}

/// A small data set of the likelihood's own, drawn from it, with weights, and an offset and trials where these have a meaning.
RegressionTarget small(const std::shared_ptr<const Likelihood>& l, bool grouped, Index n = 40) {
  const Draws draws(11, 0);
  const Index p = grouped ? 7 : 3, m = l->predictors();
  Matrix X = Matrix::Zero(n, p);
  X.leftCols(2) = draws.normals(0, n, 2);
  X.col(2).setOnes();
  if (grouped)
    for (Index i = 0; i < n; ++i) X(i, 3 + i % 4) = 1.0;
  const Vector beta{{0.5, -0.3, 0.4}};
  const auto extras = Index(l->extra().size());
  const Vector psi = extras == 2 ? Vector{{-0.5, 1.5}} : Vector::Constant(extras, 0.4);
  const Vector offset = m == 1 ? Vector(0.1 * draws.normals(1, n, 1)) : Vector();
  Outcomes o{Vector(n), {}, {}};
  o.weights = draws.uniforms(2, n, 1).array() + 0.5;
  if (l->binary()) o.trials = Vector::Constant(n, 3.0);
  for (Index i = 0; i < n; ++i) {
    RandomSequence random(5, std::uint64_t(i));
    const double effect = grouped ? 0.6 * (double(i % 4) - 1.5) : 0.0;
    Vector eta = Vector::Constant(m, X.row(i).head(3).dot(beta) + (m == 1 ? offset(i) : 0.0));
    eta(0) += effect;
    o.y(i) = l->sample(o.trials_of(i), eta.data(), psi.data(), random);
  }
  RegressionPriors priors;
  for (Index j = 0; j < p * m; ++j)
    priors.coefficients.push_back({j == 0   ? CoefficientPrior::Family::student_t
                                   : j == 1 ? CoefficientPrior::Family::laplace
                                            : CoefficientPrior::Family::normal,
                                   0.1, 2.0, 4.0});
  priors.extra = l->extra_priors(1.0);
  if (grouped) priors.effects = {{3, 4, {ScalePrior::Family::half_normal, 1.0}}};
  return RegressionTarget(std::move(X), std::move(o), l, std::move(priors), offset);
}

struct SomeGaussian {
  Vector mean;
  Matrix covariance;
};
SomeGaussian some_gaussian(const RegressionTarget& target) {
  const Index d = target.dimension();
  const Draws draws(3, 1);
  const Vector mean = 0.2 * draws.normals(0, d, 1);
  const Matrix root = 0.1 * draws.normals(1, d, d) + 0.3 * Matrix::Identity(d, d);
  return {mean, root * root.transpose() / 2.0};
}

TEST(Regression, GradientsAtPointsAreThoseOfTheDensity) {
  for (const auto& l : likelihoods_and_classes())
    for (const bool grouped : {false, true}) {
      const RegressionTarget target = small(l, grouped);
      const Index d = target.dimension();
      Matrix thetas = 0.3 * Draws(1, 2).normals(0, d, 3), gradients(d, 3);
      thetas.row(1).array() += 2.0;  // away from the kink of the Laplace prior
      const Vector values = target.log_density(thetas, gradients);
      EXPECT_TRUE(values.isApprox(target.log_density(thetas), 1e-13));
      const Matrix hessian = target.mean_hessian(thetas.leftCols(1));
      constexpr double h = 1e-5;
      for (Index k = 0; k < d; ++k) {
        Matrix up = thetas, down = thetas, above(d, 3), below(d, 3);
        up.row(k).array() += h, down.row(k).array() -= h;
        const Vector numeric =
            (target.log_density(up, above) - target.log_density(down, below)) / (2 * h);
        EXPECT_LT((numeric - gradients.row(k).transpose()).cwiseAbs().maxCoeff(),
                  1e-6 * (1 + gradients.cwiseAbs().maxCoeff()))
            << l->name() << ' ' << k;
        const Vector second = (above.col(0) - below.col(0)) / (2 * h);
        EXPECT_LT((second - hessian.col(k)).cwiseAbs().maxCoeff(),
                  1e-6 * (1 + hessian.cwiseAbs().maxCoeff()))
            << l->name() << ' ' << k;
      }
    }
}

// The gradient in the mean is E∇, and the one in the covariance ½E∇²: both against differences of the value.
TEST(Regression, ExpectationsAreConsistent) {
  for (const auto& l : likelihoods_and_classes())
    for (const bool grouped : {false, true}) {
      const RegressionTarget target = small(l, grouped);
      const auto [mean, covariance] = some_gaussian(target);
      const Expectation e = target.expectation(mean, covariance);
      EXPECT_DOUBLE_EQ(e.value, target.expected(mean, covariance));
      const Index d = target.dimension();
      constexpr double h = 1e-5;
      const double size =
          1e-6 * (1 + e.gradient.cwiseAbs().maxCoeff() + e.hessian.cwiseAbs().maxCoeff());
      for (Index k = 0; k < d; ++k) {
        Vector up = mean, down = mean;
        up(k) += h, down(k) -= h;
        EXPECT_NEAR(e.gradient(k),
                    (target.expected(up, covariance) - target.expected(down, covariance)) / (2 * h),
                    size)
            << l->name() << ' ' << k;
        for (Index j = 0; j <= k; ++j) {
          Matrix more = covariance, less = covariance;
          more(j, k) += h, less(j, k) -= h;
          if (j != k) more(k, j) += h, less(k, j) -= h;
          EXPECT_NEAR((j == k ? 0.5 : 1.0) * e.hessian(j, k),
                      (target.expected(mean, more) - target.expected(mean, less)) / (2 * h), size)
              << l->name() << ' ' << j << ' ' << k;
        }
      }
    }
}

// 20,000 draws: five standard errors.
TEST(Regression, ExpectationEqualsTheMeanOverDraws) {
  for (const auto& l : likelihoods_and_classes()) {
    const RegressionTarget target = small(l, true);
    const auto [mean, covariance] = some_gaussian(target);
    const Matrix L = Eigen::LLT<Matrix>(covariance).matrixL();
    const Matrix z = Draws(9, 0).normals(0, target.dimension(), 20000);
    const Vector values = target.log_density((L * z).colwise() + mean);
    const double sd = std::sqrt((values.array() - values.mean()).square().mean());
    EXPECT_NEAR(target.expected(mean, covariance), values.mean(), 5.0 * sd / std::sqrt(2e4))
        << l->name();
  }
}

TEST(Regression, BitsDoNotDependOnThreads) {
  for (const auto& l : {likelihood("negative-binomial"), multinomial_likelihood(3, 64)}) {
    const auto [mean, covariance] = some_gaussian(small(l, true, 3000));
    set_threads(1);
    const Expectation one = small(l, true, 3000).expectation(mean, covariance);
    set_threads(2);
    const Expectation two = small(l, true, 3000).expectation(mean, covariance);
    set_threads(1);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(one.gradient, two.gradient);
    EXPECT_EQ(one.hessian, two.hessian);
  }
}

// With rows as often as they are in the data, a subset is the data.
TEST(Regression, ASubsetOfAllRowsIsTheTarget) {
  for (const auto& l : likelihoods_and_classes()) {
    const RegressionTarget target = small(l, true);
    std::vector<Index> rows;
    for (Index i = 0; i < target.rows(); ++i) rows.push_back(target.rows() - 1 - i);
    const auto [mean, covariance] = some_gaussian(target);
    EXPECT_NEAR(target.subset(rows).expected(mean, covariance), target.expected(mean, covariance),
                1e-10 * std::abs(target.expected(mean, covariance)))
        << l->name();
  }
}

// θ, the data and linear_predictors() agree with log_density().
TEST(Regression, LinearPredictorsGiveTheLikelihoodOfRows) {
  for (const auto& l : likelihoods_and_classes()) {
    const RegressionTarget target = small(l, false);
    const Matrix thetas = 0.3 * Draws(1, 2).normals(0, target.dimension(), 2);
    const std::vector<Index> rows = {4, 7, 30};
    const Matrix eta = target.linear_predictors(rows, thetas);
    const RegressionTarget some = target.subset(rows);
    // The prior cancels in the difference to one row, which has the weight of all.
    const Vector all = some.log_density(thetas);
    for (Index s = 0; s < 2; ++s) {
      double sum = 0.0, first = 0.0;
      for (Index i = 0; i < 3; ++i) {
        const Index row = rows[std::size_t(i)];
        const double log_p = target.outcomes().weight_of(row) *
                             l->log_p(target.outcomes().y(row), target.outcomes().trials_of(row),
                                      eta.col(i).data() + s * l->predictors(),
                                      thetas.col(s).data() + target.coefficients());
        sum += log_p;
        if (i == 0) first = log_p;
      }
      const double scale = double(target.rows());
      const double one = target.subset({rows[0]}).log_density(thetas)(s);
      EXPECT_NEAR(all(s) - one, scale * (sum / 3.0 - first), 1e-9 * (1.0 + std::abs(scale * sum)))
          << l->name();
    }
  }
}

TEST(Regression, StartsNearTheMode) {
  for (const auto& l : likelihoods_and_classes())
    for (const bool grouped : {false, true}) {
      const RegressionTarget target = small(l, grouped);
      const RegressionStart start = regression_start(target);
      const Index p = target.coefficients();
      const Expectation here = target.expectation(start.mean, {});
      // Coefficients: what Newton's method would still gain is small. The kink of the Laplace prior is not smooth.
      const Matrix negative = -here.hessian.topLeftCorner(p, p);
      const Vector g = here.gradient.head(p);
      EXPECT_LT(0.5 * g.dot(Eigen::LLT<Matrix>(negative).solve(g)), 0.5) << l->name();
      EXPECT_EQ(Eigen::LLT<Matrix>(start.covariance).info(), Eigen::Success) << l->name();
      EXPECT_TRUE(std::isfinite(target.expected(start.mean, start.covariance))) << l->name();
    }
}

TEST(Regression, RefusesWhatDoesNotFitTogether) {
  const auto l = likelihood("poisson");
  const Matrix X = Matrix::Ones(2, 1);
  const RegressionPriors one{{CoefficientPrior{}}};
  EXPECT_NO_THROW(RegressionTarget(X, {Vector{{0, 3}}, {}, {}}, l, one));
  EXPECT_THROW(RegressionTarget(X, {Vector{{0, -3}}, {}, {}}, l, one), Misuse);
  EXPECT_THROW(RegressionTarget(X, {Vector{{0}}, {}, {}}, l, one), Misuse);
  EXPECT_THROW(RegressionTarget(X, {Vector{{0, 1}}, {}, {}}, l, {}), Misuse);
  EXPECT_THROW(RegressionTarget(X, {Vector{{0, 1}}, {}, Vector{{1, -1}}}, l, one), Misuse);
  EXPECT_THROW(RegressionTarget(X, {Vector{{0, 1}}, {}, {}}, l, one, Vector::Zero(3)), Misuse);
  EXPECT_THROW(RegressionTarget(X, {Vector{{0, 1}}, {}, {}}, likelihood("gaussian"), one), Misuse);
  const RegressionPriors with_sigma{{CoefficientPrior{}}, {}, {ScalePrior{}}};
  EXPECT_NO_THROW(
      RegressionTarget(X, {Vector{{3, 1}}, {}, {}}, likelihood("gaussian"), with_sigma));
  EXPECT_THROW(RegressionTarget(X, {Vector{{3, 3}}, {}, {}}, likelihood("gaussian"), with_sigma),
               Misuse);
}

}  // namespace
}  // namespace fisherman::model_regression_test
