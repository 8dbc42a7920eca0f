#include "fisherman/fit/logistic.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "../gaussian_run.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/cholesky_vb.hpp"
#include "fisherman/model/forward_backward.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "sigmoid.hpp"

namespace fisherman {

namespace {

ErasedRun adam(const LogisticTarget& target, const LogisticSettings& s) {
  const Index d = target.dimension();
  using Cholesky = CholeskyVb<LogisticTarget>;
  const Euclidean start = Cholesky::start(Vector::Zero(d), Matrix::Identity(d, d));
  return made_run(
      {start, Adam(start.dimension()), std::uint64_t(s.seed),
       Average({.on = is_on(s.average, false)})},
      AnyModel::of<Euclidean>(Cholesky(target, {.draws = s.batch, .minibatch = s.minibatch})),
      s.rule({.step_size = adam_step_size, .decay = 0.0, .kl_radius = 0.0}), s,
      batches(target.rows(), s.minibatch));
}

ErasedRun forward_backward(const LogisticTarget& target, const LogisticSettings& s) {
  const Index d = target.dimension();
  // V is β-smooth with β = ¼λ(XᵀX) + 1/σ², and its authors' theory asks for η ≤ 1/β.
  const Matrix gram = target.design().transpose() * target.design();
  const double beta =
      0.25 * spectrum(gram).values.maxCoeff() + 1.0 / target.prior_variances().minCoeff();
  const auto start = gaussian_bures_wasserstein(Vector::Zero(d), Matrix::Identity(d, d));
  return made_run({start, Identity(start.dimension()), std::uint64_t(s.seed),
                   Average({.on = is_on(s.average, false)})},
                  AnyModel::of<GaussianBuresWasserstein>(ForwardBackward<LogisticTarget>(
                      target, {.step = s.step_size > 0.0 ? s.step_size : 1.0 / beta,
                               .draws = s.batch,
                               .minibatch = s.minibatch})),
                  {.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0, .guard = false}, s,
                  batches(target.rows(), s.minibatch));
}

/// L-BFGS in the affine frame, where the Fisher matrix is the identity. The plain gradient is the natural one there, which
/// would converge by itself, but slowly where posteriors are wide; the pairs supply what curvature differs from Fisher's.
ErasedRun exact(const LogisticTarget& target, const LogisticSettings& s) {
  const Index d = target.dimension();
  // σ(1−σ) ≤ ¼, so no posterior is narrower than this.
  Matrix precision = 0.25 * target.design().transpose() * target.design();
  precision.diagonal() += target.prior_variances().cwiseInverse();
  const GaussianAffine start =
      gaussian_affine(Vector::Zero(d), Eigen::LLT<Matrix>(precision).solve(Matrix::Identity(d, d)));
  const GaussianVb<LogisticTarget> model(target, {.estimator = GradientEstimator::exact});
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

ErasedRun make_run(const LogisticTarget& target, const LogisticSettings& s) {
  using Method = GaussianMethod;
  const bool grid = s.method == Method::gd || s.method == Method::ngd || s.method == Method::ifngd;
  require(grid || s.geometry == LogisticSettings().geometry, "--method ",
          name_of(s.method, LogisticSettings::methods()),
          " has a geometry of its own: leave --geometry out");
  require(
      s.transport == Carry::frame || (grid && s.geometry != Geometry::affine),
      "--transport paper needs --geometry bw or euclidean, and a method of the paper: nothing else "
      "has a transport but the frame's own");
  if (s.method == Method::adam || s.method == Method::forward_backward || s.method == Method::exact)
    s.require_no_fisher(name_of(s.method, LogisticSettings::methods()));
  if (s.method == Method::exact) return exact(target, s);
  if (s.method == Method::adam) return adam(target, s);
  if (s.method == Method::forward_backward) return forward_backward(target, s);
  const Index d = target.dimension();
  const auto by_default =
      s.method == Method::ifngd ? GradientEstimator::bonnet_price : GradientEstimator::exact;
  return natural_gradient_from(target, s, {Vector::Zero(d), Matrix::Identity(d, d)},
                               s.estimator.value_or(by_default), s.minibatch);
}

GaussianPoint gaussian_point(const AnyFrame& frame, const LogisticSettings& s) {
  if (s.method != GaussianMethod::adam) return gaussian_point(frame);
  const Vector p = frame.point();  // n + n(n+1)/2 numbers
  const auto n = Index(std::lround((std::sqrt(9.0 + 8.0 * double(p.size())) - 3.0) / 2.0));
  const Matrix L = cholesky_factor(p, n);
  return {p.head(n), L * L.transpose()};
}

LogisticFit fit_logistic(const LogisticTarget& target, const LogisticSettings& s,
                         const Drive& drive) {
  require_gaussian_memory(s, target.dimension(),
                          2.0 * double(target.design().size()) * sizeof(double));
  ErasedRun run = make_run(target, s);
  FitSummary end = drive(run);
  return {std::move(end), gaussian_point(run.state.estimate(), s)};
}

LogisticOptimum exact_optimum(const LogisticTarget& target, double tolerance) {
  LogisticSettings s;
  s.method = GaussianMethod::exact;
  s.tolerance = tolerance;
  ErasedRun run = exact(target, s);
  const FitSummary end = PlainDriver().drive(run);
  if (end.status != Status::converged)
    throw NotFinite(
        sentence("the exact solver did not converge in ", end.iterations, " iterations"));
  GaussianPoint q = gaussian_point(run.state.frame);
  return {std::move(q.mean), std::move(q.covariance), end.objective, end.iterations};
}

Matrix predictive(const Matrix& design, const GaussianPoint& q) {
  constexpr Index block = 512;
  // Beyond this only mean/deviation matters, so a longer row is shortened: nothing overflows.
  constexpr double longest = 1e100;
  Matrix out(design.rows(), 4);
  parallel_for(std::size_t((design.rows() + block - 1) / block), [&](std::size_t task) {
    const Index first = Index(task) * block, count = std::min(block, design.rows() - first);
    Matrix x = design.middleRows(first, count);
    Vector length(count);
    for (Index i = 0; i < count; ++i) {
      const double largest = x.row(i).cwiseAbs().maxCoeff();
      require(x.row(i).allFinite(), "row ", first + i + 1,
              " holds a NaN, an infinity or a number too large to be standardised: there is no "
              "prediction for it");
      length(i) = std::min(std::max(largest, 1.0), longest);
      if (largest > 1.0) x.row(i) /= largest;
    }
    const Vector m = length.cwiseProduct(x * q.mean);
    const Matrix xs = x * q.covariance;
    for (Index i = 0; i < count; ++i) {
      const double sd = length(i) * std::sqrt(std::max(0.0, xs.row(i).dot(x.row(i))));
      const ProbabilityMoments p = probability_moments(m(i), sd);
      out.row(first + i) << p.mean, p.deviation, sigmoid(m(i) - ninety_percent * sd),
          sigmoid(m(i) + ninety_percent * sd);
    }
  });
  return out;
}

}  // namespace fisherman
