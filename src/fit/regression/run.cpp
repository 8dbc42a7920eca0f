// The runs that fit a regression, one for each method.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "../gaussian_run.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/model/cholesky_vb.hpp"
#include "fisherman/model/forward_backward.hpp"

namespace fisherman {

namespace {

ErasedRun adam(const RegressionTarget& target, const RegressionSettings& s) {
  const Index d = target.dimension();
  using Cholesky = CholeskyVb<RegressionTarget>;
  const Euclidean start = Cholesky::start(Vector::Zero(d), Matrix::Identity(d, d));
  return made_run(
      {start, Adam(start.dimension()), std::uint64_t(s.seed),
       Average({.on = is_on(s.average, false)})},
      AnyModel::of<Euclidean>(Cholesky(target, {.draws = s.batch, .minibatch = s.minibatch})),
      s.rule({.step_size = adam_step_size, .decay = 0.0, .kl_radius = 0.0}), s,
      batches(target.rows(), s.minibatch));
}

ErasedRun forward_backward(const RegressionTarget& target, const RegressionSettings& s) {
  const Index d = target.dimension();
  // V is β-smooth with β = ¼λ(XᵀX) + 1/σ², and its authors' theory asks for η ≤ 1/β.
  double largest = 0.0;  // precision of a prior
  bool normal = target.effects() == 0;
  for (const CoefficientPrior& prior : target.priors().coefficients) {
    normal = normal && prior.family == CoefficientPrior::Family::normal;
    largest = std::max(largest, 1.0 / (prior.scale * prior.scale));
  }
  require(normal && target.likelihood().link() == Link::logit,
          "--method fb-gvi is for logistic regressions with normal priors");
  const Matrix gram = sum_over_rows<Matrix>(target.rows(), [&](Index first, Index count) {
    const Matrix x = target.design_rows(first, count);
    return Matrix(x.transpose() * x);
  });
  const double beta = 0.25 * spectrum(gram).values.maxCoeff() + largest;
  const auto start = gaussian_bures_wasserstein(Vector::Zero(d), Matrix::Identity(d, d));
  return made_run({start, Identity(start.dimension()), std::uint64_t(s.seed),
                   Average({.on = is_on(s.average, false)})},
                  AnyModel::of<GaussianBuresWasserstein>(ForwardBackward<RegressionTarget>(
                      target, {.step = s.step_size > 0.0 ? s.step_size : 1.0 / beta,
                               .draws = s.batch,
                               .minibatch = s.minibatch})),
                  {.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0, .guard = false}, s,
                  batches(target.rows(), s.minibatch));
}

/// L-BFGS in the affine frame, where the Fisher matrix is the identity. The plain gradient is the natural one there, which
/// would converge by itself, but slowly where posteriors are wide; the pairs supply what curvature differs from Fisher's.
ErasedRun exact(const RegressionTarget& target, const RegressionSettings& s) {
  const RegressionStart first = regression_start(target);
  const GaussianAffine start = gaussian_affine(first.mean, first.covariance);
  const GaussianVb<RegressionTarget> model(target, {.estimator = GradientEstimator::exact});
  const std::int64_t planned = s.iterations > 0 ? s.iterations : most_exact;
  ErasedRun run{{start, Identity(start.dimension()), std::uint64_t(s.seed), Average({.on = false})},
                AnyModel::of<GaussianAffine>(model),
                {},
                after_iterations(planned),
                planned,
                DescentOptions{}};
  if (s.iterations == 0)
    run.stop = when_predicted_below(s.tolerance > 0.0 ? s.tolerance : exact_tolerance) || run.stop;
  return run;
}

}  // namespace

ErasedRun make_run(const RegressionTarget& target, const RegressionSettings& s) {
  using Method = GaussianMethod;
  const std::string name = name_of(s.method, RegressionSettings::methods());
  const bool grid = s.method == Method::gd || s.method == Method::ngd || s.method == Method::ifngd;
  require(grid || s.geometry == RegressionSettings().geometry, "--method ", name,
          " has a geometry of its own: leave --geometry out");
  require(
      s.transport == Carry::frame || (grid && s.geometry != Geometry::affine),
      "--transport paper needs --geometry bw or euclidean, and a method of the paper: nothing else "
      "has a transport but the frame's own");
  require(s.minibatch == 0 || s.method != Method::exact,
          "--method exact takes all rows for every gradient; for --minibatch, say --method ngd");
  require(!s.estimator || s.method != Method::exact,
          "--method exact has no draws; for --estimator, say --method ngd");
  if (s.method == Method::adam || s.method == Method::forward_backward || s.method == Method::exact)
    s.require_no_fisher(name);
  if (s.method == Method::exact) return exact(target, s);
  if (s.method == Method::adam) return adam(target, s);
  if (s.method == Method::forward_backward) return forward_backward(target, s);
  const Index d = target.dimension();
  const auto by_default =
      s.method == Method::ifngd ? GradientEstimator::bonnet_price : GradientEstimator::exact;
  return natural_gradient_from(target, s, {Vector::Zero(d), Matrix::Identity(d, d)},
                               s.estimator.value_or(by_default), s.minibatch);
}

GaussianPoint gaussian_point(const AnyFrame& frame, const RegressionSettings& s) {
  if (s.method != GaussianMethod::adam) return gaussian_point(frame);
  const Vector p = frame.point();  // n + n(n+1)/2 numbers
  const auto n = Index(std::lround((std::sqrt(9.0 + 8.0 * double(p.size())) - 3.0) / 2.0));
  const Matrix L = cholesky_factor(p, n);
  return {p.head(n), L * L.transpose()};
}

RegressionFit fit_regression(const RegressionTarget& target, const RegressionSettings& s,
                             const Drive& drive) {
  const double rows = target.in_memory() ? double(target.part().count) : 0.0;
  require_gaussian_memory(s, target.dimension(),
                          2.0 * rows * double(target.features()) * sizeof(double));
  ErasedRun run = make_run(target, s);
  FitSummary end = drive(run);
  return {std::move(end), gaussian_point(run.state.estimate(), s)};
}

RegressionOptimum exact_optimum(const RegressionTarget& target, double tolerance) {
  RegressionSettings s;
  s.tolerance = tolerance;
  ErasedRun run = exact(target, s);
  const FitSummary end = PlainDriver().drive(run);
  if (end.status != Status::converged)
    throw NotFinite(
        sentence("the exact solver did not converge in ", end.iterations, " iterations"));
  GaussianPoint q = gaussian_point(run.state.frame);
  return {std::move(q.mean), std::move(q.covariance), end.objective, end.iterations};
}

}  // namespace fisherman
