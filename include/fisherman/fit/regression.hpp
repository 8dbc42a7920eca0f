// Bayesian regression from a table to a fitted Gaussian: what `fisherman fit regression` does, and `fit logistic`.
#pragma once

#include "fisherman/fit/design.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/model/regression.hpp"

namespace fisherman {

/// Which columns the numbers of --prior are for.
enum class PriorUnits { standardized, own };

struct RegressionSettings : GaussianSettings, DesignSettings {
  std::string likelihood = "logistic";
  double prior_variance = 10.0;
  double intercept_variance = 100.0;
  std::string prior, sd_prior;
  PriorUnits prior_units = PriorUnits::standardized;
  std::int64_t minibatch = 0;

  RegressionSettings() {
    eval_every = -1;  // by what an evaluation costs
    method = GaussianMethod::exact;
  }
  void describe(Options& options);
  static Words<GaussianMethod> methods();
  static constexpr const char* kind = "regression";

 protected:
  void describe_all(Options& options, bool any_likelihood);
};

/// The same for one likelihood, under the name that it always had.
struct LogisticSettings : RegressionSettings {
  void describe(Options& options) { describe_all(options, false); }
  static constexpr const char* kind = "logistic";
};

/// The priors that settings mean, for outcomes that have been seen. The default is normal with --prior-variance, times the
/// spread of the outcomes where these are not on a scale of their own. Throws Misuse, naming the option, for priors of
/// coefficients that do not exist.
RegressionPriors priors_for(const RegressionSettings& settings, const DesignPlan& plan,
                            const Likelihood& likelihood, const Outcomes& outcomes,
                            const std::optional<RowPart>& part = std::nullopt);

/// Throws Misuse for settings that do not go together.
ErasedRun make_run(const RegressionTarget& target, const RegressionSettings& settings);

/// Of the frame of a run that was made with these settings.
GaussianPoint gaussian_point(const AnyFrame& frame, const RegressionSettings& settings);

struct RegressionFit {
  FitSummary end;
  GaussianPoint q;
};
/// By any method.
RegressionFit fit_regression(const RegressionTarget& target, const RegressionSettings& settings,
                             const Drive& drive);

/// The Gaussian of least NELBO.
struct RegressionOptimum {
  Vector mean;
  Matrix covariance;
  double nelbo;
  Index iterations;
};

/// What --method exact finds: L-BFGS in Fisher's geometry with exact expectations, until a step promises less than
/// `tolerance` nats. Throws NotFinite if that is not reached.
RegressionOptimum exact_optimum(const RegressionTarget& target, double tolerance = 1e-10);

/// Probabilities of classes for each row of the design, under the posterior of the coefficients of several linear
/// predictors. Rows of any length have a prediction.
ClassProbabilities class_probabilities(const Matrix& design, const GaussianPoint& q,
                                       Index predictors);

/// For each row of the design: mean, standard deviation, 5% and 95% quantiles of the expected outcome (of one trial) under
/// the posterior. `offset` is empty or has a number for each row, and `more` what is to be added to the variance of each
/// linear predictor. Rows of any length have a prediction, as long as the link has one.
Matrix predictive(const Matrix& design, const GaussianPoint& q, Link link = Link::logit,
                  const Vector& offset = {}, const Vector& more = {});

}  // namespace fisherman
