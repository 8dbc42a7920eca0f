// The paper's rates, measured: how fast the iterates reach the optimum (thm:convergence-rate), how fast the estimate
// reaches the Fisher operator (thm:fisher-consistency), and how well ½F[v,v] is the Kullback-Leibler divergence of a
// short step (appendix:kl-fisher-manifold).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "summary.hpp"

namespace fisherman::cli::study {

struct RatesOptions {
  std::int64_t iterations, seeds;
  std::filesystem::path folder = {};  // runs that have ended are kept there, and not run again
  std::function<void(const std::string&)> say = [](const std::string&) {};  // one call a run
};

/// A power law on logarithmic axes.
struct Slope {
  double value, error;  // the standard error over seeds, by leaving out one seed at a time
};

struct Rate {
  Band band;  // against iterations, or 1/|v|
  Slope slope;
  double bound;  // the slope that the theory allows at the most
  std::string claim, where;
  bool holds() const { return slope.value <= bound + 2.0 * slope.error; }
};

struct Rates {
  std::vector<Rate> distances, operators, divergences;
};

/// Least squares on logarithmic axes.
double fitted_slope(const std::vector<double>& x, const std::vector<double>& y);
/// Of the mean over seeds, one row a seed.
Slope slope_of_mean(const std::vector<double>& x, const std::vector<std::vector<double>>& y);

/// On as many threads as the library may use.
Rates measured_rates(const RatesOptions& options);

/// report.html, iterates.svg, fisher.svg, divergence.svg, rates.csv and verdicts.txt.
void write_rates(const Rates& rates, const RatesOptions& options);

}  // namespace fisherman::cli::study
