// What several runs of one method came to: their mean with its standard error, along the way and at the end.
#pragma once

#include <string>
#include <vector>

#include "../report/html.hpp"
#include "store.hpp"

namespace fisherman::cli::study {

/// A mean over runs.
struct Estimate {
  double mean, error;  // the standard error: 0 for one run
};
Estimate estimate(const std::vector<double>& values);

/// The mean of the runs at each iteration where all of them have a value. From where the first has diverged there is
/// none: a mean over the others would flatter the method.
struct Band {
  std::string label;
  std::vector<double> iterations, seconds, mean, error;  // seconds: the mean time at that iteration
  std::size_t runs = 0, well = 0;
  double run_seconds = 0.0;  // the mean of whole runs
  /// What is left of it when a constant is subtracted: a gap.
  Band above(double value) const;
  /// What of it is not after an iteration.
  Band until(double iteration) const;
  double last() const;  // NaN unless all runs ended well
  double last_error() const;
  /// The first iteration from which the mean stays below a level; NaN if there is none.
  double below(double level) const;
};
Band band(std::string label, const std::vector<Trial>& runs);

/// Bands against iterations and seconds, as page.js draws them. With `log`, nothing is drawn below `floor`.
report::Chart band_chart(const std::vector<Band>& bands, const std::string& y_name, bool log,
                         double floor);

/// label,iteration,seconds,runs,mean,standard_error: a line a point.
std::string bands_csv(const std::vector<Band>& bands, const std::string& value_name);

/// trial,attempts,status,objective,iterations,seconds,command: a line a trial.
std::string trials_csv(const std::vector<Trial>& trials);

}  // namespace fisherman::cli::study
