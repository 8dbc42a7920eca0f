// The run of a logistic regression: predictions of any row, minibatches that converge.
#include "fisherman/fit/regression.hpp"

#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "toy.hpp"

namespace fisherman::fit_logistic_test {
namespace {

LogisticTarget problem(Index n, Index d) {
  const Matrix X = toy::random_matrix(n, d, 1), u = Draws(2, 1).uniforms(0, n, 1);
  const Vector eta = X * toy::random_vector(d, 3);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y(i) = u(i) < 1.0 / (1.0 + std::exp(-eta(i))) ? 1.0 : 0.0;
  return {X, y, 10.0};
}

FitSummary plainly(ErasedRun& run) {
  return drive(run, Stop([](const Record&) { return std::optional<Status>(); }), {});
}

TEST(Predictive, IsKnownForRowsOfAnyLength) {
  const GaussianPoint q{Vector{{0.5, 0.0}}, Matrix::Identity(2, 2)};
  const double p = 0.5 * std::erfc(-0.5 * std::sqrt(0.5));  // Φ(½): all that a long row leaves
  const Matrix rows{{0.0, 0.0}, {1e12, 0.0}, {1e300, 0.0}, {-1e300, 0.0}, {1e300, 1.0}};
  const Matrix out = predictive(rows, q);
  EXPECT_DOUBLE_EQ(out(0, 0), 0.5);
  EXPECT_LT(out(0, 1), 1e-15);
  for (const Index i : {1, 2, 4}) {
    EXPECT_NEAR(out(i, 0), p, 1e-11) << i;
    EXPECT_NEAR(out(i, 1), std::sqrt(p * (1.0 - p)), 1e-11) << i;
    EXPECT_EQ(out(i, 2), 0.0) << i;
    EXPECT_EQ(out(i, 3), 1.0) << i;
  }
  EXPECT_NEAR(out(3, 0), 1.0 - p, 1e-11);
  for (const double bad : {std::nan(""), HUGE_VAL})
    expect_misuse([&] { predictive(Matrix{{1.0, 2.0}, {bad, 0.0}}, q); }, "row 2 holds");
}

TEST(Predictive, AndKhatAreTheSameBitsForAnyThreads) {
  const LogisticTarget t = problem(12000, 3);
  const GaussianPoint q{toy::random_vector(3, 5), toy::random_spd(3, 6)};
  set_threads(1);
  const Matrix one = predictive(t.design(), q);
  const double khat = posterior_check<RegressionTarget>(t, q, 7).k;
  const auto e = LogisticTarget(t).expectation(q.mean, q.covariance);
  for (const int threads : {2, 3}) {
    set_threads(threads);
    EXPECT_EQ(one, predictive(t.design(), q)) << threads;
    EXPECT_EQ(khat, posterior_check<RegressionTarget>(t, q, 7).k) << threads;
    const auto again =
        LogisticTarget(t.design(), t.outcomes().y, 10.0).expectation(q.mean, q.covariance);
    EXPECT_EQ(e.value, again.value) << threads;
    EXPECT_EQ(e.gradient, again.gradient) << threads;
    EXPECT_EQ(e.hessian, again.hessian) << threads;
  }
  set_threads(1);
}

TEST(Minibatch, ConvergesAndTakesFewerRowsThanAllAtOnce) {
  const LogisticTarget t = problem(20000, 8);
  LogisticSettings s;
  s.method = GaussianMethod::ngd;
  const RegressionFit whole = fit_regression(t, s, plainly);
  s.minibatch = 200;
  const RegressionFit part = fit_regression(t, s, plainly);
  const double best = exact_optimum(t).nelbo;
  EXPECT_EQ(part.end.status, Status::converged);
  EXPECT_NEAR(part.end.objective, best, 0.01);
  EXPECT_NEAR(whole.end.objective, best, 0.01);
  // Passes over the data: of gradients, and of evaluations.
  const GaussianVbOptions rows{.minibatch = 200, .growth = 1.1};
  double passes = 0.0;
  for (std::int64_t k = 0; k < part.end.iterations; ++k) {
    const Index count = rows.rows_at(std::uint64_t(k), t.rows());
    passes += count == 0 ? 1.0 : double(count) / double(t.rows());
    if ((k + 1) % 20 == 0) passes += 1.0;
  }
  EXPECT_LT(passes, double(whole.end.iterations));
}

TEST(Minibatch, IsEvaluatedAtACostInProportion) {
  const LogisticTarget t = problem(2000, 2);
  LogisticSettings s;
  s.method = GaussianMethod::ngd;
  EXPECT_EQ(make_run(t, s).options.evaluate_every, 1);
  s.minibatch = 10;
  s.iterations = 5;
  EXPECT_EQ(make_run(t, s).options.evaluate_every, 200);
  s.method = GaussianMethod::adam;
  EXPECT_EQ(make_run(t, s).options.evaluate_every, 200);
  s.method = GaussianMethod::ngd;
  s.eval_every = 3;  // what the user says goes
  EXPECT_EQ(make_run(t, s).options.evaluate_every, 3);
  s.eval_every = 0;
  EXPECT_EQ(make_run(t, s).options.evaluate_every, 0);
  s.eval_every = -2;
  expect_misuse([&] { make_run(t, s); }, "--eval-every is -2");
}

}  // namespace
}  // namespace fisherman::fit_logistic_test
