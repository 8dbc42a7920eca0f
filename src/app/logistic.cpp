#include "fisherman/app/logistic.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {

void LogisticSettings::describe(Options& o) {
  using Rule = Options::Rule;
  o.add("geometry", geometry, "how distances between Gaussians are measured",
        {"affine", "bw", "euclidean"});
  o.add("method", method,
        "exact: deterministic solver; ngd: exact Fisher matrix; ifngd: inversion-free; gd: none",
        {"ngd", "ifngd", "gd", "exact"});
  o.add("transport", transport, "how the Fisher estimate is carried along", {"frame", "paper"});
  o.add("estimator", estimator, "of the gradient; auto: exact, and bonnet-price for ifngd",
        {"auto", "exact", "bonnet-price", "reparameterised", "stl", "score"});
  o.add("prior-variance", prior_variance, "of each coefficient", Rule::positive);
  o.add("intercept", intercept, "add a constant column");
  o.add("no-standardize", no_standardize, "take the columns as they are");
  o.add("iterations", iterations, "do just so many; 0: until converged, 2000 at the most");
  o.add("batch", batch, "draws for each gradient", Rule::positive);
  o.add("scores", scores, "score vectors an iteration; 0: the draws of the gradient serve");
  o.add("epsilon", epsilon, "the Fisher estimate starts at epsilon I; 0: the mean squared score",
        Rule::not_negative);
  o.add("step-size", step_size, "the first step; 0: by method", Rule::not_negative);
  o.add("delay", delay, "iterations before steps begin to shrink", Rule::positive);
  o.add("decay", decay, "steps shrink like (delay/(delay+s))^decay; -1: by method");
  o.add("kl-radius", kl_radius, "nats that a step may move the posterior; 0: no limit",
        Rule::not_negative);
  o.add("norm-cap", norm_cap, "length of a step; 0: no limit", Rule::not_negative);
  o.add("no-guard", no_guard, "let steps leave the region where the geometry can be trusted");
  o.add("average", average, "average the iterates; auto: for ifngd", {"auto", "on", "off"});
  o.add("tolerance", tolerance, "converged when less than so many nats are to be gained",
        Rule::positive);
  o.add("eval-every", eval_every, "iterations between evaluations of the objective; 0: never");
  o.add("seed", seed, "of all random numbers");
  o.add("threads", threads, "0: all cores");
}

Preparation Preparation::of(const Matrix& x, std::vector<std::string> names,
                            const LogisticSettings& settings) {
  Preparation p;
  p.names = std::move(names);
  p.intercept = settings.intercept;
  p.shift = Vector::Zero(x.cols());
  p.scale = Vector::Ones(x.cols());
  for (Index j = 0; j < x.cols() && !settings.no_standardize; ++j) {
    p.shift(j) = x.col(j).mean();
    const double variance = (x.col(j).array() - p.shift(j)).square().mean();
    const double rounding = 1e-14 * x.col(j).cwiseAbs().maxCoeff();
    if (std::sqrt(variance) > rounding) {
      p.scale(j) = std::sqrt(variance);
    } else {
      p.warnings.push_back(
          "column '" + p.names[std::size_t(j)] +
          "' is constant: standardised it is zero, and its coefficient stays at the prior");
    }
  }
  if (p.intercept) p.names.emplace_back("(intercept)");
  return p;
}

Matrix Preparation::design(const Matrix& x) const {
  require(x.cols() == shift.size(), "the data have ", x.cols(),
          " columns, but the fit was made with ", shift.size());
  Matrix out(x.rows(), x.cols() + (intercept ? 1 : 0));
  out.leftCols(x.cols()) =
      (x.rowwise() - shift.transpose()).array().rowwise() / scale.transpose().array();
  if (intercept) out.rightCols(1).setOnes();
  return out;
}

namespace {

GradientEstimator estimator_named(const LogisticSettings& s) {
  if (s.estimator == "auto")
    return s.method == "ifngd" ? GradientEstimator::bonnet_price : GradientEstimator::exact;
  if (s.estimator == "bonnet-price") return GradientEstimator::bonnet_price;
  if (s.estimator == "reparameterised") return GradientEstimator::reparameterised;
  if (s.estimator == "stl") return GradientEstimator::sticking_the_landing;
  if (s.estimator == "score") return GradientEstimator::score_function;
  return GradientEstimator::exact;
}

/// Mean and covariance never mix in the Fisher matrix of a Gaussian: one block each.
template <Frame F, class M>
AnyFisher fisher_for(const LogisticSettings& s, const F& frame, const M& model) {
  const Index d = frame.dimension(), n = frame.order();
  if (s.method == "gd") return Identity(d);
  if (s.method == "ngd") return Exact(d);
  double mean_epsilon = s.epsilon, covariance_epsilon = s.epsilon;
  if (s.epsilon == 0.0) {
    // ε fades like ε/n, and a direction that no score has seen is amplified by n/ε. With ε the mean
    // squared norm of a score, that is no more than 1 until there are scores for every direction.
    const Matrix scores = model.scores(frame, Draws(std::uint64_t(s.seed), 0));
    mean_epsilon = scores.topRows(n).squaredNorm() / double(scores.cols());
    covariance_epsilon = scores.bottomRows(d - n).squaredNorm() / double(scores.cols());
  }
  return BlockDiagonal<Dense>(
      {Dense(n, {.epsilon = mean_epsilon}), Dense(d - n, {.epsilon = covariance_epsilon})});
}

template <Frame F>
LogisticRun made(const LogisticTarget& target, const LogisticSettings& s, const F& start) {
  const GradientEstimator estimator = estimator_named(s);
  const bool exact = estimator == GradientEstimator::exact, learning = s.method == "ifngd";
  const GaussianVb<LogisticTarget> model(target, {.draws = s.batch,
                                                  .scores = s.scores > 0 ? s.scores : s.batch,
                                                  .estimator = estimator,
                                                  .reuse_draws = s.scores == 0});
  const bool averaging = s.average == "on" || (s.average == "auto" && learning);
  const Average average({.on = averaging, .start = 50, .power = 1.0});
  LogisticRun run{{start, fisher_for(s, start, model), std::uint64_t(s.seed), average},
                  AnyModel::of<F>(model),
                  {},
                  after_iterations(s.iterations),
                  s.iterations};
  run.options.rule = {.step_size = s.step_size > 0.0 ? s.step_size : 0.5,
                      .delay = s.delay,
                      .decay = s.decay >= 0.0 ? s.decay : (exact ? 0.0 : 0.75),
                      .kl_radius = s.kl_radius,
                      .norm_cap = s.norm_cap,
                      .guard = !s.no_guard};
  run.options.carry = s.transport == "paper" ? Carry::paper : Carry::frame;
  run.options.evaluate_every = s.eval_every;
  if (exact) run.options.smoothing = 0.0;
  if (s.iterations == 0) {
    run.planned = 2000;
    run.stop = when_predicted_below(s.tolerance) || after_iterations(run.planned);
  }
  return run;
}

}  // namespace

LogisticRun make_run(const LogisticTarget& target, const LogisticSettings& s) {
  require(s.method != "exact", "the exact solver makes no run");
  require(s.transport != "paper" || s.geometry != "affine",
          "--transport paper needs --geometry bw or euclidean: the affine geometry has no "
          "transport but "
          "the frame's own");
  const Index d = target.dimension();
  const Vector mean = Vector::Zero(d);
  const Matrix I = Matrix::Identity(d, d);
  if (s.geometry == "bw") return made(target, s, gaussian_bures_wasserstein(mean, I));
  if (s.geometry == "euclidean") return made(target, s, gaussian_euclidean(mean, I));
  return made(target, s, gaussian_affine(mean, I));
}

GaussianPoint gaussian_point(const AnyFrame& frame) {
  const Vector p = frame.point();
  const auto n = Index(std::lround(0.5 * (std::sqrt(1.0 + 4.0 * double(p.size())) - 1.0)));
  return {p.head(n), as_matrix(p.data() + n, n, n)};
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
  const double constant = 0.5 * double(q.mean.size()) * std::log(2.0 * std::numbers::pi) +
                          L.diagonal().array().log().sum();
  return (-0.5 * z.colwise().squaredNorm().transpose()).array() - constant;
}

double posterior_khat(const LogisticTarget& target, const GaussianPoint& q, std::uint64_t seed) {
  const Index d = q.mean.size(), count = 4000;
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  const Matrix z = Draws(seed, ~std::uint64_t(0)).normals(1, d, count);
  const Matrix betas = (L * z).colwise() + q.mean;
  Matrix slopes(d, count);
  // Constants do not matter to the shape of the ratios.
  return pareto_k(target.log_density(betas, slopes) + 0.5 * z.colwise().squaredNorm().transpose());
}

Matrix predictive(const Matrix& design, const GaussianPoint& q) {
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const Vector m = design * q.mean;
  const Matrix DS = design * q.covariance;
  Matrix out(design.rows(), 4);
  for (Index i = 0; i < design.rows(); ++i) {
    const double sd = std::sqrt(std::max(0.0, DS.row(i).dot(design.row(i))));
    // E σ and E σ² by the trapezoidal rule; the spacing follows the width, as in logistic_quadrature.
    double mean = 0.0, square = 0.0, total = 0.0;
    const double step = std::min(0.25, 0.5 / std::max(sd, 1e-3));
    for (double z = -8.0; z <= 8.0; z += step) {
      const double w = std::exp(-0.5 * z * z), p = sigmoid(m(i) + sd * z);
      mean += w * p;
      square += w * p * p;
      total += w;
    }
    mean /= total;
    constexpr double five_percent = 1.6448536269514722;
    out.row(i) << mean, std::sqrt(std::max(0.0, square / total - mean * mean)),
        sigmoid(m(i) - five_percent * sd), sigmoid(m(i) + five_percent * sd);
  }
  return out;
}

}  // namespace fisherman
