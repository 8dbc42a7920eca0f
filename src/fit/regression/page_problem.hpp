// What a regression was a fit of, found again: its data, and the optimum that it could have reached.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/model/regression.hpp"

namespace fisherman::regression_report {

struct ReportedProblem {
  std::shared_ptr<const RegressionTarget> target;  // none without the data
  std::string data_missing;                        // why there are no data
  std::optional<double> optimum;                   // the least NELBO of all Gaussians
  std::string optimum_source;                      // where it is from, or why it is not there
  std::vector<std::string> warnings;               // about the data

  /// The rows to look at: all, or some of them where ranks share them or they are in a file.
  RegressionTarget rows() const {
    return target->part().is_whole() && target->in_memory() ? *target : target->sample(20000);
  }
};

/// Floating-point operations that the exact solver may take for n rows and d coefficients, roughly: a
/// pass over the data makes X·Σ and XᵀDX (4nd²), factorises (about 10d³) and integrates a row in some
/// 2,000, or with several linear predictors at all nodes. The data sets of the paper take 8 to 70 passes; 60 are counted.
double operations(double n, double d, double predictors = 1.0);

/// Runs of one problem share it: same data, prior and preparation.
class ReportedProblems {
 public:
  ReportedProblems(const std::vector<ReportedFit>& runs, const PageLimits& limits);

  const ReportedProblem& of(std::size_t run) const { return problems_.at(keys_[run]); }
  std::size_t count() const { return problems_.size(); }

 private:
  std::vector<std::string> keys_;  // one a run
  std::map<std::string, ReportedProblem> problems_;
};

}  // namespace fisherman::regression_report
