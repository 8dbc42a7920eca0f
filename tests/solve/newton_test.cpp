// Newton's steps from soundings: the Gaussian of a log density, where the best one is known; resumed, erased, and where the
// density misbehaves.
#include "fisherman/solve/newton.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/regression.hpp"
#include "fisherman/solve/descend.hpp"
#include "fisherman/solve/gaussian_start.hpp"
#include "toy.hpp"

namespace fisherman::solve_newton_test {
namespace {

using Blocks = GaussianSearch<FunctionTarget>;
using NewtonTestState = State<GaussianAffine, Identity>;

NewtonTestState fresh_state(Index d, std::uint64_t seed) {
  const GaussianAffine frame =
      gaussian_affine(Vector::Zero(d), Matrix::Identity(d, d), SpdRetraction::exponential);
  return {frame, Identity(frame.dimension()), seed,
          Average({.on = true, .start = 0, .power = 1.0})};
}

FunctionTarget gaussian_target(const Vector& mean, const Matrix& precision) {
  return {mean.size(), [=](const Matrix& x, Matrix& g) {
            const Matrix apart = x.colwise() - mean;
            g = -precision * apart;
            return Vector(0.5 * apart.cwiseProduct(g).colwise().sum().transpose());
          }};
}

/// A logistic regression, of which the exact optimum is known by quadrature.
RegressionTarget logistic_example(Index n, Index d) {
  const Matrix X = toy::random_matrix(n, d, 5);
  const Vector beta = 2.0 * toy::random_vector(d, 6) / std::sqrt(double(d));
  const Matrix u = Draws(9, 0).uniforms(0, n, 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y(i) = u(i, 0) < 1.0 / (1.0 + std::exp(-X.row(i).dot(beta)));
  RegressionPriors priors;
  priors.coefficients.assign(std::size_t(d), {CoefficientPrior::Family::normal, 0.0, 3.0});
  return RegressionTarget(X, Outcomes{y, {}, {}}, likelihood("logistic"), priors);
}

FunctionTarget as_function(const RegressionTarget& target) {
  return {target.dimension(),
          [target](const Matrix& x, Matrix& g) { return target.log_density(x, g); }};
}

double exact_optimum(const RegressionTarget& target) {
  const RegressionStart start = regression_start(target);
  const GaussianVb<RegressionTarget> model(target, {.estimator = GradientEstimator::exact});
  const GaussianAffine frame = gaussian_affine(start.mean, start.covariance);
  State s(frame, Identity(frame.dimension()), 1);
  descend(s, model, DescentOptions{}, when_predicted_below(1e-9) || after_iterations(300));
  return s.objective;
}

TEST(Newton, FindsAGaussianWhateverItsCondition) {
  const Index d = 20;
  const Matrix Q = toy::random_orthonormal(d, d, 1);
  const Vector scales = (6.9 * Vector::LinSpaced(d, -1.0, 1.0).array()).exp();
  const Matrix precision = Q * scales.asDiagonal() * Q.transpose();
  const Vector mean = 3.0 * toy::random_vector(d, 2);
  NewtonTestState s = fresh_state(d, 1);
  Blocks model(gaussian_target(mean, precision));
  const Outcome end = newton(s, model, {}, after_iterations(200));
  EXPECT_EQ(end.status, Status::converged);
  EXPECT_LT(gaussian_kl(s.frame.mean(), s.frame.covariance(), mean, precision.inverse()), 1e-9);
  EXPECT_LT(s.newton.gradients, 60 * d);
  EXPECT_EQ(s.newton.others.size(), 0);
}

TEST(Newton, ComesWithinATenthOfANatWhereTheOptimumIsKnown) {
  const Index d = 12;
  const RegressionTarget target = logistic_example(120, d);
  const double best = exact_optimum(target);
  const GaussianVb<RegressionTarget> exact(target);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    NewtonTestState s = fresh_state(d, seed);
    Blocks model(as_function(target));
    const Outcome end = newton(s, model, {}, after_iterations(500));
    EXPECT_EQ(end.status, Status::converged);
    const double gap = exact.nelbo(s.frame.mean(), s.frame.covariance()) - best;
    EXPECT_GT(gap, -1e-6);
    EXPECT_LT(gap, 0.1) << seed;  // the promise; the tolerance is .05
    EXPECT_LT(s.newton.gradients, 100 * d) << seed;
  }
}

TEST(Newton, GoesOnAfterAnyIterationWithTheSameBits) {
  const Index d = 6;
  const FunctionTarget target = as_function(logistic_example(25, d));
  Blocks model(target);
  NewtonTestState whole = fresh_state(d, 4);
  std::int64_t averaged = 0;
  const Observer<NewtonTestState> watch = [&](const Record&, const NewtonTestState& s) {
    averaged += s.newton.phase == NewtonState::averaging ? 1 : 0;
  };
  const NewtonOptions options{.tolerance = 0.002};
  newton(whole, model, options, after_iterations(60), {watch});
  ASSERT_GT(averaged, 3);  // both phases are resumed below
  for (std::int64_t cut = 1; cut < whole.iteration; cut += 3) {
    NewtonTestState first = fresh_state(d, 4), second = fresh_state(d, 4);
    newton(first, model, options, after_iterations(cut));
    restore(second, saved(first));
    newton(second, model, options, after_iterations(60));
    EXPECT_EQ(second.frame.state(), whole.frame.state()) << cut;
    EXPECT_EQ(second.iteration, whole.iteration);
    EXPECT_EQ(second.newton.gradients, whole.newton.gradients) << cut;
  }
}

TEST(Newton, FollowsHessiansWhereNoiseIsLargeAndGoesOnWithTheSameBits) {
  // Wide enough in every direction for much noise, and of linear predictors that are all about as uncertain.
  const Index d = 100;
  const RegressionTarget target = logistic_example(300, d);
  const double best = exact_optimum(target);
  const GaussianVb<RegressionTarget> exact(target);
  Blocks model(as_function(target));
  NewtonTestState whole = fresh_state(d, 1);
  std::int64_t settling = 0, first = 0;
  const Observer<NewtonTestState> watch = [&](const Record& r, const NewtonTestState& s) {
    if (s.newton.phase != NewtonState::settling) return;
    if (settling++ == 0) first = r.iteration;
  };
  EXPECT_EQ(newton(whole, model, {}, after_iterations(200), {watch}).status, Status::converged);
  ASSERT_GT(settling, 2);
  EXPECT_EQ(whole.newton.shapes.size(), 2 * svec_size(d));
  EXPECT_LT(exact.nelbo(whole.frame.mean(), whole.frame.covariance()) - best, 0.1);
  for (std::int64_t cut = first - 1; cut < first + 2; ++cut) {
    NewtonTestState before = fresh_state(d, 1), after = fresh_state(d, 1);
    newton(before, model, {}, after_iterations(cut));
    restore(after, saved(before));
    newton(after, model, {}, after_iterations(200));
    EXPECT_EQ(after.frame.state(), whole.frame.state()) << cut;
    EXPECT_EQ(after.newton.gradients, whole.newton.gradients) << cut;
  }
}

TEST(Newton, IsTheSameBehindErasedTypes) {
  const Index d = 5;
  const FunctionTarget target = as_function(logistic_example(40, d));
  NewtonTestState plain = fresh_state(d, 1);
  Blocks model(target);
  newton(plain, model, {}, after_iterations(2000));
  DensitySettings settings;
  ErasedRun run = make_run(target, settings, std::nullopt);
  const FitSummary end = PlainDriver().drive(run);
  EXPECT_EQ(end.status, Status::converged);
  EXPECT_EQ(run.state.frame.state(), Vector(plain.frame.state()));
}

TEST(Newton, BeginsAtAGivenGaussian) {
  const Index d = 4;
  const FunctionTarget target = gaussian_target(Vector::Ones(d), 2.0 * Matrix::Identity(d, d));
  std::int64_t asked = 0;
  const FunctionTarget counting(d, [&](const Matrix& x, Matrix& g) {
    asked += x.cols();
    return target.log_density(x, g);
  });
  DensitySettings settings;
  settings.starts = 1;
  ErasedRun run =
      make_run(counting, settings, GaussianPoint{Vector::Zero(d), Matrix::Identity(d, d)});
  run.state.newton.start = 1;  // no other start
  EXPECT_EQ(PlainDriver().drive(run).status, Status::converged);
  EXPECT_EQ(run.state.newton.gradients, asked);
  EXPECT_EQ(run.state.newton.soundings,
            2);  // one step lands on a Gaussian target, and the next says so
}

TEST(Newton, CopesWithPointsWithoutAValue) {
  // Half of the line has no density, and one call in ten fails besides.
  const Index d = 10;
  auto calls = std::make_shared<int>(0);
  const FunctionTarget target(d, [calls](const Matrix& x, Matrix& g) {
    Vector out(x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      g.col(k) = -x.col(k);
      out(k) = ++*calls % 37 == 0 ? std::nan("") : -0.5 * x.col(k).squaredNorm();
      if (x(0, k) < -8.0) out(k) = -std::numeric_limits<double>::infinity();
    }
    return out;
  });
  NewtonTestState s = fresh_state(d, 1);
  Blocks model(target);
  EXPECT_EQ(newton(s, model, {}, after_iterations(300)).status, Status::converged);
  EXPECT_LT(
      gaussian_kl(s.frame.mean(), s.frame.covariance(), Vector::Zero(d), Matrix::Identity(d, d)),
      0.05);
}

TEST(Newton, SaysWhenTheDensityIsNeverFinite) {
  NewtonTestState s = fresh_state(3, 1);
  Blocks model(FunctionTarget(3, [](const Matrix& x, Matrix& g) {
    g = x;
    return Vector(Vector::Constant(x.cols(), std::nan("")));
  }));
  try {
    newton(s, model, {}, after_iterations(10));
    FAIL() << "nothing was thrown";
  } catch (const Misuse& e) {
    EXPECT_NE(std::string(e.what()).find("is not finite near any of the 4 points"),
              std::string::npos)
        << e.what();
  }
}

// ½xᵀx with the wrong sign, and a plane: consistent values and gradients, but no densities.
TEST(Newton, SaysWhenTheDensityGrowsWithoutLimit) {
  const FunctionTarget bowl(2, [](const Matrix& x, Matrix& g) {
    g = x;
    return Vector(0.5 * x.colwise().squaredNorm().transpose());
  });
  const FunctionTarget plane(2, [](const Matrix& x, Matrix& g) {
    g = Matrix::Ones(2, x.cols());
    return Vector(x.colwise().sum().transpose());
  });
  for (const FunctionTarget& target : {bowl, plane}) {
    NewtonTestState s = fresh_state(2, 1);
    Blocks model(target);
    EXPECT_EQ(newton(s, model, {}, after_iterations(1000)).status, Status::unbounded);
    EXPECT_LT(s.iteration, 1000);
  }
}

TEST(Newton, TriesOtherStartsAndKeepsTheBetterMode) {
  // Two far Gaussians of the same shape, the one that is nearer to 0 with a weight of e⁻³.
  const Index d = 3;
  const Vector near = Vector::Constant(d, -1.0), far = Vector::Constant(d, 1.4);
  const FunctionTarget target(d, [=](const Matrix& x, Matrix& g) {
    Vector out(x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      const double a = -3.0 - 50.0 * (x.col(k) - near).squaredNorm(),
                   b = -50.0 * (x.col(k) - far).squaredNorm(), top = std::max(a, b);
      const double wa = std::exp(a - top), wb = std::exp(b - top);
      out(k) = top + std::log(wa + wb);
      g.col(k) = -100.0 * (wa * (x.col(k) - near) + wb * (x.col(k) - far)) / (wa + wb);
    }
    return out;
  });
  NewtonTestState s = fresh_state(d, 2);
  Blocks model(target);
  const Outcome end = newton(s, model, {.starts = 8}, after_iterations(500));
  EXPECT_EQ(end.status, Status::converged);
  EXPECT_LT((s.frame.mean() - far).norm(), 1e-3);
  ASSERT_GE(s.newton.others.size(), 1);
  // The other mode is e⁻³ as heavy, so its Gaussian's NELBO is 3 nats higher.
  const double here = -0.5 * double(d) * std::log(2.0 * std::numbers::pi / 100.0);
  EXPECT_NEAR(s.newton.others(0) - here, 3.0, 1e-2);
}

}  // namespace
}  // namespace fisherman::solve_newton_test
