// Runs of natural gradient on Gaussians, for targets of any type.
#pragma once

#include <algorithm>

#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"

namespace fisherman {

/// Scores that a window keeps of so many coordinates, if the number is left to us.
inline Index usual_window(Index dimension) { return std::clamp<Index>(3 * dimension, 200, 800); }

/// Mean and covariance never mix in the Fisher matrix of a Gaussian: one block each.
template <Frame F, class M>
AnyFisher gaussian_fisher_for(const GaussianSettings& s, const F& frame, const M& model) {
  const Index d = frame.dimension(), n = frame.order();
  if (s.method == GaussianMethod::gd) s.require_no_fisher("gd");
  const FisherChoice choice = s.fisher_or(s.method == GaussianMethod::gd ? FisherChoice::identity
                                          : s.learns_fisher()            ? FisherChoice::blocks
                                                                         : FisherChoice::exact);
  FisherOffer offer{.blocks = {{n, 1, s.epsilon}, {d - n, 1, s.epsilon}},
                    .epsilon = s.epsilon,
                    .scores = s.scores > 0 ? s.scores : s.batch,
                    .closed_form = true,
                    .window = usual_window(d),
                    .window_epsilon = s.epsilon};
  if (s.epsilon == 0.0 && starts_from_epsilon(choice)) {
    // ε fades like ε/n, and a direction that no score has seen is amplified by n/ε. With ε the mean
    // squared norm of a score, that is no more than 1 until there are scores for every direction.
    const Matrix scores = model.scores(frame, Draws(std::uint64_t(s.seed), 0));
    offer.blocks[0].epsilon = scores.topRows(n).squaredNorm() / double(scores.cols());
    offer.blocks[1].epsilon = scores.bottomRows(d - n).squaredNorm() / double(scores.cols());
    offer.epsilon = offer.blocks[0].epsilon + offer.blocks[1].epsilon;
  }
  return make_fisher(choice, offer);
}

inline constexpr std::int64_t most_gaussian = 2000;  // iterations, if the number is left to us
inline constexpr std::int64_t most_exact = 1000;     // of the deterministic method
inline constexpr double exact_tolerance = 1e-10;
inline constexpr double gaussian_step_size = 0.5;
// Nats that may be left to be gained, by gradients with and without noise.
inline constexpr double noisy_tolerance = 0.01, noiseless_tolerance = 0.001;
inline constexpr const char* gaussian_fisher_help =
    "exact for ngd and lin, identity for gd, blocks of mean and covariance for ifngd";
inline constexpr const char* gaussian_epsilon_help =
    "ifngd starts from (0: the mean squared norm of a score at the start, of mean and covariance "
    "each";

/// How many minibatches make all rows.
inline std::int64_t batches(Index rows, Index minibatch) {
  return minibatch == 0 ? 1 : (std::max(rows, minibatch) + minibatch - 1) / minibatch;
}

/// `pass`: how many gradients cost as much as an evaluation of the objective, which takes all rows.
inline ErasedRun made_run(ErasedState state, AnyModel model, const StepRule& rule,
                          const GaussianSettings& s, std::int64_t pass) {
  require(s.eval_every >= -1, "--eval-every is ", s.eval_every, ", but must be -1 or more");
  ErasedRun run{
      std::move(state), std::move(model), {}, after_iterations(s.iterations), s.iterations};
  run.options.rule = rule;
  run.options.carry = s.transport;
  run.options.evaluate_every = s.eval_every >= 0 ? s.eval_every : pass;
  if (s.iterations == 0) {
    run.planned = most_gaussian;
    run.stop = after_iterations(most_gaussian);
  }
  return run;
}

// Minibatches of a fixed size never come to rest: the noise of d coefficients alone is worth ½d·n/rows nats, and
// averaging k iterates leaves a k-th of it, so that a hundredth of a nat takes 50d passes over the data. A
// minibatch that grows is as cheap on the long way down, and at its end the gradients are those of all rows.
inline constexpr double minibatch_growth = 1.1;   // an iteration
inline constexpr std::int64_t most_between = 20;  // iterations between evaluations, while it grows

/// The first iteration that takes all rows.
inline std::int64_t iteration_of_all_rows(const GaussianVbOptions& options, Index rows) {
  std::int64_t k = 0;
  while (options.rows_at(std::uint64_t(k), rows) != 0) ++k;
  return k;
}

template <Target T, Frame F>
ErasedRun natural_gradient(const T& target, const GaussianSettings& s, const F& start,
                           GradientEstimator estimator, Index minibatch) {
  const bool growing = estimator == GradientEstimator::exact && minibatch > 0 && s.iterations == 0;
  const bool noisy = estimator != GradientEstimator::exact || (minibatch > 0 && !growing);
  const GaussianVbOptions options{.draws = s.batch,
                                  .scores = s.scores > 0 ? s.scores : s.batch,
                                  .estimator = estimator,
                                  .reuse_draws = s.scores == 0,
                                  .minibatch = minibatch,
                                  .growth = growing ? minibatch_growth : 1.0};
  const GaussianVb<T> model(target, options);
  const bool averaging = is_on(s.average, noisy);
  const bool lin = s.method == GaussianMethod::lin;
  const StepRule rule = s.rule({.step_size = gaussian_step_size,
                                .decay = noisy ? 0.75 : 0.0,
                                .kl_radius = lin ? 0.0 : 1.0,
                                .guard = !lin});
  const std::int64_t pass = batches(rows_of(target), minibatch);
  ErasedRun run =
      made_run({start, gaussian_fisher_for(s, start, model), std::uint64_t(s.seed),
                Average({.on = averaging, .start = 50, .power = 1.0})},
               AnyModel::of<F>(model), rule, s, growing ? std::min(pass, most_between) : pass);
  if (!noisy) run.options.smoothing = 0.0;
  if (!noisy && !growing && !averaging && rule.guard) run.options.accept = accept_descent();
  if (s.iterations > 0) return run;
  if (growing) {
    const Stop all_rows = after_iterations(1 + iteration_of_all_rows(options, rows_of(target)));
    run.stop =
        (all_rows && when_predicted_below(s.tolerance > 0.0 ? s.tolerance : noiseless_tolerance)) ||
        run.stop;
  } else if (!noisy) {
    run.stop =
        when_predicted_below(s.tolerance > 0.0 ? s.tolerance : noiseless_tolerance) || run.stop;
  } else {
    // The iterates still scatter when the mean gradient has vanished: give the average its time.
    const Stop there = when_predicted_below(s.tolerance > 0.0 ? s.tolerance : noisy_tolerance);
    run.stop = (after_iterations(200) && there) || run.stop;
  }
  return run;
}

/// In the settings' geometry.
template <Target T>
ErasedRun natural_gradient_from(const T& target, const GaussianSettings& s,
                                const GaussianPoint& start, GradientEstimator estimator,
                                Index minibatch) {
  const auto& [mean, covariance] = start;
  const auto from = [&](const auto& frame) {
    return natural_gradient(target, s, frame, estimator, minibatch);
  };
  if (s.method == GaussianMethod::lin)
    return from(gaussian_affine(mean, covariance, SpdRetraction::precision));
  if (s.geometry == Geometry::bures_wasserstein)
    return from(gaussian_bures_wasserstein(mean, covariance));
  if (s.geometry == Geometry::euclidean) return from(gaussian_euclidean(mean, covariance));
  return from(gaussian_affine(mean, covariance));
}

}  // namespace fisherman
