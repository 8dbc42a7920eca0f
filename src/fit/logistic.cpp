#include "fisherman/fit/logistic.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "column_scale.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/model/cholesky_vb.hpp"
#include "fisherman/model/forward_backward.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "gaussian_run.hpp"
#include "sigmoid.hpp"

namespace fisherman {

namespace {

Words<GaussianMethod> method_words() {
  using Method = GaussianMethod;
  return {{Method::ngd, "ngd", "natural gradient, the Fisher matrix in closed form"},
          {Method::ifngd, "ifngd",
           "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
          {Method::gd, "gd", "gradient descent on the manifold"},
          {Method::exact, "exact", "a deterministic solver, for reference"},
          {Method::adam, "adam", "for comparison: Adam on mean and Cholesky factor, as ADVI does"},
          {Method::forward_backward, "fb-gvi",
           "for comparison: forward-backward Gaussian VI (Diao et al. 2023)"},
          {Method::lin, "lin", "for comparison: the positive-definite rule of Lin et al. (2020)"}};
}

}  // namespace

void LogisticSettings::describe(Options& o) {
  using Rule = Options::Rule;
  using Estimator = GradientEstimator;
  describe_geometry(
      o, method_words(),
      {{std::nullopt, "auto", "exact for ngd, gd and lin, bonnet-price for ifngd"},
       {Estimator::exact, "exact", "no draws: by quadrature"},
       {Estimator::bonnet_price, "bonnet-price", "mean gradient and mean Hessian of draws"},
       {Estimator::reparameterised, "reparameterised", "gradients of draws"},
       {Estimator::sticking_the_landing, "stl",
        "sticking the landing: gradients of draws, without noise where the fit is perfect"},
       {Estimator::score_function, "score",
        "values of draws alone, with a leave-one-out baseline"}});
  o.add("prior-variance", prior_variance, "prior variance of each coefficient except the intercept",
        Rule::positive);
  o.add("minibatch", minibatch,
        "number of rows per gradient, drawn anew each time (0: all rows); if the number of "
        "iterations is 0, exact gradients take a tenth more rows per iteration until they take "
        "all");
  o.add("intercept", intercept, "an intercept besides the columns of the data");
  o.add("intercept-variance", intercept_variance,
        "prior variance of the intercept, which is the log odds where all standardised columns are "
        "0",
        Rule::positive);
  o.add("no-standardize", no_standardize, "use the columns as they are, without standardising");
  describe_run(
      o, {.iterations = sentence("until converged, at most ", most_gaussian,
                                 ", for adam and fb-gvi always that many"),
          .batch = "number of draws per gradient",
          .scores = "score vectors per iteration (0: reuse the draws of the gradient)",
          .epsilon = gaussian_epsilon_help,
          .step_size = sentence(gaussian_step_size, ", for adam ", adam_step_size,
                                ", for fb-gvi the largest that its theory allows"),
          .average = "on where the gradients have noise, but off for adam and fb-gvi",
          .tolerance = sentence(
              "nats still to be gained below which the run has converged (0: ", noisy_tolerance,
              ", or ", noiseless_tolerance,
              " where the gradients have no noise); adam and fb-gvi do not use it"),
          .evaluations =
              sentence("0: only at the end, unless the method accepts steps by the objective; "
                       "-1: every iteration, with a minibatch once per pass over the data, and "
                       "at least every ",
                       most_between, " iterations while the minibatch grows"),
          .evaluates_by_itself = true});
}

Vector prior_variances(const LogisticSettings& settings, Index columns) {
  Vector out = Vector::Constant(columns + (settings.intercept ? 1 : 0), settings.prior_variance);
  if (settings.intercept) out(columns) = settings.intercept_variance;
  return out;
}

Preparation Preparation::of(const Matrix& x, std::vector<std::string> names,
                            const LogisticSettings& settings) {
  Preparation p;
  p.names = std::move(names);
  p.intercept = settings.intercept;
  p.shift = Vector::Zero(x.cols());
  p.scale = Vector::Ones(x.cols());
  for (Index j = 0; j < x.cols() && !settings.no_standardize; ++j) {
    const ColumnScale column = column_scale(x.col(j), p.names[std::size_t(j)]);
    p.shift(j) = column.mean;
    if (!column.constant()) {
      p.scale(j) = column.sd;
    } else {
      p.warnings.push_back(
          "column '" + p.names[std::size_t(j)] +
          "' is constant: standardised it is zero, and its coefficient stays at the prior");
    }
  }
  if (p.intercept) p.names.emplace_back("(intercept)");
  return p;
}

Matrix Preparation::design(Matrix x) const {
  require(x.cols() == shift.size(), "the data have ", x.cols(),
          " columns, but the fit was made with ", shift.size());
  x.rowwise() -= shift.transpose();
  x.array().rowwise() /= scale.transpose().array();
  if (intercept) {
    x.conservativeResize(Eigen::NoChange, x.cols() + 1);
    x.rightCols(1).setOnes();
  }
  return x;
}

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

}  // namespace

ErasedRun make_run(const LogisticTarget& target, const LogisticSettings& s) {
  using Method = GaussianMethod;
  require(s.method != Method::exact, "the exact solver makes no run");
  const bool grid = s.method == Method::gd || s.method == Method::ngd || s.method == Method::ifngd;
  require(grid || s.geometry == LogisticSettings().geometry, "--method ",
          name_of(s.method, method_words()), " has a geometry of its own: leave --geometry out");
  require(
      s.transport == Carry::frame || (grid && s.geometry != Geometry::affine),
      "--transport paper needs --geometry bw or euclidean, and a method of the paper: nothing else "
      "has a transport but the frame's own");
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
  if (s.method != GaussianMethod::exact) {
    ErasedRun run = make_run(target, s);
    FitSummary end = drive(run);
    return {std::move(end), gaussian_point(run.state.estimate(), s)};
  }
  const auto began = std::chrono::steady_clock::now();
  const LogisticOptimum best = exact_optimum(target);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  return {{.sentence = std::string(describe(Status::converged)),
           .objective = best.nelbo,
           .iterations = best.iterations,
           .seconds = passed.count()},
          {best.mean, best.covariance}};
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
