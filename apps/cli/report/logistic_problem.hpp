// What a logistic fit was a fit of, found again: its data, and the optimum that it could have reached.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../logistic_model.hpp"
#include "fisherman/model/logistic.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

struct LogisticProblem {
  std::shared_ptr<const LogisticTarget> target;  // none without the data
  std::string data_missing;                      // why there are no data
  std::optional<double> optimum;                 // the least NELBO of all Gaussians
  std::string optimum_source;                    // where it is from, or why it is not there
  std::vector<std::string> warnings;             // about the data
};

/// Where to look for data besides the place that config.json names, and what it may cost.
struct LogisticSources {
  std::vector<std::filesystem::path> data = {};
  std::shared_ptr<const LogisticTarget> target = {};  // of the one run, if it is in memory already
  std::vector<std::string> warnings = {};             // of that run
  double most_operations = 1e300;  // the optimum is left out if it takes more; see operations()
};

/// Floating-point operations that the exact solver may take for n rows and d coefficients, roughly: a
/// pass over the data makes X·Σ and XᵀDX (4nd²), factorises (about 10d³) and integrates a row in some
/// 2,000. The data sets of the paper take 8 to 70 passes; 60 are counted.
double operations(double n, double d);

/// Runs of one problem share it: same data, prior and preparation.
class LogisticProblems {
 public:
  LogisticProblems(const std::vector<Run>& runs, const std::vector<LogisticModel>& models,
                   LogisticSources sources);

  const LogisticProblem& of(std::size_t run) const { return problems_.at(keys_[run]); }
  std::size_t count() const { return problems_.size(); }

 private:
  LogisticProblem found(const Run& run, const LogisticModel& model) const;
  void find_optimum(LogisticProblem& problem) const;

  LogisticSources sources_;
  std::vector<std::string> keys_;  // one a run
  std::map<std::string, LogisticProblem> problems_;
};

}  // namespace fisherman::cli::report
