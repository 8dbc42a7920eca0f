#include "fisherman/app/logistic.hpp"

#include <Eigen/Cholesky>
#include <chrono>
#include <cmath>
#include <numbers>

#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/cholesky_vb.hpp"
#include "fisherman/model/forward_backward.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {

void LogisticSettings::describe(Options& o) {
  using Rule = Options::Rule;
  o.add("geometry", geometry, "how distances between Gaussians are measured",
        {{"affine", "Fisher-Rao's: the Fisher matrix is the identity everywhere"},
         {"bw", "Bures-Wasserstein: optimal transport, as in the paper"},
         {"euclidean", "entry by entry, as in the paper"}});
  o.add("method", method, "how the posterior is found",
        {{"ngd", "natural gradient, the Fisher matrix in closed form"},
         {"ifngd", "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
         {"gd", "gradient descent on the manifold"},
         {"exact", "a deterministic solver, for reference"},
         {"adam", "for comparison: Adam on mean and Cholesky factor, as ADVI does"},
         {"fb-gvi", "for comparison: forward-backward Gaussian VI (Diao et al. 2023)"},
         {"lin", "for comparison: the positive-definite rule of Lin et al. (2020)"}});
  o.add(
      "transport", transport, "how the Fisher estimate is carried along",
      {{"frame", "by the moving frame, at no cost"}, {"paper", "by the paper's vector transport"}});
  o.add("estimator", estimator, "of the gradient",
        {{"auto", "exact for ngd, gd and lin, bonnet-price for ifngd"},
         {"exact", "no draws: by quadrature"},
         {"bonnet-price", "mean gradient and mean Hessian of draws"},
         {"reparameterised", "gradients of draws"},
         {"stl", "sticking the landing: the same, without noise where the fit is perfect"},
         {"score", "values of draws alone, with a leave-one-out baseline"}});
  o.add("prior-variance", prior_variance, "of each coefficient", Rule::positive);
  o.add("minibatch", minibatch, "rows of the data for each gradient, drawn anew; 0: all");
  o.add("intercept", intercept, "add a constant column");
  o.add("no-standardize", no_standardize, "take the columns as they are");
  describe_run(o, {.batch = "draws for each gradient",
                   .scores = "score vectors an iteration; 0: the draws of the gradient serve",
                   .tolerance = "converged when less than so many nats are to be gained"});
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
  if (s.method == "ngd" || s.method == "lin") return Exact(d);
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

constexpr std::int64_t at_most = 2000;  // iterations, if the number is left to us

ErasedRun made(ErasedState state, AnyModel model, const StepRule& rule, const LogisticSettings& s) {
  ErasedRun run{
      std::move(state), std::move(model), {}, after_iterations(s.iterations), s.iterations};
  run.options.rule = rule;
  run.options.carry = s.transport == "paper" ? Carry::paper : Carry::frame;
  run.options.evaluate_every = s.eval_every;
  if (s.iterations == 0) {
    run.planned = at_most;
    run.stop = after_iterations(at_most);
  }
  return run;
}

template <Frame F>
ErasedRun natural_gradient(const LogisticTarget& target, const LogisticSettings& s,
                           const F& start) {
  const GradientEstimator estimator = estimator_named(s);
  const bool noisy = estimator != GradientEstimator::exact || s.minibatch > 0;
  const GaussianVb<LogisticTarget> model(target, {.draws = s.batch,
                                                  .scores = s.scores > 0 ? s.scores : s.batch,
                                                  .estimator = estimator,
                                                  .reuse_draws = s.scores == 0,
                                                  .minibatch = s.minibatch});
  const bool averaging = s.average == "on" || (s.average == "auto" && noisy);
  const StepRule rule = s.rule({.step_size = 0.5,
                                .decay = noisy ? 0.75 : 0.0,
                                .kl_radius = s.method == "lin" ? 0.0 : 1.0,
                                .guard = s.method != "lin"});
  ErasedRun run = made({start, fisher_for(s, start, model), std::uint64_t(s.seed),
                        Average({.on = averaging, .start = 50, .power = 1.0})},
                       AnyModel::of<F>(model), rule, s);
  if (!noisy) run.options.smoothing = 0.0;
  run.options.descend = !noisy && !averaging && rule.guard;
  if (s.iterations > 0) return run;
  if (!noisy) {
    run.stop = when_predicted_below(s.tolerance > 0.0 ? s.tolerance : 0.001) || run.stop;
  } else {
    // The iterates still scatter when the mean gradient has vanished: give the average its time.
    const Stop there = when_predicted_below(s.tolerance > 0.0 ? s.tolerance : 0.01);
    run.stop = (after_iterations(200) && there) || run.stop;
  }
  return run;
}

ErasedRun adam(const LogisticTarget& target, const LogisticSettings& s) {
  const Index d = target.dimension();
  using Cholesky = CholeskyVb<LogisticTarget>;
  const Euclidean start = Cholesky::start(Vector::Zero(d), Matrix::Identity(d, d));
  return made(
      {start, Adam(start.dimension()), std::uint64_t(s.seed), Average({.on = s.average == "on"})},
      AnyModel::of<Euclidean>(Cholesky(target, {.draws = s.batch, .minibatch = s.minibatch})),
      s.rule({.step_size = 0.01, .decay = 0.0, .kl_radius = 0.0}), s);
}

ErasedRun forward_backward(const LogisticTarget& target, const LogisticSettings& s) {
  const Index d = target.dimension();
  // V is β-smooth with β = ¼λ(XᵀX) + 1/σ², and its authors' theory asks for η ≤ 1/β.
  const Matrix gram = target.design().transpose() * target.design();
  const double beta = 0.25 * spectrum(gram).values.maxCoeff() + 1.0 / target.prior_variance();
  const auto start = gaussian_bures_wasserstein(Vector::Zero(d), Matrix::Identity(d, d));
  return made({start, Identity(start.dimension()), std::uint64_t(s.seed),
               Average({.on = s.average == "on"})},
              AnyModel::of<GaussianBuresWasserstein>(ForwardBackward<LogisticTarget>(
                  target, {.step = s.step_size > 0.0 ? s.step_size : 1.0 / beta,
                           .draws = s.batch,
                           .minibatch = s.minibatch})),
              {.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0, .guard = false}, s);
}

}  // namespace

ErasedRun make_run(const LogisticTarget& target, const LogisticSettings& s) {
  require(s.method != "exact", "the exact solver makes no run");
  const bool grid = s.method == "gd" || s.method == "ngd" || s.method == "ifngd";
  require(grid || s.geometry == LogisticSettings().geometry, "--method ", s.method,
          " has a geometry of its own: leave --geometry out");
  require(
      s.transport != "paper" || (grid && s.geometry != "affine"),
      "--transport paper needs --geometry bw or euclidean, and a method of the paper: nothing else "
      "has a transport but the frame's own");
  if (s.method == "adam") return adam(target, s);
  if (s.method == "fb-gvi") return forward_backward(target, s);
  const Index d = target.dimension();
  const Vector mean = Vector::Zero(d);
  const Matrix I = Matrix::Identity(d, d);
  if (s.method == "lin")
    return natural_gradient(target, s, gaussian_affine(mean, I, SpdRetraction::precision));
  if (s.geometry == "bw") return natural_gradient(target, s, gaussian_bures_wasserstein(mean, I));
  if (s.geometry == "euclidean") return natural_gradient(target, s, gaussian_euclidean(mean, I));
  return natural_gradient(target, s, gaussian_affine(mean, I));
}

GaussianPoint gaussian_point(const AnyFrame& frame, const LogisticSettings& s) {
  const Vector p = frame.point();
  const bool factor = s.method == "adam";  // n + n(n+1)/2 numbers; otherwise n + n²
  const double c = factor ? 3.0 : 1.0, k = factor ? 8.0 : 4.0;
  const auto n = Index(std::lround((std::sqrt(c * c + k * double(p.size())) - c) / 2.0));
  if (!factor) return {p.head(n), as_matrix(p.data() + n, n, n)};
  const Matrix L = cholesky_factor(p, n);
  return {p.head(n), L * L.transpose()};
}

LogisticFit fit_logistic(const LogisticTarget& target, const LogisticSettings& s,
                         const Drive& drive) {
  if (s.method != "exact") {
    ErasedRun run = make_run(target, s);
    Ended end = drive(run);
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
