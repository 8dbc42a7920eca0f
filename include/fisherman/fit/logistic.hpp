// Bayesian logistic regression from a table to a fitted Gaussian: what `fisherman fit logistic` does.
#pragma once

#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/preparation.hpp"
#include "fisherman/model/logistic.hpp"

namespace fisherman {

struct LogisticSettings : GaussianSettings, ColumnSettings {
  std::int64_t minibatch = 0;

  LogisticSettings() { eval_every = -1; }  // by what an evaluation costs
  void describe(Options& options);
  static Words<GaussianMethod> methods();
};

/// Throws Misuse for settings that do not go together.
ErasedRun make_run(const LogisticTarget& target, const LogisticSettings& settings);

/// Of the frame of a run that was made with these settings.
GaussianPoint gaussian_point(const AnyFrame& frame, const LogisticSettings& settings);

struct LogisticFit {
  FitSummary end;
  GaussianPoint q;
};
/// By any method.
LogisticFit fit_logistic(const LogisticTarget& target, const LogisticSettings& settings,
                         const Drive& drive);

/// The Gaussian of least NELBO.
struct LogisticOptimum {
  Vector mean;
  Matrix covariance;
  double nelbo;
  Index iterations;
};

/// What --method exact finds: L-BFGS in Fisher's geometry with exact expectations, until a step promises less than
/// `tolerance` nats. Throws NotFinite if that is not reached.
LogisticOptimum exact_optimum(const LogisticTarget& target, double tolerance = 1e-10);

/// For each row of the design: the posterior mean of P(y = 1), its standard deviation, and the 5% and
/// 95% quantiles.
Matrix predictive(const Matrix& design, const GaussianPoint& q);

}  // namespace fisherman
