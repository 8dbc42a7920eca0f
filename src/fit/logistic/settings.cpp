#include "../gaussian_run.hpp"
#include "fisherman/fit/logistic.hpp"

namespace fisherman {
Words<GaussianMethod> LogisticSettings::methods() {
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

void LogisticSettings::describe(Options& o) {
  using Estimator = GradientEstimator;
  describe_geometry(
      o, methods(),
      {{std::nullopt, "auto", "exact for ngd, gd and lin, bonnet-price for ifngd"},
       {Estimator::exact, "exact", "no draws: by quadrature"},
       {Estimator::bonnet_price, "bonnet-price", "mean gradient and mean Hessian of draws"},
       {Estimator::reparameterised, "reparameterised", "gradients of draws"},
       {Estimator::sticking_the_landing, "stl",
        "sticking the landing: gradients of draws, without noise where the fit is perfect"},
       {Estimator::score_function, "score",
        "values of draws alone, with a leave-one-out baseline"}});
  describe_columns(o, "coefficient");
  o.add("minibatch", minibatch,
        "number of rows per gradient, drawn anew each time (0: all rows); if the number of "
        "iterations is 0, exact gradients take a tenth more rows per iteration until they take "
        "all");
  describe_run(
      o, {.iterations =
              sentence("until converged, at most ", most_gaussian,
                       ", for adam and fb-gvi always that many, for exact at most ", most_exact),
          .batch = "number of draws per gradient",
          .scores = "score vectors per iteration (0: reuse the draws of the gradient)",
          .epsilon = gaussian_epsilon_help,
          .step_size = sentence(gaussian_step_size, ", for adam ", adam_step_size,
                                ", for fb-gvi the largest that its theory allows"),
          .average = "on where the gradients have noise, but off for adam and fb-gvi",
          .tolerance = sentence(
              "nats still to be gained below which the run has converged (0: ", noisy_tolerance,
              ", or ", noiseless_tolerance, " where the gradients have no noise, for exact ",
              exact_tolerance, "); adam and fb-gvi do not use it"),
          .fisher = gaussian_fisher_help,
          .evaluations =
              sentence("0: only at the end, unless the method accepts steps by the objective; "
                       "-1: every iteration, with a minibatch once per pass over the data, and "
                       "at least every ",
                       most_between, " iterations while the minibatch grows"),
          .evaluates_by_itself = true});
}

}  // namespace fisherman
