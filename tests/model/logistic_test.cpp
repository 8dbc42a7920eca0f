#include "fisherman/model/logistic.hpp"
#include "fisherman/fit/regression.hpp"

#include <sys/resource.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "fisherman/solve/run.hpp"
#include "fisherman/testing/model_laws.hpp"
#include "toy.hpp"

namespace fisherman::model_logistic_test {
namespace {

/// The same three expectations in long double, on a grid fine enough for any of the cases below.
LogisticMoments brute_force(double mean, double deviation) {
  const long double step = std::min(0.02L, 0.02L / (deviation + 1e-30L));
  long double softplus = 0, sigmoid = 0, slope = 0;
  for (long double z = -9.5L; z <= 9.5L; z += step) {
    const long double w = step * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
    const long double x = mean + deviation * z, e = std::exp(-std::abs(x));
    softplus += w * (std::max(x, 0.0L) + std::log1p(e));
    sigmoid += w * (x >= 0 ? 1 : e) / (1 + e);
    slope += w * e / ((1 + e) * (1 + e));
  }
  return {double(softplus), double(sigmoid), double(slope)};
}

TEST(LogisticMoments, EqualABruteForceQuadratureFromNarrowToVeryWide) {
  for (const double mean : {0.0, 0.3, -2.0, 7.0, -25.0, 60.0, -200.0})
    for (const double deviation :
         {1e-3, 0.1, 0.124, 0.126, 0.29, 0.31, 0.79, 0.81, 1.0, 3.0, 10.0, 50.0}) {
      const LogisticMoments ours = logistic_moments(mean, deviation * deviation);
      const LogisticMoments exact = brute_force(mean, deviation);
      EXPECT_NEAR(ours.softplus, exact.softplus, 1e-12 * (1.0 + exact.softplus))
          << mean << ' ' << deviation;
      EXPECT_NEAR(ours.sigmoid, exact.sigmoid, 1e-12) << mean << ' ' << deviation;
      EXPECT_NEAR(ours.slope, exact.slope, 1e-12) << mean << ' ' << deviation;
    }
  EXPECT_DOUBLE_EQ(logistic_moments(0.0, 0.0).softplus, std::log(2.0));
  EXPECT_THROW(logistic_moments(0.0, -1.0), NotFinite);
  EXPECT_THROW(logistic_moments(NAN, 1.0), NotFinite);
}

// All rules in one call, and widths at which nothing but Φ(mean/deviation) is left.
TEST(LogisticMoments, AreTheSameForManyAtOnceAndDoNotOverflow) {
  const Vector means{{0.1, -3.0, 0.0, 5.0, 1e150, -1e150, 1e300, -1e300}};
  const Vector variances{{0.0, 0.01, 0.04, 0.5, 1e300, 1e300, 1.0, 1e-3}};
  Matrix many(8, 3);
  logistic_moments(means, variances, many);
  for (Index i = 0; i < 8; ++i) {
    const LogisticMoments one = logistic_moments(means(i), variances(i));
    EXPECT_DOUBLE_EQ(many(i, 0), one.softplus) << i;
    EXPECT_DOUBLE_EQ(many(i, 1), one.sigmoid) << i;
    EXPECT_DOUBLE_EQ(many(i, 2), one.slope) << i;
  }
  EXPECT_NEAR(many(4, 1), 0.5 * std::erfc(-std::sqrt(0.5)), 1e-15);
  EXPECT_EQ(many(6, 1), 1.0);
  EXPECT_EQ(many(7, 1), 0.0);
}

/// Mean and standard deviation of the probability in long double; far enough into the tail for what is
/// small.
ProbabilityMoments brute_force_probability(double mean, double deviation) {
  const long double step = std::min(0.02L, 0.02L / (deviation + 1e-30L));
  long double first = 0, variance = 0;
  for (const bool centred : {false, true})
    for (long double z = -40.0L; z <= 40.0L; z += step) {
      const long double w = step * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
      const long double x = mean + deviation * z, e = std::exp(-std::abs(x));
      const long double p = (x >= 0 ? 1 : e) / (1 + e);
      if (centred)
        variance += w * (p - first) * (p - first);
      else
        first += w * p;
    }
  return {double(first), double(std::sqrt(variance))};
}

TEST(ProbabilityMoments, EqualABruteForceQuadrature) {
  for (const double mean : {0.0, 0.3, -2.0, 7.0, -25.0, -60.0, 60.0, -200.0})
    for (const double deviation : {0.0, 1e-6, 1e-3, 0.3, 0.79, 0.81, 1.0, 3.0, 10.0, 30.0}) {
      const ProbabilityMoments ours = probability_moments(mean, deviation);
      const ProbabilityMoments exact = brute_force_probability(mean, deviation);
      EXPECT_NEAR(ours.mean, exact.mean, 1e-12) << mean << ' ' << deviation;
      EXPECT_NEAR(ours.deviation, exact.deviation, 1e-11) << mean << ' ' << deviation;
      if (mean <= 0.0) {  // a small probability to as many digits as a large one
        EXPECT_NEAR(ours.mean / exact.mean, 1.0, 1e-10) << mean << ' ' << deviation;
      }
    }
}

TEST(ProbabilityMoments, AreKnownForEveryWidth) {
  const double p = 0.5 * std::erfc(-0.5 * std::sqrt(0.5));  // Φ(½)
  for (const double s : {1e12, 1e150, 1e300}) {
    const ProbabilityMoments wide = probability_moments(0.5 * s, s);
    EXPECT_NEAR(wide.mean, p, 1e-11) << s;
    EXPECT_NEAR(wide.deviation, std::sqrt(p * (1.0 - p)), 1e-11) << s;
  }
  const ProbabilityMoments wide = probability_moments(0.0, 1e9);
  EXPECT_NEAR(wide.mean, 0.5, 1e-15);
  // Var σ = ¼ − Eσ(1−σ), and the slope has integral 1 where the density is 1/(1e9√(2π)).
  EXPECT_NEAR(wide.deviation, std::sqrt(0.25 - 1e-9 / std::sqrt(2.0 * std::acos(-1.0))), 1e-12);
  EXPECT_EQ(probability_moments(1e300, 0.0).mean, 1.0);
  EXPECT_EQ(probability_moments(-1e300, 1.0).mean, 0.0);
  EXPECT_THROW(probability_moments(NAN, 1.0), NotFinite);
  EXPECT_THROW(probability_moments(0.0, INFINITY), NotFinite);
  EXPECT_THROW(probability_moments(0.0, -1.0), NotFinite);
}

LogisticTarget example(Index n, Index d, double prior_variance, std::uint64_t seed) {
  const Matrix X = toy::random_matrix(n, d, seed), u = Draws(seed, 1).uniforms(0, n, 1);
  const Vector eta = X * toy::random_vector(d, seed + 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y(i) = u(i) < 1.0 / (1.0 + std::exp(-eta(i))) ? 1.0 : 0.0;
  return {X, y, prior_variance};
}

TEST(LogisticTarget, GradientAndHessianAreDerivatives) {
  const LogisticTarget t = example(40, 3, 2.0, 1);
  const Vector b = toy::random_vector(3, 5);
  Matrix g(3, 1), unused(3, 1);
  t.log_density(b, g);
  const Matrix H = t.mean_hessian(b);
  const double h = 1e-5;
  for (Index k = 0; k < 3; ++k) {
    const Vector e = h * Vector::Unit(3, k);
    Matrix up(3, 1), down(3, 1);
    const double slope = (t.log_density(b + e, up)(0) - t.log_density(b - e, down)(0)) / (2 * h);
    EXPECT_NEAR(g(k), slope, 1e-7);
    EXPECT_LT((H.col(k) - (up - down) / (2 * h)).norm(), 1e-7);
  }
}

/// log p(y | η) with its first and second derivative in η, in long double.
struct Bernoulli {
  long double value, residual, variance;
  Bernoulli(long double y, long double eta) {
    const long double e = std::exp(-std::abs(eta));
    value = y * eta - std::max(eta, 0.0L) - std::log1p(e);
    residual = y - (eta >= 0 ? 1 : e) / (1 + e);
    variance = e / ((1 + e) * (1 + e));
  }
};

// One coefficient, equal to 1, so that the column is the logits; its prior has the density exp(−πβ²). The vectorised
// exponential has errors of some 2e-16, a sum of n rows n times that at most.
TEST(LogisticTarget, IsExactForLogitsOfAnySize) {
  const double pi = std::acos(-1.0), prior_variance = 0.5 / pi;
  const Matrix one = Matrix::Ones(1, 1);
  Matrix slope(1, 1);
  std::vector<double> logits = {0.0, -0.0, 1e-300, 699.9, -700.1, 709.0, -1e5};
  for (int k = -2000; k <= 2000; ++k) logits.push_back(0.0371 * k);
  for (const double y : {0.0, 1.0})
    for (const double eta : logits) {
      const LogisticTarget t(Matrix::Constant(1, 1, eta), Vector::Constant(1, y), prior_variance);
      const Bernoulli exact(y, eta);
      const double scale = 1e-15 * (10.0 + std::abs(eta));
      EXPECT_NEAR(t.log_density(one, slope)(0) + pi, double(exact.value), scale) << eta;
      EXPECT_NEAR(slope(0) + 2.0 * pi, double(eta * exact.residual), scale) << eta;
      EXPECT_NEAR(t.mean_hessian(one)(0) + 2.0 * pi, double(-eta * eta * exact.variance), scale)
          << eta;
    }

  for (const Index n : {1, 7, 8, 511, 512, 513, 1500}) {  // tails of registers and of blocks
    const Matrix X = 5.0 * toy::random_matrix(n, 1, 3);
    Vector y(n);
    long double value = 0, gradient = 0, hessian = 0;
    for (Index i = 0; i < n; ++i) {
      y(i) = double(i % 3 == 0);
      const Bernoulli exact(y(i), X(i));
      value += exact.value, gradient += X(i) * exact.residual;
      hessian -= X(i) * X(i) * exact.variance;
    }
    const LogisticTarget t(X, y, prior_variance);
    const double scale = 1e-15 * double(10 + 10 * n);
    EXPECT_NEAR(t.log_density(one, slope)(0) + pi, double(value), scale) << n;
    EXPECT_NEAR(slope(0) + 2.0 * pi, double(gradient), scale) << n;
    EXPECT_NEAR(t.mean_hessian(one)(0) + 2.0 * pi, double(hessian), scale) << n;
  }

  const LogisticTarget t(Matrix::Ones(20, 1), Vector::Zero(20), prior_variance);
  EXPECT_TRUE(std::isnan(t.log_density(Matrix::Constant(1, 1, NAN), slope)(0)));
  EXPECT_TRUE(std::isnan(slope(0)));
  EXPECT_THROW(t.mean_hessian(Matrix::Constant(1, 1, NAN)), NotFinite);
}

// Gauss-Hermite products are no independent check of the quadrature, so: two coefficients, a fine grid.
TEST(LogisticTarget, ExpectationEqualsABruteForceIntegral) {
  const LogisticTarget t = example(15, 2, 3.0, 2);
  const Vector mean = Vector{{0.4, -0.7}};
  const Matrix S = Matrix{{0.8, 0.3}, {0.3, 0.5}}, L = S.llt().matrixL();
  double value = 0.0;
  Matrix unused(2, 1);
  const double step = 0.1;
  for (double a = -8.0; a <= 8.0; a += step)
    for (double b = -8.0; b <= 8.0; b += step) {
      const Vector z{{a, b}};
      const double w = step * step * std::exp(-0.5 * z.squaredNorm()) / (2 * std::acos(-1.0));
      value += w * t.log_density(mean + L * z, unused)(0);
    }
  EXPECT_NEAR(t.expected(mean, S), value, 1e-9);
}

TEST(LogisticTarget, ExactGradientIsTheDerivativeOfTheObjectiveInEveryGeometry) {
  GaussianVb model(example(30, 3, 2.0, 3), {.estimator = GradientEstimator::exact});
  const Vector mean = toy::random_vector(3, 4);
  const Matrix S = toy::random_spd(3, 5);
  const auto check = [&](const auto& frame) {
    const auto report = testing::check_gradient(model, frame, {.repeats = 2});
    EXPECT_TRUE(report.ok()) << report;
  };
  check(gaussian_euclidean(mean, S));
  check(gaussian_bures_wasserstein(mean, S));
  check(gaussian_affine(mean, S));
}

// A prior of its own for each coefficient: what differs from one for all is the prior, in closed form.
TEST(LogisticTarget, PriorVariancesAreOnePerCoefficient) {
  const LogisticTarget one = example(30, 3, 1.0, 41);
  const Vector v{{2.0, 0.5, 90.0}}, precision = v.cwiseInverse().array() - 1.0;
  const LogisticTarget own(one.design(), one.outcomes().y, v);
  const double constant = -0.5 * v.array().log().sum();
  const Matrix betas = toy::random_matrix(3, 4, 42), S = toy::random_spd(3, 43);
  const Vector mean = toy::random_vector(3, 44);
  Matrix slopes(3, 4), own_slopes(3, 4);
  const Vector values = one.log_density(betas, slopes);
  const Vector own_values = own.log_density(betas, own_slopes);
  const Vector quadratic = -0.5 * betas.cwiseAbs2().transpose() * precision;
  EXPECT_LT((own_values - values - quadratic - Vector::Constant(4, constant)).norm(), 1e-12);
  EXPECT_LT((own_slopes - slopes + precision.asDiagonal() * betas).norm(), 1e-12);
  const Matrix bend = -Matrix(precision.asDiagonal());
  EXPECT_LT((own.mean_hessian(betas) - one.mean_hessian(betas) - bend).norm(), 1e-12);
  const auto a = one.expectation(mean, S), b = own.expectation(mean, S);
  const double of_q = -0.5 * precision.dot(mean.cwiseAbs2() + S.diagonal());
  EXPECT_NEAR(b.value - a.value, constant + of_q, 1e-12);
  EXPECT_LT((b.gradient - a.gradient + precision.cwiseProduct(mean)).norm(), 1e-12);
  EXPECT_LT((b.hessian - a.hessian - bend).norm(), 1e-12);
  const RegressionOptimum best = exact_optimum(own);
  const auto e = own.expectation(best.mean, best.covariance);
  EXPECT_LT(e.gradient.norm(), 1e-4);
  EXPECT_LT((best.covariance * e.hessian + Matrix::Identity(3, 3)).norm(), 1e-4);
  const auto priors = own.subset({0, 3}).priors().coefficients;
  for (Index j = 0; j < v.size(); ++j)
    EXPECT_DOUBLE_EQ(std::pow(priors[std::size_t(j)].scale, 2), v(j));
}

TEST(ExactOptimum, IsStationaryOnProblemsOfAllKinds) {
  for (const double prior_variance : {0.1, 1.0, 10.0, 100.0})
    for (const auto& [n, d] : {std::pair{100, 3}, {30, 10}, {8, 12}}) {  // the last is separable
      const LogisticTarget t = example(n, d, prior_variance, 6);
      const RegressionOptimum best = exact_optimum(t);
      const auto e = t.expectation(best.mean, best.covariance);
      EXPECT_LT(e.gradient.norm(), 1e-4);
      EXPECT_LT((best.covariance * e.hessian + Matrix::Identity(d, d)).norm(), 1e-4);
      // Any other Gaussian is worse.
      const GaussianVb model(t);
      EXPECT_NEAR(model.objective(gaussian_affine(best.mean, best.covariance)), best.nelbo, 1e-9);
      for (std::uint64_t k = 0; k < 5; ++k) {
        const auto q = gaussian_affine(best.mean, best.covariance);
        EXPECT_GT(model.objective(q.retract(0.05 * toy::random_vector(q.dimension(), k))),
                  best.nelbo);
      }
    }
}

// The wide posterior of separable classes: natural-gradient steps alone would take 557 iterations.
TEST(ExactOptimum, IsQuickWherePosteriorsAreWide) {
  Matrix X = toy::random_matrix(40, 60, 8);
  for (Index j = 0; j < X.cols(); ++j) X.col(j) *= std::pow(10.0, double(j % 7) - 3.0);
  const Vector y = X.col(6).unaryExpr([](double x) { return x > 0.0 ? 1.0 : 0.0; });
  EXPECT_LT(exact_optimum(LogisticTarget(X, y, 100.0)).iterations, 200);
}

TEST(ExactOptimum, EqualsNaturalGradientDescentWithExactGradients) {
  const LogisticTarget t = example(60, 4, 5.0, 7);
  GaussianVb model(t, {.estimator = GradientEstimator::exact});
  State state{gaussian_affine(Vector::Zero(4), Matrix::Identity(4, 4)), Exact(14)};
  const auto outcome =
      run(state, model,
          {.rule = {.step_size = 0.5, .decay = 0.0}, .evaluate_every = 1, .smoothing = 0.0},
          when_predicted_below(1e-12) || after_iterations(500));
  EXPECT_EQ(outcome.status, Status::converged);
  EXPECT_NEAR(outcome.last.objective, exact_optimum(t).nelbo, 1e-9);
}

TEST(LogisticTarget, Misuse) {
  const Matrix X = Matrix::Ones(2, 1);
  const Vector y{{0.0, 1.0}};
  expect_misuse([&] { LogisticTarget(X, Vector::Ones(3), 1.0); }, "3 outcomes");
  expect_misuse([&] { LogisticTarget(X, Vector{{0.0, 2.0}}, 1.0); }, "0 or 1");
  expect_misuse([&] { LogisticTarget(X, y, 0.0); }, "prior_variance is 0");
  expect_misuse([&] { LogisticTarget(X, y, Vector::Ones(2)); }, "1 coefficients, but 2 priors");
  expect_misuse([&] { LogisticTarget(Matrix::Constant(2, 1, NAN), y, 1.0); }, "NaN");
  expect_misuse([&] { LogisticTarget(Matrix(0, 0), Vector(0), 1.0); }, "rows and columns");
  const PointwiseTarget plain(2, [](const Vector&, Vector&) { return 0.0; });
  expect_misuse([&] { GaussianVb(plain, {.estimator = GradientEstimator::exact}); },
                "expectation()");
}

// 4,000 linear predictors of 20,000 rows would be 640 MB.
TEST(LogisticTarget, EvaluatesManyDrawsInLittleMemory) {
  const LogisticTarget t = example(20000, 3, 2.0, 31);
  const Matrix betas = toy::random_matrix(3, 4000, 32);
  Matrix slopes(3, 4000);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const Vector alone = t.log_density(betas), with_slopes = t.log_density(betas, slopes);
  const Matrix hessian = t.mean_hessian(betas);
  getrusage(RUSAGE_SELF, &after);
#ifndef FISHERMAN_SANITIZED  // whose allocator keeps what is freed
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 * 1024) << "kB";
#endif
  // The tiles are shared out differently, so that sums round differently.
  EXPECT_LT((alone - with_slopes).norm(), 1e-13 * alone.norm());
  Matrix slope(3, 1);
  const Vector b = betas.col(3999);
  EXPECT_NEAR(t.log_density(b, slope)(0), alone(3999), 1e-12 * std::abs(alone(3999)));
  EXPECT_LT((slope - slopes.col(3999)).norm(), 1e-11 * slope.norm());
  EXPECT_EQ(hessian, hessian.transpose());
}

// What is remembered of the last Gaussian must be of that one.
TEST(LogisticTarget, RemembersOneGaussianOnly) {
  const LogisticTarget t = example(700, 3, 2.0, 33), shared = t;
  const Vector a = toy::random_vector(3, 34), b = toy::random_vector(3, 35);
  const Matrix S = toy::random_spd(3, 36), R = toy::random_spd(3, 37);
  const auto fresh = [&](const Vector& mean, const Matrix& covariance) {
    return LogisticTarget(t.design(), t.outcomes().y, 2.0).expectation(mean, covariance);
  };
  for (const auto& [mean, covariance] : {std::pair(a, S), {b, S}, {b, R}, {a, R}, {a, S}}) {
    const auto exact = fresh(mean, covariance);
    EXPECT_EQ(t.expected(mean, covariance), exact.value);
    const auto again = shared.expectation(mean, covariance);
    EXPECT_EQ(again.value, exact.value);
    EXPECT_EQ(again.gradient, exact.gradient);
    EXPECT_EQ(again.hessian, exact.hessian);
  }
  const LogisticTarget part = t.subset({0, 1, 2});
  EXPECT_NE(part.expected(a, S), t.expected(a, S));
}

// A minibatch of one row, averaged over all rows, is the whole: the estimate is unbiased.
TEST(LogisticTarget, SubsetsAverageToTheWhole) {
  const Index rows = 12, d = 3;
  const LogisticTarget all = example(rows, d, 4.0, 21);
  const Matrix betas = toy::random_matrix(d, 5, 22), S = toy::random_spd(d, 23);
  const Vector mean = toy::random_vector(d, 24);
  Matrix slopes(d, 5), slope_sum = Matrix::Zero(d, 5), one(d, 5);
  const Vector values = all.log_density(betas, slopes);
  Vector value_sum = Vector::Zero(5);
  Matrix hessian_sum = Matrix::Zero(d, d), expected_sum = Matrix::Zero(d, d);
  double expectation_sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const LogisticTarget row = all.subset({i});
    value_sum += row.log_density(betas, one);
    slope_sum += one;
    hessian_sum += row.mean_hessian(betas);
    expected_sum += row.expectation(mean, S).hessian;
    expectation_sum += row.expected(mean, S);
  }
  const double k = double(rows);
  // Sums of a dozen numbers of size 1 to 100: rounding only.
  EXPECT_LT((value_sum / k - values).norm(), 1e-11);
  EXPECT_LT((slope_sum / k - slopes).norm(), 1e-11);
  EXPECT_LT((hessian_sum / k - all.mean_hessian(betas)).norm(), 1e-11);
  EXPECT_LT((expected_sum / k - all.expectation(mean, S).hessian).norm(), 1e-11);
  EXPECT_NEAR(expectation_sum / k, all.expected(mean, S), 1e-11);
  EXPECT_THROW(all.subset({}), Misuse);
}

TEST(GaussianVb, MinibatchGradientIsUnbiased) {
  const LogisticTarget all = example(40, 3, 4.0, 25);
  for (const auto estimator : {GradientEstimator::exact, GradientEstimator::bonnet_price}) {
    GaussianVb model(all, {.draws = 10, .estimator = estimator, .minibatch = 4});
    const auto q = gaussian_affine(toy::random_vector(3, 26), toy::random_spd(3, 27));
    const auto report = testing::check_gradient(model, q);  // 5 standard errors
    EXPECT_TRUE(report.ok()) << int(estimator) << report;
  }
}

}  // namespace
}  // namespace fisherman::model_logistic_test
