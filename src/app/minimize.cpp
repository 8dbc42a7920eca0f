#include "fisherman/app/minimize.hpp"

#include <utility>

#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/window.hpp"

namespace fisherman {

void MinimizeSettings::describe(Options& o) {
  o.add("method", method, "how the minimum is found",
        {{"ifngd", "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
         {"window", "the same from the most recent scores only"},
         {"ngd", "natural gradient, with the model's own Fisher operator"},
         {"gd", "gradient descent on the manifold"},
         {"adam", "Riemannian Adam"}});
  o.add(
      "transport", transport, "how the Fisher estimate is carried along",
      {{"frame", "by the moving frame, at no cost"}, {"paper", "by the paper's vector transport"}});
  o.add("window", window, "scores that the window keeps", Options::Rule::positive);
  describe_run(o, {.batch = {},
                   .scores = {},
                   .tolerance = "converged when less than so many nats are to be gained"});
}

namespace {

AnyFisher fisher_for(const MinimizeSettings& s, const AnyFrame& start, AnyModel& model) {
  const Index d = start.dimension();
  if (s.method == "gd") return Identity(d);
  if (s.method == "adam") return Adam(d);
  if (s.method == "ngd") return Exact(d);
  double epsilon = s.epsilon;
  if (epsilon == 0.0) {
    // As in gaussian_run.hpp: the mean squared norm of a score.
    const Matrix scores = model.scores(start, Draws(std::uint64_t(s.seed), 0));
    require_size(scores, d, "a score");
    require_finite(scores, "a score at the start");
    epsilon = scores.squaredNorm() / double(scores.cols());
  }
  require(epsilon > 0.0, "the scores at the start are all 0: give --epsilon a value");
  if (s.method == "window") return Window(d, {.size = s.window, .epsilon = epsilon});
  return Dense(d, {.epsilon = epsilon});
}

constexpr std::int64_t most_iterations = 2000;  // iterations, if the number is left to us

}  // namespace

ErasedRun make_run(const AnyFrame& start, AnyModel model, const MinimizeSettings& s) {
  const bool natural = s.method != "gd" && s.method != "adam";
  const std::int64_t planned = s.iterations > 0 ? s.iterations : most_iterations;
  const Average average(
      {.on = s.average == "on" || (s.average == "auto" && natural), .start = 50, .power = 1.0});
  AnyFisher fisher = fisher_for(s, start, model);
  ErasedRun run{{start, std::move(fisher), std::uint64_t(s.seed), average},
                std::move(model),
                {},
                after_iterations(planned),
                planned};
  run.options.rule = s.rule({.step_size = s.method == "adam" ? 0.01 : 0.5,
                             .decay = s.method == "adam" ? 0.0 : 0.75,
                             .kl_radius = natural ? 1.0 : 0.0});
  run.options.carry = s.transport == "paper" ? Carry::paper : Carry::frame;
  run.options.evaluate_every = s.eval_every;
  if (s.iterations == 0) {
    const double tolerance = s.tolerance > 0.0 ? s.tolerance : 0.01;
    run.stop = (after_iterations(200) && when_predicted_below(tolerance)) || run.stop;
    run.options.measure_until = tolerance;
    run.options.in_nats = natural;
  }
  return run;
}

}  // namespace fisherman
