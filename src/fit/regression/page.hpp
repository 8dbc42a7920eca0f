// What the sections of a regression page have in common: the runs, what they were fits of, and how far
// they came. Each function makes one section.
#pragma once

#include <vector>

#include "fisherman/fit/sections.hpp"
#include "fitted.hpp"
#include "page_problem.hpp"

namespace fisherman::regression_report {

using namespace report;  // NOLINT: the parts of a page

struct RegressionFits {
  const std::vector<ReportedFit>& runs;
  ReportedProblems problems;

  std::size_t size() const { return runs.size(); }
  bool alone() const { return runs.size() == 1; }
  const RegressionFitted& model(std::size_t k) const { return runs[k].as<RegressionFitted>(); }
  double objective(std::size_t k) const { return model(k).summary.objective; }
  /// NELBO above the exact optimum, in nats; NaN where that is not known.
  double gap(std::size_t k) const;
  double khat(std::size_t k) const { return model(k).ratios.k; }
  /// What the limits of k̂ are for: less where the ratios hardly vary.
  double judged_khat(std::size_t k) const { return model(k).ratios.judged(); }
  Status status(std::size_t k) const { return model(k).summary.status; }
};

/// "0.0011", or "less than 0.000001".
std::string gap_words(double nats);
Tone gap_tone(double nats);
/// That of the run, but a fit at the optimum is good whatever ended it.
Tone status_tone(const RegressionFits& fits, std::size_t k);

/// In a sentence or two, how the fits went.
Cell verdict(const RegressionFits& fits);
Section summary_section(const RegressionFits& fits);
Section course_section(const RegressionFits& fits);
Section coefficients_section(const RegressionFits& fits);
/// Leave-one-out, checks by drawn outcomes, calibration or residuals, marginal effects.
std::vector<Section> prediction_sections(const RegressionFits& fits);
Section diagnostics_section(const RegressionFits& fits);

/// "-123.4 ± 5.6".
Cell loo_cell(const LeaveOneOut& loo);

Page page(const std::vector<ReportedFit>& runs, const PageLimits& limits);

}  // namespace fisherman::regression_report
