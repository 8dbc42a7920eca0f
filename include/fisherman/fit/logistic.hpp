// Bayesian logistic regression from a table to a fitted Gaussian: what `fisherman fit logistic` does.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/logistic.hpp"

namespace fisherman {

/// A normal has 90% within so many standard deviations.
inline constexpr double ninety_percent = 1.6448536269514722;

struct LogisticSettings : GaussianSettings {
  double prior_variance = 10.0;
  std::int64_t minibatch = 0;
  bool intercept = true;
  /// Weak: with standard deviation 10 the log odds of an average row may be anything that data can tell from
  /// 0 or 1, and an intercept that some dozens of rows of each class determine is not pulled.
  double intercept_variance = 100.0;
  bool no_standardize = false;

  LogisticSettings() { eval_every = -1; }  // by what an evaluation costs
  void describe(Options& options);
};

/// One for each of so many columns, and one for the intercept, if there is one.
Vector prior_variances(const LogisticSettings& settings, Index columns);

/// What was done to the columns of the data, so that it can be done again to new rows.
struct Preparation {
  std::vector<std::string> names;  // of the coefficients; the intercept last, if there is one
  Vector shift, scale;             // x ↦ (x − shift)/scale; a constant column becomes 0
  bool intercept = false;
  std::vector<std::string> warnings;

  static Preparation of(const Matrix& x, std::vector<std::string> names,
                        const LogisticSettings& settings);
  /// The design matrix. Throws Misuse unless x has the columns that were prepared.
  Matrix design(Matrix x) const;
};

/// Throws Misuse for settings that do not go together. `method` must not be exact.
ErasedRun make_run(const LogisticTarget& target, const LogisticSettings& settings);

/// Of the frame of a run that was made with these settings.
GaussianPoint gaussian_point(const AnyFrame& frame, const LogisticSettings& settings);

struct LogisticFit {
  FitSummary end;
  GaussianPoint q;
};
/// By any method, the exact one included, which needs no driving.
LogisticFit fit_logistic(const LogisticTarget& target, const LogisticSettings& settings,
                         const Drive& drive);

/// For each row of the design: the posterior mean of P(y = 1), its standard deviation, and the 5% and
/// 95% quantiles.
Matrix predictive(const Matrix& design, const GaussianPoint& q);

}  // namespace fisherman
