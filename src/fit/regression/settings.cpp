#include "../gaussian_run.hpp"
#include "fisherman/fit/regression.hpp"

namespace fisherman {

Words<GaussianMethod> RegressionSettings::methods() {
  using Method = GaussianMethod;
  return {{Method::exact, "exact",
           "L-BFGS in Fisher's geometry with exact expectations: the Gaussian of least NELBO"},
          {Method::ngd, "ngd", "natural gradient, the Fisher matrix in closed form"},
          {Method::ifngd, "ifngd",
           "inversion-free natural gradient, the paper's: the Fisher matrix from scores"},
          {Method::gd, "gd", "gradient descent on the manifold"},
          {Method::adam, "adam", "for comparison: Adam on mean and Cholesky factor, as ADVI does"},
          {Method::forward_backward, "fb-gvi",
           "for comparison: forward-backward Gaussian VI (Diao et al. 2023)"},
          {Method::lin, "lin", "for comparison: the positive-definite rule of Lin et al. (2020)"}};
}

void RegressionSettings::describe(Options& o) { describe_all(o, true); }

void RegressionSettings::describe_all(Options& o, bool any_likelihood) {
  using Estimator = GradientEstimator;
  using Rule = Options::Rule;
  if (any_likelihood) {
    Words<std::string> words;
    for (const auto& one : likelihoods()) words.push_back({one->name(), one->name(), one->help()});
    o.add("likelihood", likelihood, "distribution of the outcomes", words);
  }
  describe_design(o);
  o.add("prior-variance", prior_variance,
        any_likelihood
            ? "prior variance of each coefficient except the intercept, for standardised columns; "
              "for gaussian and student-t in units of the variance of the outcomes"
            : "prior variance of each coefficient except the intercept, for standardised columns",
        Rule::positive);
  o.add("intercept-variance", intercept_variance,
        "prior variance of the intercept, which is the linear predictor where all standardised "
        "columns are 0",
        Rule::positive);
  o.add("prior", prior,
        "prior of all coefficients but the intercept, or of those with a name before it: "
        "\"normal(0,2.5); age=student_t(3,0,1); (intercept)=flat\"; normal(location,scale), "
        "student_t(df,location,scale), laplace(location,scale) or flat");
  o.add("prior-units", prior_units, "columns that the numbers of --prior are for",
        {{PriorUnits::standardized, "standardized", "standardised columns"},
         {PriorUnits::own, "own", "columns as they are given"}});
  o.add("sd-prior", sd_prior,
        any_likelihood
            ? "prior of the standard deviations of all groups, or of a group or parameter with its "
              "name before it: \"half_t(3,1); sigma=half_normal(10)\"; half_normal(scale), "
              "half_t(df,scale), exponential(scale), gamma(shape,scale) or lognormal(median,sd)"
            : "prior of the standard deviations of all groups, or of one with its name before it: "
              "\"half_t(3,1); school=half_normal(2)\"; half_normal(scale), half_t(df,scale), "
              "exponential(scale), gamma(shape,scale) or lognormal(median,sd)");
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
  o.add("minibatch", minibatch,
        "number of rows per gradient, drawn anew each time (0: all rows); if the number of "
        "iterations is 0, exact gradients take a tenth more rows per iteration until they take "
        "all; not for --method exact");
  describe_run(
      o, {.iterations = sentence("until converged, at most ", most_exact,
                                 ", for ngd, ifngd, gd and lin at most ", most_gaussian,
                                 ", for adam and fb-gvi always that many"),
          .batch = "number of draws per gradient",
          .scores = "score vectors per iteration (0: reuse the draws of the gradient)",
          .epsilon = gaussian_epsilon_help,
          .step_size = sentence(gaussian_step_size, ", for adam ", adam_step_size,
                                ", for fb-gvi the largest that its theory allows"),
          .average = "on where the gradients have noise, but off for adam and fb-gvi",
          .tolerance = sentence(
              "nats still to be gained below which the run has converged (0: ", exact_tolerance,
              " for exact, otherwise ", noisy_tolerance, ", or ", noiseless_tolerance,
              " where the gradients have no noise); adam and fb-gvi do not use it"),
          .fisher = gaussian_fisher_help,
          .evaluations =
              sentence("0: only at the end, unless the method accepts steps by the objective; "
                       "-1: every iteration, with a minibatch once per pass over the data, and "
                       "at least every ",
                       most_between, " iterations while the minibatch grows"),
          .evaluates_by_itself = true});
}

}  // namespace fisherman
