#include "fisherman/model/gaussian_vb.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/model/cholesky_vb.hpp"
#include "fisherman/model/forward_backward.hpp"
#include "fisherman/solve/step.hpp"
#include "fisherman/testing/model_laws.hpp"
#include "toy.hpp"

namespace fisherman::model_gaussian_vb_test {
namespace {

/// log density of Σ −cosh(cᵢβᵢ) − ½βᵀAβ: convex, not Gaussian, with exact Gaussian expectations.
struct Cosh {
  Matrix A;
  Vector c;

  Index dimension() const { return c.size(); }
  Vector log_density(const Matrix& betas, Matrix& gradients) const {
    const Matrix s = c.asDiagonal() * betas, AB = A * betas;
    gradients = -(c.asDiagonal() * s.array().sinh().matrix()) - AB;
    return -(s.array().cosh().colwise().sum() + 0.5 * (betas.array() * AB.array()).colwise().sum())
                .transpose()
                .matrix();
  }
  Matrix mean_hessian(const Matrix& betas) const {
    const Vector mean = (c.asDiagonal() * betas).array().cosh().rowwise().mean();
    return -A - Matrix(c.cwiseAbs2().cwiseProduct(mean).asDiagonal());
  }
  double expected(const Vector& mean, const Matrix& covariance) const {
    // E cosh(cβ) = e^{c²σ²/2} cosh(cμ)
    const Vector variance = covariance.diagonal();
    const double cosh_part =
        ((0.5 * c.array().square() * variance.array()).exp() * (c.array() * mean.array()).cosh())
            .sum();
    return -cosh_part - 0.5 * (mean.dot(A * mean) + (A * covariance).trace());
  }
};

const Index n = 3;
Cosh target() { return {toy::random_spd(n, 1), Vector{{0.5, 1.0, 0.8}}}; }
const Vector mean = Vector{{0.3, -0.2, 0.5}};
Matrix covariance() { return 0.5 * toy::random_spd(n, 2); }

template <class Check>
void in_all_geometries(Check check) {
  check(gaussian_euclidean(mean, covariance()), "euclidean");
  check(gaussian_bures_wasserstein(mean, covariance()), "bw");
  check(gaussian_affine(mean, covariance()), "affine");
}

// Tolerances: 5 standard errors of the Monte-Carlo mean, as the laws say; seeds are fixed.
TEST(GaussianVb, GradientsAreDerivativesForEveryEstimatorAndGeometry) {
  for (const auto estimator :
       {GradientEstimator::bonnet_price, GradientEstimator::reparameterised,
        GradientEstimator::sticking_the_landing, GradientEstimator::score_function}) {
    GaussianVb model(target(), {.draws = 50, .estimator = estimator});
    in_all_geometries([&](const auto& frame, const char* name) {
      const auto report = testing::check_gradient(model, frame);
      EXPECT_TRUE(report.ok()) << name << ", estimator " << int(estimator) << '\n' << report;
    });
  }
}

TEST(GaussianVb, ScoresHaveMeanZeroAndTheFisherOperatorAsSecondMoment) {
  GaussianVb model(target(), {.scores = 100});
  in_all_geometries([&](const auto& frame, const char* name) {
    const auto report = testing::check_scores(model, frame);
    EXPECT_TRUE(report.ok()) << name << '\n' << report;
    using F = std::decay_t<decltype(frame)>;
    AnyModel erased = AnyModel::of<F>(model);
    const auto again = testing::check_scores(erased, AnyFrame(frame), {.repeats = 100});
    EXPECT_TRUE(again.ok()) << name << ", type-erased\n" << again;
  });
}

TEST(GaussianVb, FisherOfAnAffineFrameWithTheUsualMetricIsOneHalfOnTheCovariance) {
  GaussianVb model(target(), {.scores = 100});
  const auto report = testing::check_scores(model, GaussianAffine(mean, SpdAffine(covariance())));
  EXPECT_TRUE(report.ok()) << report;
}

TEST(GaussianVb, KlIsHalfTheFisherNorm) {
  in_all_geometries([&](const auto& frame, const char* name) {
    using F = std::decay_t<decltype(frame)>;
    const auto kl = [](const F& a, const F& b) {
      return gaussian_kl(a.mean(), a.covariance(), b.mean(), b.covariance());
    };
    const auto report = testing::check_kl<F>(frame, gaussian_fisher(frame), kl);
    EXPECT_TRUE(report.ok()) << name << '\n' << report;
  });
}

TEST(GaussianVb, StickingTheLandingIsQuietAtTheOptimum) {
  // q equals a Gaussian target: every draw's gradient is exactly zero.
  const Matrix precision = toy::random_spd(n, 3);
  const PointwiseTarget gaussian(n, [&](const Vector& b, Vector& g) {
    g = -precision * b;
    return 0.5 * b.dot(g);
  });
  const GaussianVb model(gaussian,
                         {.draws = 5, .estimator = GradientEstimator::sticking_the_landing});
  const auto q = gaussian_affine(Vector::Zero(n), precision.inverse());
  EXPECT_LT(model.gradient(q, Draws(1, 1)).norm(), 1e-12);
  const GaussianVb noisy(gaussian, {.draws = 5, .estimator = GradientEstimator::reparameterised});
  EXPECT_GT(noisy.gradient(q, Draws(1, 1)).norm(), 0.1);
}

TEST(GaussianVb, ReusedDrawsAreTheGradientsOwn) {
  const auto q = gaussian_affine(mean, covariance());
  const GaussianVb reuse(target(), {.draws = 10, .scores = 4, .reuse_draws = true});
  const GaussianVb fresh(target(), {.draws = 10, .scores = 4});
  EXPECT_NE(reuse.scores(q, Draws(1, 1)), fresh.scores(q, Draws(1, 1)));
  // In the affine frame a score's first coordinates are the draw's z, so the score-function gradient can
  // be put together again from the scores alone.
  const GaussianVb all(target(), {.draws = 10,
                                  .scores = 10,
                                  .estimator = GradientEstimator::score_function,
                                  .reuse_draws = true});
  const Matrix scores = all.scores(q, Draws(1, 1)), z = scores.topRows(n);
  EXPECT_LT((scores.leftCols(4) - reuse.scores(q, Draws(1, 1))).norm(), 1e-13);
  const Matrix L = q.covariance().llt().matrixL();
  Matrix slopes(n, 10);
  const Vector h = -0.5 * z.colwise().squaredNorm().transpose() -
                   target().log_density((L * z).colwise() + q.mean(), slopes);
  const Vector expected = scores * ((h.array() - h.mean()) / 9.0).matrix();
  EXPECT_LT((all.gradient(q, Draws(1, 1)) - expected).norm(), 1e-12 * expected.norm());
}

TEST(GaussianVb, ObjectiveByDrawsIsCloseToTheExactOne) {
  const auto q = gaussian_affine(mean, covariance());
  const Cosh t = target();
  const PointwiseTarget pointwise(n, [&](const Vector& b, Vector& g) {
    Matrix slopes(n, 1);
    const double value = t.log_density(b, slopes)(0);
    g = slopes;
    return value;
  });
  const double exact = GaussianVb(t).objective(q);
  // 20,000 draws of a log density with standard deviation about 3: five standard errors are 0.1.
  EXPECT_NEAR(GaussianVb(pointwise, {.objective_draws = 20000}).objective(q), exact, 0.1);
}

TEST(GaussianVb, Misuse) {
  expect_misuse([] { GaussianVb(target(), {.draws = 0}); }, "draws is 0");
  expect_misuse([] { GaussianVb(target(), {.scores = 0}); }, "scores is 0");
  expect_misuse([] { GaussianVb(target(), {.draws = 2, .scores = 3, .reuse_draws = true}); },
                "only 2 draws");
  const PointwiseTarget plain(2, [](const Vector&, Vector&) { return 0.0; });
  expect_misuse([&] { GaussianVb(plain, {.estimator = GradientEstimator::bonnet_price}); },
                "mean_hessian");
  expect_misuse([] { PointwiseTarget(0, {}); }, "positive dimension");
  const GaussianVb small(plain);
  expect_misuse([&] { small.gradient(gaussian_affine(mean, covariance()), Draws(1, 1)); },
                "order 3");
  expect_misuse([] { GaussianVb(target(), {.objective_draws = 0}); }, "objective_draws is 0");
}

TEST(GaussianKl, ByHand) {
  // KL(N(0,1) ‖ N(1,4)) = ½(¼ + ¼ − 1 + ln 4)
  EXPECT_NEAR(
      gaussian_kl(Vector::Zero(1), Matrix::Ones(1, 1), Vector::Ones(1), 4.0 * Matrix::Ones(1, 1)),
      0.5 * (0.5 - 1.0 + std::log(4.0)), 1e-14);
}

TEST(CholeskyVb, GradientIsTheDerivative) {
  const Matrix L = Eigen::LLT<Matrix>(covariance()).matrixL();
  using Cholesky = CholeskyVb<Cosh>;
  Cholesky model(target(), {.draws = 50});
  const Euclidean start = Cholesky::start(mean, L);
  EXPECT_EQ(cholesky_factor(start.point(), n), L);
  EXPECT_NEAR(model.objective(start),
              GaussianVb(target()).objective(gaussian_affine(mean, covariance())), 1e-12);
  const auto report = testing::check_gradient(model, start);
  EXPECT_TRUE(report.ok()) << report;
}

/// A normal target: forward-backward knows its gradient and Hessian without noise in the latter.
struct Normal {
  Vector centre;
  Matrix precision;
  Index dimension() const { return centre.size(); }
  Vector log_density(const Matrix& betas, Matrix& gradients) const {
    const Matrix r = betas.colwise() - centre;
    gradients = -precision * r;
    return 0.5 * (r.array() * gradients.array()).colwise().sum();
  }
  Matrix mean_hessian(const Matrix&) const { return -precision; }
};

// One step against the published update, written out with matrices; and the target's covariance is a
// fixed point for every step below 1/β.
TEST(ForwardBackward, StepsAsPublishedAndRestsAtTheTarget) {
  const Normal normal{Vector::Zero(n), toy::random_spd(n, 7)};
  const double eta = 0.5 / spectrum(normal.precision).values.maxCoeff();
  ForwardBackward<Normal> model(normal, {.step = eta, .draws = 20});
  const StepRule whole{.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0, .guard = false};
  State state{gaussian_bures_wasserstein(mean, covariance()), Identity(9), 5};
  const Draws draws(5, 0);
  advance(state, model, whole);
  const Matrix I = Matrix::Identity(n, n), M = I - eta * normal.precision;
  const Matrix half = M * covariance() * M;
  const Matrix product = half * (half + 4.0 * eta * I);  // symmetric: the two commute
  const Matrix root = spectrum(product).map([](double x) { return std::sqrt(x); });
  EXPECT_LT((state.frame.covariance() - 0.5 * (half + 2.0 * eta * I + root)).norm(), 1e-12);
  const Matrix L = Eigen::LLT<Matrix>(covariance()).matrixL();
  const Matrix betas = (L * draws.normals(0, n, 20)).colwise() + mean;
  EXPECT_LT((state.frame.mean() - (mean - eta * normal.precision * betas.rowwise().mean())).norm(),
            1e-12);
  const Matrix sigma = normal.precision.inverse();
  State there{gaussian_bures_wasserstein(mean, 0.5 * (sigma + sigma.transpose())), Identity(9)};
  advance(there, model, whole);
  EXPECT_LT((there.frame.covariance() - sigma).norm(), 1e-11 * sigma.norm());
}

}  // namespace
}  // namespace fisherman::model_gaussian_vb_test
