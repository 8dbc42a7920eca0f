#include "fisherman/fit/flow.hpp"

#include <algorithm>
#include <cmath>

#include "defaults.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/model/flow_vb.hpp"
#include "fisherman/model/orthogonal_flow.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/model/sylvester_flow.hpp"

namespace fisherman {

using namespace flow_defaults;  // NOLINT: constants of this folder

namespace {

constexpr std::uint32_t for_start = 100;

/// A little to each side of 0: at 0 the units of a network cannot be told apart, and the gradient vanishes.
Vector start_mean(const FlowSettings& s, Index d) {
  return 0.1 * Draws(std::uint64_t(s.seed), ~std::uint64_t(0)).normals(for_start, d, 1);
}

OrthogonalFlow orthogonal(const FlowSettings& s, Index d) {
  return OrthogonalFlow(d, {.scaled = s.family == VariationalFamily::scaled, .free_w1 = s.free_w1});
}

SylvesterFlow sylvester(const FlowSettings& s, Index d) {
  require(!s.free_w1, "--free-w1 is for the families paper and scaled: ", name(s.family),
          " has no W1");
  if (s.family == VariationalFamily::gaussian) return SylvesterFlow(d, {.rank = 1, .layers = 0});
  require(s.rank <= d, "--rank is ", s.rank, ", but there are only ", d, " weights");
  return SylvesterFlow(d, {.rank = s.rank, .layers = s.layers});
}

bool is_orthogonal(const FlowSettings& s) {
  return s.family == VariationalFamily::scaled || s.family == VariationalFamily::paper;
}

bool is_natural(const FlowSettings& s) {
  return s.method == FlowMethod::ifngd || s.method == FlowMethod::ngd;
}

OrthogonalFlow::Frame near_zero(const OrthogonalFlow& family, const FlowSettings& s) {
  return family.start(start_mean(s, family.dimension()));
}
SylvesterFlow::Frame near_zero(const SylvesterFlow& family, const FlowSettings& s) {
  return family.start(start_mean(s, family.dimension()), 0.2, std::uint64_t(s.seed));
}

OrthogonalFlow::Frame at_gaussian(const OrthogonalFlow& family, const GaussianPoint& q,
                                  const FlowSettings&) {
  return family.start(q.mean, q.covariance);
}
SylvesterFlow::Frame at_gaussian(const SylvesterFlow& family, const GaussianPoint& q,
                                 const FlowSettings& s) {
  return family.start(q.mean, q.covariance, std::uint64_t(s.seed));
}

/// H₀ = εI. By default ε = K: a direction that no score in the window has seen counts as one of Fisher
/// information 1. (The mean squared score would be several times that, because the scores of b₂ are
/// heavy-tailed, and makes runs slower: docs/results_flow.md.)
FisherOffer offer_of(const FlowSettings& s, Index coordinates, Index weights) {
  const Index window = s.window_of(weights);
  const double epsilon = s.epsilon > 0.0 ? s.epsilon : double(window);
  return {.blocks = {{coordinates, 1, epsilon}},
          .epsilon = epsilon,
          .scores = s.scores > 0 ? s.scores : s.batch,
          .window = window,
          .window_epsilon = epsilon};
}

/// Throws Misuse if there is not the memory for it.
AnyFisher flow_fisher(FisherChoice choice, const FisherOffer& offer) {
  require_memory("the Fisher approximation", {{"its matrices", fisher_memory(choice, offer)}},
                 "--fisher window takes less");
  return make_fisher(choice, offer);
}

AnyFisher fisher_for(const FlowSettings& s, const OrthogonalFlow& family,
                     const OrthogonalFlow::Frame& frame) {
  if (s.method == FlowMethod::adam) return Adam(frame.dimension());
  FisherOffer offer = offer_of(s, frame.dimension(), family.dimension());
  offer.closed_form = true;
  offer.factors = family.score_shape();
  return flow_fisher(s.fisher_or(s.method == FlowMethod::ngd    ? FisherChoice::exact
                                 : s.method == FlowMethod::rsgd ? FisherChoice::identity
                                                                : FisherChoice::window),
                     offer);
}

/// The base's Fisher matrix is the identity; what couples it with the layers is left out.
AnyFisher fisher_for(const FlowSettings& s, const SylvesterFlow& family,
                     const SylvesterFlow::Frame& frame) {
  const bool layers = family.options().layers > 0;
  require(
      s.method != FlowMethod::ngd || !layers,
      "--method ngd needs a Fisher matrix in closed form, which --family sylvester does not have");
  if (s.method == FlowMethod::adam) return Adam(frame.dimension());
  if (!layers) {  // the exact matrix is the identity here
    const FisherChoice choice = s.fisher_or(FisherChoice::identity);
    return flow_fisher(choice == FisherChoice::exact ? FisherChoice::identity : choice,
                       offer_of(s, frame.dimension(), family.dimension()));
  }
  if (s.method == FlowMethod::rsgd) return Identity(frame.dimension());
  const Index base = family.base_dimension();
  return BlockDiagonal<AnyFisher>(
      {Identity(base), flow_fisher(s.fisher_or(FisherChoice::window),
                                   offer_of(s, frame.dimension() - base, family.dimension()))});
}

StepRule rule_for(const FlowSettings& s) {
  const bool natural = is_natural(s) || s.family == VariationalFamily::gaussian;
  if (natural && s.method != FlowMethod::adam)
    return s.rule({.step_size = flow_natural_step_size,
                   .decay = 0.7,
                   .kl_radius = is_orthogonal(s) ? 0.03 : 0.1});
  StepRule rule =
      s.rule({.step_size = s.method == FlowMethod::adam ? adam_step_size : flow_plain_step_size,
              .decay = 0.0,
              .kl_radius = 0.0});
  if (s.method == FlowMethod::rsgd && s.norm_cap == 0.0) rule.norm_cap = flow_plain_norm_cap;
  return rule;
}

template <class T>
Index objective_draws(const T& target) {
  return std::clamp<Index>(Index(1'000'000) / rows_of(target), 32, 256);
}

using FlowFrom = std::optional<GaussianPoint>;

template <class T, class Family>
ErasedRun build_run(const T& target, const Family& family, const FlowSettings& s,
                    const FlowFrom& from);

/// A Gaussian's Fisher matrix is known: some hundred iterations bring it close to where a flow needs thousands to turn to.
template <class T, class Family>
typename Family::Frame start(const T& target, const Family& family, const FlowSettings& s,
                             const FlowFrom& from) {
  if (!s.begins_at_gaussian()) return near_zero(family, s);
  if (from) return at_gaussian(family, *from, s);
  FlowSettings first;
  first.family = VariationalFamily::gaussian;
  first.seed = s.seed;
  first.minibatch = s.minibatch;
  first.kl_radius = 0.3;
  ErasedRun gaussian = build_run(target, sylvester(first, target.dimension()), first, {});
  gaussian.stop =
      gaussian.stop ||
      after_iterations(s.iterations > 0 ? std::min(s.iterations, at_most_before) : at_most_before);
  const Outcome outcome = run(gaussian.state, gaussian.model, gaussian.options, gaussian.stop);
  if (outcome.status == Status::diverged) return near_zero(family, s);
  const AnyFrame end = gaussian.state.estimate();
  const GaussianAffine& q = end.as<SylvesterFlow::Frame>().template factor<0>();
  return at_gaussian(family, {q.mean(), q.covariance()}, s);
}

template <class T, class Family>
ErasedRun build_run(const T& target, const Family& family, const FlowSettings& s,
                    const FlowFrom& from) {
  if (s.method == FlowMethod::adam) s.require_no_fisher("adam");
  if (s.method == FlowMethod::rsgd) s.require_no_fisher("rsgd");
  using F = typename Family::Frame;
  const FlowVb<T, Family> model(target, family,
                                {.draws = s.batch,
                                 .scores = s.scores > 0 ? s.scores : s.batch,
                                 .reuse_draws = s.scores == 0,
                                 .landing = s.estimator == GradientEstimator::sticking_the_landing,
                                 .minibatch = s.minibatch_of(rows_of(target)),
                                 .objective_draws = objective_draws(target)});
  const F frame = start(target, family, s, from);
  ErasedRun run{{frame, fisher_for(s, family, frame), std::uint64_t(s.seed),
                 Average({.on = is_on(s.average, is_natural(s)), .start = 50, .power = 2.0})},
                AnyModel::of<F>(model),
                {},
                after_iterations(s.iterations),
                s.iterations};
  run.options.rule = rule_for(s);
  run.options.evaluate_every = s.eval_every;
  if (s.iterations == 0) {
    require(s.eval_every > 0,
            "--eval-every is 0, but without --iterations the run ends by its "
            "objective, which must be evaluated");
    run.planned = at_most;
    run.stop = when_doubling_gains_below(s.tolerance > 0.0 ? s.tolerance : flow_tolerance) ||
               after_iterations(at_most);
  }
  return run;
}

template <class T>
ErasedRun build_run(const T& target, const FlowSettings& s, const FlowFrom& from) {
  const Index d = target.dimension();
  return is_orthogonal(s) ? build_run(target, orthogonal(s, d), s, from)
                          : build_run(target, sylvester(s, d), s, from);
}

/// As require_gaussian_memory, with the same guess of 16 matrices: a flow's orthogonal matrices, and the covariance that it begins at, are of that size too.
void require_flow_memory(const FlowSettings& s, Index dimension, double data) {
  constexpr double matrices = 16.0, draws = 4.0 * 4000.0;
  const double d = double(dimension), number = sizeof(double);
  require_memory(
      "the fit",
      {{"data", data},
       {sentence("matrices of ", dimension, " x ", dimension), matrices * d * d * number},
       {"window of scores", 4.0 * d * double(s.window_of(dimension)) * number},
       {"draws", draws * d * number}},
      s.target == FlowTarget::neural
          ? "fewer columns and fewer --hidden units take less, and so does --target logistic"
          : "fewer columns take less");
}

template <class T>
FlowFit fitted(const T& target, const FlowSettings& s, const Drive& drive, const FlowFrom& from) {
  double data = 0.0;
  if constexpr (requires { target.data(); }) data = 2.0 * target.data().bytes();
  require_flow_memory(s, target.dimension(), data);
  ErasedRun run = build_run(target, s, from);
  FitSummary end = drive(run);
  FlowFit fit{{.end = std::move(end)}, run.state.estimate()};
  const FlowDraws fresh = flow_khat_draws(s, target.dimension(), fit.frame, draws_for_khat(target));
  fit.judge(log_densities(target, fresh.betas) - fresh.log_q, 0.0);
  return fit;
}

template <class Family>
FlowDraws drawn(const Family& family, const AnyFrame& frame, Index count, std::uint64_t seed) {
  const Matrix normals = Draws(seed, ~std::uint64_t(0)).normals(0, family.dimension(), count);
  auto sample = family.sample(frame.as<typename Family::Frame>(), normals);
  return {std::move(sample.ys), std::move(sample.log_q)};
}

}  // namespace

ErasedRun make_flow_run(const NeuralTarget& target, const FlowSettings& s) {
  return build_run(target, s, {});
}
ErasedRun make_flow_run(const LogisticTarget& target, const FlowSettings& s) {
  return build_run(target, s, {});
}
ErasedRun make_flow_run(const FunctionTarget& target, const FlowSettings& s,
                        const std::optional<GaussianPoint>& from) {
  return build_run(target, s, from);
}

FlowFit fit_flow(const NeuralTarget& target, const FlowSettings& s, const Drive& drive) {
  return fitted(target, s, drive, {});
}
FlowFit fit_flow(const LogisticTarget& target, const FlowSettings& s, const Drive& drive) {
  return fitted(target, s, drive, {});
}
FlowFit fit_flow(const FunctionTarget& target, const FlowSettings& s, const Drive& drive,
                 const std::optional<GaussianPoint>& from) {
  FlowFit fit = fitted(target, s, drive, from);
  const std::int64_t evaluations = s.eval_every > 0 ? fit.end.iterations / s.eval_every : 0;
  fit.gradients = fit.end.iterations * s.batch + evaluations * objective_draws(target);
  return fit;
}

AnyFrame flow_frame(const FlowSettings& s, Index dimension, const Vector& state) {
  const auto restored = [&](const auto& frame) -> AnyFrame {
    require_size(state, Vector(frame.state()).size(), "the state of a flow");
    return frame.restored(state);
  };
  return is_orthogonal(s) ? restored(near_zero(orthogonal(s, dimension), s))
                          : restored(near_zero(sylvester(s, dimension), s));
}

FlowDraws flow_draws(const FlowSettings& s, Index dimension, const AnyFrame& frame, Index count,
                     std::uint64_t seed) {
  return is_orthogonal(s) ? drawn(orthogonal(s, dimension), frame, count, seed)
                          : drawn(sylvester(s, dimension), frame, count, seed);
}

FlowDraws flow_khat_draws(const FlowSettings& s, Index dimension, const AnyFrame& frame,
                          Index count) {
  return flow_draws(s, dimension, frame, count, std::uint64_t(s.seed) + 1);
}

FlowCoefficients flow_coefficients_in(Units units, const FlowSettings& s, const Matrix& betas,
                                      const std::vector<std::string>& names,
                                      const Preparation& preparation) {
  if (units == Units::standardized) return {names, betas};
  if (s.target == FlowTarget::neural)
    return {names, network_in_own_units(betas, preparation, s.hidden)};
  return {own_names(preparation), in_own_units(betas, preparation)};
}

Matrix predictive_of_draws(Matrix p) {
  p = 1.0 / (1.0 + (-p.array()).exp());
  const auto n = double(p.cols());
  const Vector mean = p.rowwise().mean();
  const Vector sd = ((p.colwise() - mean).array().square().rowwise().sum() / n).sqrt();
  Matrix out(p.rows(), 4);
  out.col(0) = mean;
  out.col(1) = sd;
  for (Index i = 0; i < p.rows(); ++i) {
    Vector row = p.row(i);
    std::sort(row.data(), row.data() + row.size());
    const auto quantile = [&](double q) {
      const double at = q * (n - 1.0);
      const auto k = Index(at);
      const double share = at - double(k);
      return (1.0 - share) * row(k) + share * row(std::min<Index>(k + 1, row.size() - 1));
    };
    out(i, 2) = quantile(0.05);
    out(i, 3) = quantile(0.95);
  }
  return out;
}

Matrix flow_predictive(const Matrix& design, const FlowSettings& s, Index dimension,
                       const AnyFrame& frame) {
  const Matrix betas = flow_draws(s, dimension, frame, 1000, std::uint64_t(s.seed)).betas;
  constexpr Index block = 512;  // rows: a thousand draws of them all may not fit into the memory
  Matrix out(design.rows(), 4);
  parallel_for(std::size_t((design.rows() + block - 1) / block), [&](std::size_t task) {
    const Index first = Index(task) * block, count = std::min(block, design.rows() - first);
    const Matrix x = design.middleRows(first, count);
    out.middleRows(first, count) = predictive_of_draws(
        s.target == FlowTarget::logistic ? Matrix(x * betas)
                                         : neural_predictors(x, betas, s.hidden, s.activation));
  });
  return out;
}

}  // namespace fisherman
