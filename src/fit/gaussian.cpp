#include "fisherman/fit/gaussian.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "fisherman/core/memory.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/model/regression.hpp"
#include "fisherman/solve/gaussian_start.hpp"
#include "gaussian_run.hpp"

namespace fisherman {

void GaussianSettings::describe_geometry(
    Options& o, const Words<GaussianMethod>& methods,
    const Words<std::optional<GradientEstimator>>& estimators) {
  o.add(
      "geometry", geometry, "how distances between Gaussians are measured",
      {{Geometry::affine, "affine", "Fisher-Rao: the Fisher matrix is the identity everywhere"},
       {Geometry::bures_wasserstein, "bw", "Bures-Wasserstein: optimal transport, as in the paper"},
       {Geometry::euclidean, "euclidean", "entry by entry, as in the paper"}});
  o.add("method", method, "how the posterior is found", methods);
  o.add("transport", transport, "how the Fisher estimate is carried along", carry_words());
  o.add("estimator", estimator, "estimator of the gradient", estimators);
}

RunSettings::Help DensitySettings::density_help() {
  return {.iterations = sentence("until converged, at most ", most_gaussian),
          .batch = "number of draws per gradient (not for newton)",
          .scores = "score vectors per iteration (0: reuse the draws of the gradient)",
          .epsilon = gaussian_epsilon_help,
          .step_size = sentence(gaussian_step_size),
          .average = "on",
          .tolerance =
              sentence("nats still to be gained below which the run has converged (0: ",
                       NewtonOptions{}.tolerance, " for newton, otherwise ", noisy_tolerance, ")"),
          .fisher = gaussian_fisher_help};
}

void DensitySettings::describe_density(Options& o, const Help& help) {
  using Method = GaussianMethod;
  using Estimator = GradientEstimator;
  describe_geometry(
      o,
      {{Method::newton, "newton",
        "Newton's steps from blocks of gradients with hardly any noise: by far the fewest "
        "gradients"},
       {Method::ngd, "ngd", "natural gradient, the Fisher matrix in closed form"},
       {Method::ifngd, "ifngd",
        "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
       {Method::gd, "gd", "gradient descent on the manifold"}},
      {{std::nullopt, "auto", "stl"},
       {Estimator::reparameterised, "reparameterised", "gradients of draws"},
       {Estimator::sticking_the_landing, "stl",
        "sticking the landing: gradients of draws, without noise where the fit is perfect"},
       {Estimator::score_function, "score",
        "values of draws alone, with a leave-one-out baseline"}});
  o.add("starts", starts,
        "number of points that newton begins at: the first leads to a Gaussian, and the others may "
        "lead to a better one elsewhere",
        Options::Rule::positive);
  describe_run(o, help);
}

void require_gaussian_memory(const GaussianSettings& s, Index dimension, double data) {
  // Matrices of the covariance's size at the peak, and the draws of the Pareto k with their copies. One fit was measured:
  // exact, 60 rows and 1,500 columns, 803 MB. The 16 of the other methods is a guess on the safe side.
  const double matrices = s.method == GaussianMethod::exact ? 36.0 : 16.0, draws = 4.0 * 4000.0;
  const double d = double(dimension), number = sizeof(double);
  const Index of_covariance = dimension * (dimension + 1) / 2;
  const double learnt =
      fisher_memory(s.fisher_or(s.learns_fisher() ? FisherChoice::blocks : FisherChoice::exact),
                    {.blocks = {{dimension}, {of_covariance}},
                     .scores = s.scores > 0 ? s.scores : s.batch,
                     .window = usual_window(dimension + of_covariance)});
  require_memory("the fit",
                 {{"data", data},
                  {"covariance", matrices * d * d * number},
                  {"Fisher estimate", learnt},
                  {"draws", draws * d * number}},
                 learnt > 0.0 ? "--fisher exact needs no estimate, and fewer columns take less"
                              : "the covariance grows with the square of the number of columns, so "
                                "fewer of them take less");
}

namespace {

ErasedRun newton_run(const FunctionTarget& target, const DensitySettings& s,
                     const GaussianPoint& start, bool given) {
  require(s.geometry == Geometry::affine, "--method newton needs --geometry affine");
  require(!s.estimator, "--estimator is for other methods than newton");
  s.require_no_fisher("newton");
  const GaussianAffine frame =
      gaussian_affine(start.mean, start.covariance, SpdRetraction::exponential);
  const std::int64_t most = s.iterations > 0 ? s.iterations : most_gaussian;
  ErasedRun run{{frame, make_fisher(FisherChoice::identity, {.blocks = {{frame.dimension()}}}),
                 std::uint64_t(s.seed), Average({.on = true, .start = 0, .power = 1.0})},
                AnyModel::of<GaussianAffine>(GaussianSearch(target)),
                {},
                after_iterations(most),
                most};
  run.newton = NewtonOptions{.starts = s.starts};
  if (s.tolerance > 0.0) run.newton->tolerance = s.tolerance;
  if (given) {
    run.state.newton.phase = NewtonState::steps;
    run.state.newton.soundings = 1;  // the first is at the start
  } else {
    require_a_start(target, std::uint64_t(s.seed), s.starts);
  }
  return run;
}

}  // namespace

ErasedRun make_run(const FunctionTarget& target, const DensitySettings& s,
                   const std::optional<GaussianPoint>& from) {
  const Index d = target.dimension();
  const GaussianPoint start = from ? *from : GaussianPoint{Vector::Zero(d), Matrix::Identity(d, d)};
  require_gaussian_memory(s, d, 0.0);
  if (s.method == GaussianMethod::newton) return newton_run(target, s, start, from.has_value());
  require(s.transport != Carry::paper || s.geometry != Geometry::affine,
          "--transport paper needs --geometry bw or euclidean");
  return natural_gradient_from(target, s, start,
                               s.estimator.value_or(GradientEstimator::sticking_the_landing), 0);
}

GaussianPoint gaussian_point(const AnyFrame& frame) {
  const Vector p = frame.point();  // n + n² numbers
  const auto n = Index(std::lround((std::sqrt(1.0 + 4.0 * double(p.size())) - 1.0) / 2.0));
  return {p.head(n), as_matrix(p.data() + n, n, n)};
}

namespace {

/// Draws of q and the standard normals behind them, one per column.
struct NormalDraws {
  Matrix z, betas;
};
NormalDraws normal_draws(const GaussianPoint& q, Index count, std::uint64_t seed) {
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  NormalDraws out;
  out.z = Draws(seed, ~std::uint64_t(0)).normals(1, q.mean.size(), count);
  out.betas = (L * out.z).colwise() + q.mean;
  return out;
}

/// log p − log q at draws of q, without q's constant.
template <Target T>
Vector log_ratios(const T& target, const GaussianPoint& q, std::uint64_t seed) {
  const NormalDraws drawn = normal_draws(q, draws_for_khat(target), seed);
  return log_densities(target, drawn.betas) + 0.5 * drawn.z.colwise().squaredNorm().transpose();
}

/// The mean of points that have run away may be none: then the last of them.
GaussianPoint gaussian_estimate(const ErasedState& state) {
  try {
    return gaussian_point(state.estimate());
  } catch (const NotFinite&) {
    return gaussian_point(state.frame);
  }
}

double log_constant(const GaussianPoint& q) {
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  return 0.5 * double(q.mean.size()) * std::log(2.0 * std::numbers::pi) +
         L.diagonal().array().log().sum();
}

}  // namespace

template <Target T>
RatioCheck posterior_check(const T& target, const GaussianPoint& q, std::uint64_t seed) {
  return ratio_check(
      log_ratios(target, q, seed));  // constants do not matter to the shape of the ratios
}
template RatioCheck posterior_check(const FunctionTarget&, const GaussianPoint&, std::uint64_t);
template RatioCheck posterior_check(const RegressionTarget&, const GaussianPoint&, std::uint64_t);

void DensityFit::judge(Vector at_draws, double constant) {
  std::vector<Index> possible;
  for (Index k = 0; k < at_draws.size(); ++k)
    if (std::isfinite(at_draws(k)))
      possible.push_back(k);
    else
      at_draws(k) = -std::numeric_limits<double>::infinity();
  impossible = at_draws.size() - Index(possible.size());
  if (2 * impossible > at_draws.size()) return;
  log_ratios = std::move(at_draws);
  // Where q is the target, every ratio is the same, and the ELBO has no error at all.
  const Vector finite = log_ratios(possible);
  const double mean = finite.mean();
  end.objective = -(mean + constant);
  objective_error = std::sqrt((finite.array() - mean).square().sum()) / double(finite.size());
  ratios = ratio_check(finite);
}

GaussianFit fit_gaussian(const FunctionTarget& target, const DensitySettings& s,
                         const std::optional<GaussianPoint>& start, const Drive& drive) {
  ErasedRun run = make_run(target, s, start);
  FitSummary end = drive(run);
  GaussianFit fit{{.end = std::move(end)}, gaussian_estimate(run.state)};
  // No posterior is as wide: the density does not fall in some direction.
  if (const double most = fit.q.covariance.diagonal().maxCoeff();
      !(most < 1e150) && fit.end.status != Status::interrupted) {
    fit.end.status = Status::unbounded;
    fit.end.sentence = describe(fit.end.status);
  }
  fit.gradients = run.state.newton.gradients;
  fit.failed = run.state.newton.failed;
  std::vector<double> others;  // a search that got stuck at once has no NELBO
  for (const double other : run.state.newton.others)
    if (std::isfinite(other)) others.push_back(other);
  fit.others = Eigen::Map<const Vector>(others.data(), Index(others.size()));
  try {
    fit.judge(log_ratios(target, fit.q, std::uint64_t(s.seed)), log_constant(fit.q));
  } catch (const NotFinite&) {  // the sentence says how the run ended
  }
  // Where draws of the Gaussian do not reach what the posterior has, what a step may gain is no measure of what is left.
  if (fit.end.status == Status::converged && !fit.ratios.weights_correct()) {
    fit.end.status = Status::settled;
    fit.end.sentence = describe(fit.end.status);
  }
  return fit;
}

Matrix khat_draws(const GaussianPoint& q, Index count, std::uint64_t seed) {
  return normal_draws(q, count, seed).betas;
}

Matrix posterior_draws(const GaussianPoint& q, Index count, std::uint64_t seed) {
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  const Matrix z = Draws(seed, ~std::uint64_t(0)).normals(0, q.mean.size(), count);
  return ((L * z).colwise() + q.mean).transpose();
}

Vector log_density(const GaussianPoint& q, const Matrix& draws) {
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  const Matrix centred = draws.transpose().colwise() - q.mean;
  const Matrix z = L.triangularView<Eigen::Lower>().solve(centred);
  return (-0.5 * z.colwise().squaredNorm().transpose()).array() - log_constant(q);
}

}  // namespace fisherman
