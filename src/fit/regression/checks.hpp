// How well a fitted regression predicts its own rows, and whether outcomes drawn from it look like them.
#pragma once

#include <string>
#include <vector>

#include "fisherman/fit/fields.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/model/regression.hpp"

namespace fisherman {

/// Leave-one-out predictive density: Σ log p(yᵢ | all others), by Pareto-smoothed importance weights of draws of q. They
/// lead from q to the posterior, and from there to the posterior without the row.
struct LeaveOneOut {
  double elpd = Record::unknown;   // the sum over all rows, in nats
  double error = Record::unknown;  // its standard error
  double effective =
      Record::unknown;  // number of parameters: how much better rows are predicted that were fitted
  Index rows = 0;       // that were left out, spread evenly over all, if these are too many
  Index doubtful =
      0;  // of them: removing one changes the posterior too much for weights, by RatioCheck
  double largest_k = Record::unknown;  // as RatioCheck judges it
  Index all_rows = 0;
  RatioCheck correction;  // of the weights that lead from q to the posterior
  Vector pointwise;       // densities of the rows that were left out

  Fields fields() const;
};
LeaveOneOut leave_one_out(const RegressionTarget& target, const GaussianPoint& q,
                          std::uint64_t seed);

/// A statistic of the outcomes, and of outcomes drawn from the fit.
struct PredictiveCheck {
  std::string name;
  double observed, low, middle, high;  // 5%, 50%, 95% of the drawn ones
  double above;                        // share of drawn ones at least as large
};
/// With several linear predictors the statistics are the shares of the classes.
std::vector<PredictiveCheck> predictive_checks(const RegressionTarget& target,
                                               const GaussianPoint& q, std::uint64_t seed,
                                               const std::vector<std::string>& classes);

/// The change of the expected outcome for one unit of a column, on average over the rows.
struct MarginalEffect {
  std::string name;
  double mean, sd, low, high;
};
/// From draws of θ, one a row, and of the coefficients of the named columns in their own units, for the same draws.
std::vector<MarginalEffect> marginal_effects(const RegressionTarget& target, const Matrix& thetas,
                                             const Matrix& own,
                                             const std::vector<std::string>& names);
/// The same for the probability of each class.
std::vector<MarginalEffect> class_effects(const RegressionTarget& target, const Matrix& thetas,
                                          const Matrix& own, const std::vector<std::string>& terms,
                                          const std::vector<std::string>& classes);

}  // namespace fisherman
