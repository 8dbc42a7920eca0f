// Gaussians with a covariance of diagonal plus low rank for fit density and fit stan: for posteriors of so many coordinates
// that a full covariance takes too much. By natural gradient, from the best of a few starts.
#include <algorithm>
#include <cmath>

#include "../flow/defaults.hpp"
#include "families.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/fit/stan_files.hpp"
#include "fisherman/model/flow_vb.hpp"
#include "fisherman/model/low_rank_gaussian.hpp"
#include "fisherman/solve/gaussian_start.hpp"

namespace fisherman {
namespace {

constexpr Index low_rank_objective_draws = 100, low_rank_window = 200;

class LowRankApproximation final : public Approximation {
 public:
  explicit LowRankApproximation(LowRankFrame frame)
      : frame_(std::move(frame)), family_(frame_.order(), frame_.rank()) {}

  Index dimension() const override { return frame_.order(); }
  Drawn draws(Index count, std::uint64_t seed) const override {
    LowRankGaussian::Sample sample =
        family_.sample(frame_, Draws(seed, ~std::uint64_t(0)).normals(0, family_.normals(), count));
    return {std::move(sample.ys), std::move(sample.log_q)};
  }
  Matrix khat_draws(Index count, std::uint64_t seed) const override {
    return draws(count, seed + 1).points;
  }
  Vector mean() const override { return frame_.mean(); }
  std::string metric() const override { return stan_diagonal_metric(frame_.variances()); }
  void save(Fields& model) const override {
    model.set("mean", frame_.mean());
    model.set("scale", frame_.scale());
    model.set("factors", frame_.factor());
  }

  static std::shared_ptr<const Approximation> load(const Fields& model) {
    const Vector mean = model.need_vector("mean"), s = model.need_vector("scale");
    const Matrix F = model.need_matrix("factors");
    require(
        s.size() == mean.size() && F.rows() == mean.size() && F.cols() > 0 && F.cols() < F.rows(),
        "its sizes do not go together");
    return std::make_shared<LowRankApproximation>(LowRankFrame(mean, s, F));
  }

 private:
  LowRankFrame frame_;
  LowRankGaussian family_;
};

DensityFitSettings low_rank_settings(DensityFitSettings s, Index dimension) {
  require(s.method == GaussianMethod::newton && s.geometry == Geometry::affine &&
              s.transport == Carry::frame,
          "--method, --geometry and --transport are for --family gaussian: low-rank goes by ifngd");
  require(s.estimator.value_or(GradientEstimator::sticking_the_landing) !=
              GradientEstimator::score_function,
          "--estimator score is not for --family low-rank");
  if (s.rank == 0) s.rank = std::min(density_flow_rank, dimension - 1);
  require(dimension > 1 && s.rank < dimension, "--family low-rank needs a --rank below ", dimension,
          ", the number of coordinates; --family gaussian has a full covariance");
  if (s.batch == 0) s.batch = flow_batch;
  if (s.scores == 0) s.scores = s.batch;
  if (s.tolerance == 0.0) s.tolerance = density_flow_tolerance;
  const double d = double(dimension), number = sizeof(double);
  require_memory("the fit",
                 {{"factors and scores",
                   d * double(s.rank + 2) * double(20 + 3 * s.scores + low_rank_window) * number},
                  {"draws", 4.0 * 4000.0 * d * number}},
                 "a smaller --rank takes less");
  return s;
}

/// The best of the starts. Nothing if a signal came.
std::optional<LowRankStart> best_low_rank_start(const FunctionTarget& target,
                                                const DensityFitSettings& s, const Driver& driver) {
  const std::uint64_t seed = std::uint64_t(s.seed);
  require_a_start(target, seed, s.starts);
  std::optional<LowRankStart> best;
  Index spent = 0;
  for (Index n = 0; n < s.starts; ++n) {
    if (driver.interrupted()) return std::nullopt;
    try {
      LowRankStart found =
          low_rank_start(target, start_point(target.dimension(), seed, n), s.rank, seed);
      spent += found.evaluations;
      if (!best || found.nelbo < best->nelbo) best = std::move(found);
    } catch (const NotFinite&) {  // the density has no value there
    }
  }
  require(best && std::isfinite(best->nelbo),
          "the log density is not finite at most draws of any Gaussian near the ", s.starts,
          " points that were tried to start from");
  best->evaluations = spent;
  return best;
}

ErasedRun low_rank_run(const FunctionTarget& target, const DensityFitSettings& s,
                       const LowRankStart& start) {
  const LowRankFrame frame(start.mean, start.s, start.F);
  const bool landing = s.estimator.value_or(GradientEstimator::sticking_the_landing) ==
                       GradientEstimator::sticking_the_landing;
  const FlowVb<FunctionTarget, LowRankGaussian> model(
      target, LowRankGaussian(target.dimension(), s.rank),
      {.draws = s.batch,
       .scores = s.scores,
       .landing = landing,
       .objective_draws = low_rank_objective_draws});
  const double epsilon = s.epsilon > 0.0 ? s.epsilon : double(low_rank_window);
  const FisherOffer offer{.blocks = {{frame.dimension(), 1, epsilon}},
                          .epsilon = epsilon,
                          .scores = s.scores,
                          .window = low_rank_window,
                          .window_epsilon = epsilon};
  const FisherChoice fisher = s.fisher_or(FisherChoice::identity);
  require_memory("the Fisher approximation", {{"its matrices", fisher_memory(fisher, offer)}},
                 "--fisher identity takes none");
  ErasedRun run{{frame, make_fisher(fisher, offer), std::uint64_t(s.seed),
                 Average({.on = is_on(s.average, true), .start = 50, .power = 2.0})},
                AnyModel::of<LowRankFrame>(model),
                {},
                after_iterations(s.iterations),
                s.iterations};
  run.options.rule = s.rule({.step_size = low_rank_step_size, .decay = 0.7, .kl_radius = 1.0});
  run.options.evaluate_every = s.eval_every;
  if (s.iterations == 0) {
    require(s.eval_every > 0,
            "--eval-every is 0, but without --iterations the run ends by its "
            "objective, which must be evaluated");
    run.planned = flow_defaults::at_most;
    run.stop = when_doubling_gains_below(s.tolerance) || after_iterations(run.planned);
  }
  return run;
}

std::optional<FamilyFit> fit_low_rank_family(const FunctionTarget& target,
                                             const DensityFitSettings& asked, Driver& driver) {
  const DensityFitSettings s = low_rank_settings(asked, target.dimension());
  const std::optional<LowRankStart> start = best_low_rank_start(target, s, driver);
  if (!start) return std::nullopt;
  ErasedRun run = low_rank_run(target, s, *start);
  FamilyFit fit;
  fit.end = driver.drive(run);
  fit.q = std::make_shared<LowRankApproximation>(run.state.estimate().as<LowRankFrame>());
  // The draws of khat_draws().
  const auto [points, log_q] = fit.q->draws(draws_for_khat(target), std::uint64_t(s.seed) + 1);
  fit.judge(log_densities(target, points) - log_q, 0.0);
  const std::int64_t evaluations = s.eval_every > 0 ? fit.end.iterations / s.eval_every : 0;
  fit.gradients =
      start->evaluations + fit.end.iterations * s.batch + evaluations * low_rank_objective_draws;
  return fit;
}

}  // namespace

FamilyEntry low_rank_family() {
  return {.family = DensityFamily::low_rank,
          .name = "low-rank",
          .help =
              "a Gaussian whose covariance is a diagonal and --rank factors: for thousands of "
              "coordinates",
          .what = "Gaussian of low rank",
          .instead =
              "or a larger --rank, or --family gaussian, or NUTS, which can begin with "
              "metric.json (a diagonal) and inits.json of the run's folder",
          .fit = fit_low_rank_family,
          .load = LowRankApproximation::load};
}

}  // namespace fisherman
