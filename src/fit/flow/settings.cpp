#include <algorithm>

#include "defaults.hpp"
#include "fisherman/fit/flow.hpp"

namespace fisherman {

using namespace flow_defaults;  // NOLINT: constants of this folder

namespace {

Words<VariationalFamily> family_words() {
  return {{VariationalFamily::gaussian, "gaussian",
           "a Gaussian with full covariance, no layers; the default, because no flow here has "
           "reached a lower NELBO on the data that were tried (docs/results_flow.md)"},
          {VariationalFamily::sylvester, "sylvester",
           "Sylvester layers on a Gaussian: as good as the Gaussian where measured"},
          {VariationalFamily::scaled, "scaled",
           "the paper's flow with an output scale: worse than the Gaussian by 4 nats and more"},
          {VariationalFamily::paper, "paper", "the paper's flow as printed: worse than scaled"}};
}

}  // namespace

std::string name(VariationalFamily family) { return name_of(family, family_words()); }

FlowSettings::FlowSettings() {
  prior_variance = 1.0;
  batch = 50;
  scores = 50;
  delay = 300.0;
  tolerance = flow_tolerance;
  eval_every = 20;
}

void FlowSettings::describe(Options& o) {
  using Rule = Options::Rule;
  o.add("target", target, "model whose posterior is approximated",
        {{FlowTarget::neural, "neural", "a network with one hidden layer"},
         {FlowTarget::logistic, "logistic", "logistic regression"}});
  o.add("family", family, "family of distributions that approximate the posterior", family_words());
  o.add("method", method, "how the approximation is found",
        {{FlowMethod::ifngd, "ifngd",
          "inversion-free natural gradient with a window of scores, the paper's"},
         {FlowMethod::ngd, "ngd",
          "natural gradient, the Fisher matrix in closed form (not for sylvester)"},
         {FlowMethod::rsgd, "rsgd", "stochastic gradient descent on the manifold"},
         {FlowMethod::adam, "adam", "Riemannian Adam"}});
  o.add("estimator", estimator, "estimator of the gradient",
        {{GradientEstimator::reparameterised, "reparameterised", "gradients of draws"},
         {GradientEstimator::sticking_the_landing, "stl", "sticking the landing"}});
  o.add("hidden", hidden, "number of hidden units", Rule::positive);
  o.add("activation", activation, "activation function of the hidden units",
        {{Activation::tanh, "tanh"}, {Activation::sigmoid, "sigmoid"}, {Activation::relu, "relu"}});
  describe_columns(o, "weight", " (logistic; a network has its biases)");
  o.add(
      "initial", initial, "start of the run",
      {{FlowStart::automatic, "auto", "gaussian for the families scaled and sylvester, else zero"},
       {FlowStart::gaussian, "gaussian",
        sentence("a Gaussian, fitted first in at most ", at_most_before,
                 " iterations, and in no more than are asked for")},
       {FlowStart::zero, "zero", "close to 0, as in the paper"}});
  o.add("window", window,
        sentence("number of scores that the Fisher estimate keeps (0: three per weight, at least ",
                 least_window, " and at most ", most_window, ")"),
        Rule::not_negative);
  o.add("free-w1", free_w1,
        "let W1 move, although q does not depend on it (families paper and scaled)");
  o.add("layers", layers, "number of layers of a Sylvester flow", Rule::positive);
  o.add("rank", rank, "number of columns of each Q of a Sylvester flow", Rule::positive);
  o.add("minibatch", minibatch,
        sentence("number of rows per gradient (0: all rows; -1: all rows if there are at most ",
                 most_rows_at_once, ", otherwise ", rows_of_many, ")"),
        Rule::not_negative_or_auto);
  describe_run(
      o,
      {.iterations = sentence("until converged, at most ", at_most),
       .batch = "number of draws per gradient",
       .scores = "score vectors per iteration (0: reuse the draws of the gradient)",
       .epsilon = "ifngd with a flow starts from (0: the number of scores that it keeps",
       .step_size = sentence(flow_natural_step_size, ", for adam ", adam_step_size,
                             ", for rsgd with a flow ", flow_plain_step_size),
       .average = "on for ifngd and ngd",
       .tolerance = sentence("gain in nats by doubling the length of the run, below which it "
                             "has converged (0: ",
                             flow_tolerance, ")"),
       .fisher = "a window of scores for ifngd with layers, exact for ngd, identity for rsgd and "
                 "for the Gaussian, whose Fisher matrix that is",
       .norm_cap = sentence("no limit, but ", flow_plain_norm_cap, " for rsgd with a flow"),
       .evaluations = "0: only at the end, which needs a number of iterations"});
}

ColumnSettings FlowSettings::columns() const {
  require(intercept || target == FlowTarget::logistic,
          "--no-intercept is for --target logistic: a network has its biases");
  ColumnSettings settings = *this;
  settings.intercept = intercept && target == FlowTarget::logistic;
  return settings;
}

NeuralOptions FlowSettings::network() const {
  return {.hidden = hidden, .activation = activation, .prior_variance = prior_variance};
}

bool FlowSettings::begins_at_gaussian() const {
  const bool can = family == VariationalFamily::scaled || family == VariationalFamily::sylvester;
  if (initial == FlowStart::automatic) return can;
  require(initial != FlowStart::gaussian || can,
          "--initial gaussian is for the families scaled and sylvester, not for ", name(family));
  return initial == FlowStart::gaussian;
}

Index FlowSettings::window_of(Index weights) const {
  return window > 0 ? window : std::clamp<Index>(3 * weights, least_window, most_window);
}

Index FlowSettings::minibatch_of(Index rows) const {
  require(minibatch >= -1, "--minibatch is ", minibatch, ", but must be -1, 0 or positive");
  if (minibatch >= 0) return minibatch;
  return rows > most_rows_at_once ? rows_of_many : 0;
}

}  // namespace fisherman
