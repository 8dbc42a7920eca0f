#include "fisherman/fit/minimize.hpp"

#include <utility>

#include "fisherman/fisher/adam.hpp"

namespace fisherman {

namespace {

constexpr std::int64_t most_iterations = 2000;  // iterations, if the number is left to us
constexpr double minimize_step_size = 0.5, minimize_tolerance = 0.01, descent_tolerance = 1e-8;

}  // namespace

void MinimizeSettings::describe(Options& o) {
  using Method = MinimizeMethod;
  o.add("method", method, "how the minimum is found",
        {{Method::ifngd, "ifngd",
          "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
         {Method::ngd, "ngd", "natural gradient, with the model's own Fisher operator"},
         {Method::gd, "gd", "gradient descent on the manifold"},
         {Method::adam, "adam", "Riemannian Adam"},
         {Method::lbfgs, "lbfgs",
          "Riemannian L-BFGS, for an objective and a gradient without noise"}});
  o.add("transport", transport, "how the Fisher estimate is carried along", carry_words());
  o.add("window", window, "number of scores that a window keeps", Options::Rule::positive);
  describe_run(
      o, {.iterations = sentence("until converged, at most ", most_iterations),
          .batch = {},
          .scores = {},
          .epsilon = "ifngd starts from (0: the mean squared norm of a score at the start",
          .step_size = sentence(minimize_step_size, ", for adam ", adam_step_size),
          .average = "on, but off for gd, adam and lbfgs",
          .tolerance = sentence("nats still to be gained below which the run has converged (0: ",
                                minimize_tolerance, ", for lbfgs ", descent_tolerance, ")"),
          .fisher = "dense for ifngd, exact for ngd, identity for gd and lbfgs"});
}

namespace {

AnyFisher fisher_for(const MinimizeSettings& s, const AnyFrame& start, AnyModel& model) {
  const Index d = start.dimension();
  if (s.method == MinimizeMethod::gd) s.require_no_fisher("gd");
  if (s.method == MinimizeMethod::adam) s.require_no_fisher("adam");
  if (s.method == MinimizeMethod::adam) return Adam(d);
  const FisherChoice choice = s.fisher_or(!s.is_natural()                   ? FisherChoice::identity
                                          : s.method == MinimizeMethod::ngd ? FisherChoice::exact
                                                                            : FisherChoice::dense);
  double epsilon = s.epsilon;
  if (epsilon == 0.0 && starts_from_epsilon(choice)) {
    // As in gaussian_run.hpp: the mean squared norm of a score.
    const Matrix scores = model.scores(start, Draws(std::uint64_t(s.seed), 0));
    require_size(scores, d, "a score");
    require_finite(scores, "a score at the start");
    epsilon = scores.squaredNorm() / double(scores.cols());
    require(epsilon > 0.0, "the scores at the start are all 0: give --epsilon a value");
  }
  return make_fisher(choice, {.blocks = {{d, 1, epsilon}},
                              .epsilon = epsilon,
                              .closed_form = true,
                              .window = s.window,
                              .window_epsilon = epsilon});
}

}  // namespace

namespace {

/// Its gradients have no noise, so that what it promises is a certificate.
ErasedRun descent(const AnyFrame& start, AnyModel model, const MinimizeSettings& s) {
  AnyFisher fisher = fisher_for(s, start, model);
  const std::int64_t planned = s.iterations > 0 ? s.iterations : most_iterations;
  ErasedRun run{{start, std::move(fisher), std::uint64_t(s.seed), Average({.on = false})},
                std::move(model),
                {},
                after_iterations(planned),
                planned,
                DescentOptions{.learn_every = s.fisher == FisherChoice::automatic ? 0 : 1}};
  if (s.iterations == 0)
    run.stop =
        when_predicted_below(s.tolerance > 0.0 ? s.tolerance : descent_tolerance) || run.stop;
  return run;
}

}  // namespace

ErasedRun make_run(const AnyFrame& start, AnyModel model, const MinimizeSettings& s) {
  if (s.method == MinimizeMethod::lbfgs) return descent(start, std::move(model), s);
  const bool natural = s.is_natural();
  const std::int64_t planned = s.iterations > 0 ? s.iterations : most_iterations;
  const Average average({.on = is_on(s.average, natural), .start = 50, .power = 1.0});
  AnyFisher fisher = fisher_for(s, start, model);
  ErasedRun run{{start, std::move(fisher), std::uint64_t(s.seed), average},
                std::move(model),
                {},
                after_iterations(planned),
                planned};
  run.options.rule =
      s.rule({.step_size = s.method == MinimizeMethod::adam ? adam_step_size : minimize_step_size,
              .decay = s.method == MinimizeMethod::adam ? 0.0 : 0.75,
              .kl_radius = natural ? 1.0 : 0.0});
  run.options.carry = s.transport;
  run.options.evaluate_every = s.eval_every;
  if (s.iterations == 0) {
    const double tolerance = s.tolerance > 0.0 ? s.tolerance : minimize_tolerance;
    run.stop = (after_iterations(200) && when_predicted_below(tolerance)) || run.stop;
    run.options.measure_until = tolerance;
    run.options.in_nats = natural;
  }
  return run;
}

}  // namespace fisherman
