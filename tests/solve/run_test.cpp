// The step, the driver, step rules, averaging.
#include "fisherman/solve/run.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/solve/observers.hpp"
#include "toy.hpp"

namespace fisherman::solve_run_test {
namespace {

const StepRule plain{
    .step_size = 0.1, .delay = 10.0, .decay = 0.5, .kl_radius = 0.0, .guard = false};

// Algorithm 1 as printed, in vec-free Euclidean form: one score, Sherman-Morrison, (s+1)H⁻¹.
TEST(Advance, IsThePaperAlgorithm) {
  const Index d = 6;
  const toy::Attraction model{toy::random_vector(d, 1), 1};
  State state{Euclidean(toy::random_vector(d, 2)), Dense(d, {.epsilon = 4.0}), 5};
  Vector theta = state.frame.point();
  Matrix Hinv = Matrix::Identity(d, d) / 4.0;
  for (int s = 0; s < 100; ++s) {
    const Draws draws(5, std::uint64_t(s));
    const Euclidean at(theta);
    const Vector phi = model.scores(at, draws);
    Hinv -= Hinv * phi * phi.transpose() * Hinv / (1.0 + phi.dot(Hinv * phi));
    const double tau = 0.1 * std::pow(10.0 / (10.0 + s), 0.5);
    theta -= tau * double(s + 1) * Hinv * model.gradient(at, draws);
    advance(state, model, plain);
    ++state.iteration;
    ASSERT_LT((state.frame.point() - theta).norm(), 1e-12) << "iteration " << s;
  }
}

TEST(Advance, ReportsWhatItDid) {
  const toy::Attraction model{Vector::Zero(2), 1, 0.0};
  State state{Euclidean(Vector{{3.0, 4.0}}), Identity(2)};
  const StepReport r = advance(state, model, plain);
  EXPECT_NEAR(r.gradient_norm, 5.0, 1e-14);
  EXPECT_NEAR(r.predicted, 12.5, 1e-13);
  EXPECT_NEAR(r.step, 0.1, 1e-15);
  EXPECT_NEAR(r.step_norm, 0.5, 1e-14);
  EXPECT_NEAR(r.kl, 0.125, 1e-14);
}

TEST(StepRule, CapsHold) {
  const StepRule kl{.step_size = 10.0, .decay = 0.0, .kl_radius = 0.5};
  EXPECT_NEAR(kl.length(0, 100.0, 10.0), 0.1, 1e-15);  // ½τ²·100 = ½
  const StepRule norm{.step_size = 10.0, .decay = 0.0, .kl_radius = 0.0, .norm_cap = 0.3};
  EXPECT_NEAR(norm.length(0, 100.0, 10.0), 0.03, 1e-15);
  // The paper's c₀/(c₁+s)^α with c₀ = τ₀c₁^α.
  const StepRule paper{.step_size = 0.2, .delay = 100.0, .decay = 0.75, .kl_radius = 0.0};
  EXPECT_NEAR(paper.length(300, 1.0, 1.0), 0.2 * std::pow(100.0, 0.75) / std::pow(400.0, 0.75),
              1e-15);
  expect_misuse([] { StepRule{.step_size = 0.0}.check(); }, "step_size is 0");
  expect_misuse([] { StepRule{.decay = 2.0}.check(); }, "decay is 2");
  expect_misuse([] { StepRule{.kl_radius = -1.0}.check(); }, "kl_radius is -1");
}

// At the optimum a noisy gradient promises ½d·noise² a step, all of it false. In the mean gradient the
// noise has (1−β)/(1+β) = 0.0101 of its variance; three times that allows for chance at 50 coordinates.
TEST(Run, NoiseIsNotTakenForImprovement) {
  const Index d = 50;
  toy::Attraction model{Vector::Zero(d), 1, 2.0};
  State state{Euclidean(Vector::Zero(d)), Identity(d)};
  RunOptions options{.rule = {.step_size = 1e-3, .decay = 0.0, .kl_radius = 0.0}};
  const Outcome outcome = run(state, model, options, after_iterations(400));
  const double false_promise = 0.5 * double(d) * 4.0;
  EXPECT_LT(outcome.last.predicted, 0.0303 * false_promise);
  EXPECT_GT(outcome.last.predicted, 0.0);
}

/// The mean direction on a sphere: a gradient without noise, and scores that are normal about the point.
struct MeanDirection {
  Vector mean;  // of the data
  double kappa = 10.0;

  Vector gradient(const Sphere& mu, const Draws&) const { return mu.pull(Matrix(-kappa * mean)); }
  double objective(const Sphere& mu) const { return -kappa * mu.point().dot(mean); }
  Matrix scores(const Sphere& mu, const Draws& draws) const {
    return mu.pull(std::sqrt(kappa) * draws.normals(0, 3, 4));
  }
};

// While the Fisher approximation is young it turns the mean of the gradients this way and that.
TEST(Run, SaysConvergedOnlyNearTheOptimum) {
  Matrix data = Draws(1, 0).normals(0, 3, 500) * 0.3;
  data.colwise() += Vector(Vector{{1.0, 2.0, 2.0}} / 3.0);
  const MeanDirection model{data.colwise().normalized().rowwise().mean()};
  const double best = -model.kappa * model.mean.norm(), tolerance = 1e-6;
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    State state{Sphere(Vector::Unit(3, 0)), Dense(3), seed};
    const Outcome end =
        run(state, model, {}, when_predicted_below(tolerance) || after_iterations(300));
    if (end.status != Status::converged) continue;
    ++converged;
    EXPECT_LT(model.objective(state.frame) - best, 10.0 * tolerance) << seed;
  }
  EXPECT_GT(converged, 250);
}

TEST(Run, TheGuardKeepsAStepWithinReach) {
  const toy::Attraction model{Vector(-100.0 * as_vector(Matrix::Identity(2, 2))), 1, 0.0};
  const RunOptions guarded{.rule = {.step_size = 1.0, .kl_radius = 0.0}};
  State state{SpdEuclidean(Matrix::Identity(2, 2)), Identity(3)};
  run(state, model, guarded, after_iterations(5));
  EXPECT_EQ(state.clips, 0);
  State wild{SpdEuclidean(Matrix::Identity(2, 2)), Identity(3)};
  const RunOptions unguarded{.rule = {.step_size = 1.0, .kl_radius = 0.0, .guard = false}};
  run(wild, model, unguarded, after_iterations(5));
  EXPECT_GT(wild.clips, 0);
}

TEST(Average, OnEuclideanSpaceIsTheMeanOfTheIterates) {
  const toy::Attraction model{Vector::Zero(3), 1, 1.0};
  for (const double power : {0.0, 2.0}) {
    State state{Euclidean(Vector::Ones(3)), Identity(3), 1,
                Average({.on = true, .start = 10, .power = power})};
    Vector sum = Vector::Zero(3);
    double weights = 0.0;
    for (int s = 0; s < 50; ++s) {
      advance(state, model, plain);
      ++state.iteration;
      if (s < 10) continue;
      // A share of (1+p)/(k+p) for the newest point means weights Γ(k+p)/Γ(k), about k^p.
      const double k = double(s - 9), w = std::exp(std::lgamma(k + power) - std::lgamma(k));
      sum += w * state.frame.point();
      weights += w;
    }
    EXPECT_LT((state.estimate().point() - sum / weights).norm(), 1e-13);
  }
  EXPECT_TRUE(Average().empty());
  expect_misuse([] { Average({.start = -1}); }, "start");
}

TEST(Run, FindsAGaussianExactlyWithExactNaturalGradient) {
  // Natural gradient with step 1 on a Gaussian target is Newton's method in disguise.
  const Matrix precision = toy::random_spd(4, 3);
  const Vector centre = toy::random_vector(4, 4);
  const PointwiseTarget target(4, [&](const Vector& b, Vector& g) {
    g = -precision * (b - centre);
    return 0.5 * (b - centre).dot(g);
  });
  GaussianVb model(target, {.draws = 20, .estimator = GradientEstimator::sticking_the_landing});
  State state{gaussian_affine(Vector::Zero(4), Matrix::Identity(4, 4)), Exact(14)};
  const auto outcome =
      run(state, model, {.rule = {.step_size = 0.5, .decay = 0.0}, .evaluate_every = 0},
          when_predicted_below(1e-12) || after_iterations(500));
  EXPECT_EQ(outcome.status, Status::converged) << describe(outcome.status);
  EXPECT_LT((state.frame.mean() - centre).norm(), 1e-5);
  EXPECT_LT((state.frame.covariance() - precision.inverse()).norm(), 1e-5);
}

/// Breaks in chosen iterations.
struct Fragile {
  toy::Attraction inner;
  std::function<bool(std::uint64_t)> gradient_breaks = [](std::uint64_t) { return false; };
  std::function<bool(std::uint64_t)> scores_break = [](std::uint64_t) { return false; };
  Vector gradient(const Euclidean& f, const Draws& d) const {
    return gradient_breaks(d.index()) ? Vector(Vector::Constant(f.dimension(), NAN))
                                      : inner.gradient(f, d);
  }
  Matrix scores(const Euclidean& f, const Draws& d) const {
    return scores_break(d.index()) ? Matrix(Matrix::Constant(f.dimension(), 1, INFINITY))
                                   : inner.scores(f, d);
  }
};

TEST(Run, ANonFiniteValueIsNeverApplied) {
  const Fragile model{{Vector::Zero(3), 1, 0.1},
                      [](std::uint64_t s) { return s == 5 || s == 6; },
                      [](std::uint64_t s) { return s == 9; }};
  State state{Euclidean(Vector::Ones(3)), Dense(3)};
  Trace trace;
  const auto outcome = run(state, model, {.rule = plain}, after_iterations(30), {trace.observer()});
  EXPECT_EQ(outcome.status, Status::iterations_done);
  EXPECT_EQ(state.rejected, 3);
  EXPECT_TRUE(state.frame.point().allFinite());
  EXPECT_EQ(state.caution, 1.0);  // given back by good steps
  EXPECT_NE(outcome.trouble.find("scores"), std::string::npos) << outcome.trouble;
  EXPECT_TRUE(std::isnan(trace.records()[5].step));
  EXPECT_FALSE(std::isnan(trace.records()[7].step));
}

/// Its objective is infinite beyond 0.5, where every step leads.
struct Cliff {
  Vector gradient(const Euclidean& f, const Draws&) const { return -Vector::Ones(f.dimension()); }
  double objective(const Euclidean& f) const {
    return f.point()(0) > 0.5 ? INFINITY : -f.point()(0);
  }
};

TEST(Run, AStepToANonFiniteObjectiveIsTakenBack) {
  const Cliff model;
  State state{Euclidean(Vector::Zero(1)), Identity(1)};
  const auto outcome =
      run(state, model, {.rule = {.step_size = 0.2, .decay = 0.0}, .evaluate_every = 1},
          after_iterations(50));
  EXPECT_LE(state.frame.point()(0), 0.5);
  EXPECT_GT(state.frame.point()(0), 0.3);
  EXPECT_GT(state.rejected, 0);
  EXPECT_NE(outcome.trouble.find("objective"), std::string::npos);
}

TEST(Run, ARunThatWasRejectedCanBeSavedAndGoesOn) {
  const Fragile model{{Vector::Zero(3), 1, 0.1}, [](std::uint64_t s) { return s == 9; }};
  State whole{Euclidean(Vector::Ones(3)), Dense(3)}, cut = whole, resumed = whole;
  run(whole, model, {.rule = plain}, after_iterations(20));
  run(cut, model, {.rule = plain}, after_iterations(10));  // ends on the rejected step
  restore(resumed, saved(cut));
  run(resumed, model, {.rule = plain}, after_iterations(20));
  EXPECT_EQ(resumed.frame.point(), whole.frame.point());
}

TEST(Run, TroubleWithoutEndIsDivergenceAndKeepsTheLastGoodState) {
  const Fragile model{{Vector::Zero(3), 1, 0.1}, [](std::uint64_t s) { return s >= 4; }};
  State state{Euclidean(Vector::Ones(3)), Dense(3)};
  const auto outcome = run(state, model, {.rule = plain, .patience = 5}, after_iterations(100));
  EXPECT_EQ(outcome.status, Status::diverged);
  EXPECT_EQ(state.iteration, 9);
  EXPECT_TRUE(state.frame.point().allFinite());
  EXPECT_NE(outcome.trouble.find("gradient"), std::string::npos);
  EXPECT_NE(describe(outcome.status).find("smaller step"), std::string::npos);
}

/// ½ of its sign times ‖x‖², with a gradient of whatever sign: −1 in either runs away.
struct Slide {
  double gradient_sign, objective_sign;
  Vector gradient(const Euclidean& x, const Draws&) const { return gradient_sign * x.point(); }
  double objective(const Euclidean& x) const {
    return objective_sign * 0.5 * x.point().squaredNorm();
  }
};

TEST(Run, AnObjectiveThatRunsAwayIsSaidToDoSo) {
  const RunOptions options{.rule = {.step_size = 0.5, .decay = 0.0, .kl_radius = 0.0}};
  const auto end = [&](double gradient, double objective) {
    const Slide model{gradient, objective};
    State state{Euclidean(Vector::Ones(2)), Identity(2)};
    return run(state, model, options, after_iterations(200)).status;
  };
  EXPECT_EQ(end(1.0, 1.0), Status::iterations_done);
  EXPECT_EQ(end(-1.0, 1.0), Status::unbounded);   // a gradient of the wrong sign
  EXPECT_EQ(end(-1.0, -1.0), Status::unbounded);  // an objective without a minimum
  EXPECT_EQ(name(Status::unbounded), "diverged");
  EXPECT_NE(describe(Status::unbounded).find("right sign"), std::string::npos);
  // A long way down is not running away, nor is a late one.
  std::vector<double> far{1e9}, late(50, 1e-3);
  for (int k = 1; k < 100; ++k) far.push_back(far.back() * 0.8);
  for (int k = 0; k < 50; ++k) late.push_back(late.back() - 10.0);
  for (const std::vector<double>& values : {far, late, std::vector<double>{1.0, -1e30}}) {
    ObjectiveHistory history;
    for (const double value : values) history.add(value);
    EXPECT_FALSE(history.runs_away());
  }
}

TEST(Run, SpectrumOfTheInverseIsReportedWhereAsked) {
  const toy::Attraction model{Vector::Zero(3), 5};
  State state{Euclidean(Vector::Ones(3)), Dense(3)};
  Trace trace;
  run(state, model, {.rule = plain, .spectrum_every = 10}, after_iterations(20),
      {trace.observer()});
  EXPECT_FALSE(trace.records()[8].spectrum);
  ASSERT_TRUE(trace.records()[19].spectrum);
  const Vector exact = spectrum(state.fisher.inverse()).values;
  EXPECT_NEAR(trace.records()[19].spectrum->smallest, exact(0), 1e-12);
  EXPECT_NEAR(trace.records()[19].spectrum->largest, exact(2), 1e-12);
}

TEST(Run, AFinishedRunDoesNothingMore) {
  const toy::Attraction model{Vector::Zero(3)};
  State state{Euclidean(Vector::Ones(3)), Dense(3)};
  run(state, model, {.rule = plain}, after_iterations(0));
  EXPECT_EQ(state.iteration, 0);
  run(state, model, {.rule = plain}, after_iterations(10));
  const Vector end = state.frame.point();
  EXPECT_EQ(run(state, model, {.rule = plain}, after_iterations(10)).status,
            Status::iterations_done);
  EXPECT_EQ(state.iteration, 10);
  EXPECT_EQ(state.frame.point(), end);
}

/// An operator that points uphill.
struct Uphill {
  Index dimension() const { return 2; }
  void absorb(const Matrix&) {}
  Vector solve(const Vector& g) const { return -g; }
};

TEST(Run, UphillIsNotTaken) {
  const toy::Attraction model{Vector::Zero(2)};
  State state{Euclidean(Vector::Ones(2)), Uphill()};
  EXPECT_EQ(run(state, model, {.rule = plain}, after_iterations(50)).status, Status::diverged);
  EXPECT_EQ(state.frame.point(), Vector::Ones(2));
}

/// ½Σλₖxₖ², with curvatures that a step of 1 cannot live with.
struct Steep {
  Vector curvature;
  Vector gradient(const Euclidean& x, const Draws&) const {
    return curvature.cwiseProduct(x.point());
  }
  double objective(const Euclidean& x) const {
    return 0.5 * x.point().dot(gradient(x, Draws(0, 0)));
  }
};

TEST(Run, DescendsWhereAStepWouldGoRoundInCircles) {
  const Steep model{Vector{{5.0, 2.0, 0.1}}};
  const StepRule whole{.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0};
  const Stop stop = when_predicted_below(1e-10) || after_iterations(1000);
  const auto outcome = [&](bool descend) {
    State state{Euclidean(Vector::Ones(3)), Identity(3)};
    double highest = model.objective(state.frame), rises = 0.0;
    const auto watch = [&](const Record& r, const auto&) {
      rises = std::max(rises, r.objective - highest);
      highest = r.objective;
    };
    const Outcome o = run(state, model,
                          {.rule = whole,
                           .evaluate_every = 1,
                           .smoothing = 0.0,
                           .accept = descend ? accept_descent() : accept_all()},
                          stop, {watch});
    EXPECT_TRUE(!descend || rises <= 0.0) << rises;
    return o;
  };
  EXPECT_NE(outcome(false).status, Status::converged);
  EXPECT_EQ(outcome(true).status, Status::converged);
  EXPECT_GT(outcome(true).last.rejected, 0);

  // What decides about a step is saved with the state: a run in two parts is the same run.
  const RunOptions options{.rule = whole, .evaluate_every = 0, .accept = accept_descent()};
  State once{Euclidean(Vector::Ones(3)), Identity(3)}, first = once, second = once;
  run(once, model, options, after_iterations(40));
  run(first, model, options, after_iterations(7));
  restore(second, saved(first));
  run(second, model, options, after_iterations(40));
  EXPECT_EQ(once.frame.point(), second.frame.point());
  EXPECT_EQ(once.rejected, second.rejected);
}

TEST(Run, APolicyDecidesWhichStepsAreTaken) {
  const Steep model{Vector{{1.0, 1.0}}};
  // Takes every second step, and halves the next one after each that it refuses.
  int shown = 0;
  const Acceptance every_second(
      [&](const Acceptance::Trial& t) {
        EXPECT_LT(t.after, t.before);
        return Acceptance::Verdict{++shown % 2 == 0, shown % 2 == 0 ? 1.0 : 0.5 * t.caution};
      },
      true);
  State state{Euclidean(Vector::Ones(2)), Identity(2)};
  Trace trace;
  run(state, model,
      {.rule = {.step_size = 0.1, .decay = 0.0, .kl_radius = 0.0}, .accept = every_second},
      after_iterations(6), {trace.observer()});
  EXPECT_EQ(state.rejected, 3);
  EXPECT_NEAR(state.frame.point()(0), std::pow(0.95, 3), 1e-15);
  EXPECT_TRUE(std::isnan(trace.records()[0].step));
}

TEST(Run, Misuse) {
  const toy::Attraction model{Vector::Zero(3)};
  State state{Euclidean(Vector::Ones(3)), Identity(4)};
  expect_misuse([&] { run(state, model, {}, after_iterations(1)); },
                "dimension 4, but the frame has 3");
  State sphere{Sphere(Vector::Unit(3, 0)), Dense(3)};
  expect_misuse([&] { run(sphere, model, {.rule = {.delay = -1.0}}, after_iterations(1)); },
                "delay is -1");
  State fine{Euclidean(Vector::Ones(3)), Identity(3)};
  expect_misuse([&] { run(fine, model, {.patience = 0}, after_iterations(1)); }, "patience is 0");
  expect_misuse([&] { run(fine, model, {.smoothing = 5.0}, after_iterations(1)); },
                "smoothing is 5");
  expect_misuse([] { after_iterations(-1); }, "must not be negative");
  expect_misuse([] { when_predicted_below(0.0); }, "must be positive");
}

TEST(Run, ATransportThatDoesNotExistThrows) {
  const toy::Attraction model{Vector::Zero(6)};
  State state{gaussian_affine(Vector::Zero(2), Matrix::Identity(2, 2)), Dense(5)};
  expect_misuse([&] { run(state, model, {.carry = Carry::paper}, after_iterations(1)); },
                "no transport");
}

}  // namespace
}  // namespace fisherman::solve_run_test
