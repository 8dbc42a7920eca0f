// What the sections of a logistic page have in common: the runs, what they were fits of, and how far
// they came. Each function makes one section.
#pragma once

#include <vector>

#include "fisherman/fit/sections.hpp"
#include "fitted.hpp"
#include "problem.hpp"

namespace fisherman::logistic_report {

using namespace report;  // NOLINT: the parts of a page

struct LogisticFits {
  const std::vector<ReportedFit>& runs;
  LogisticProblems problems;

  std::size_t size() const { return runs.size(); }
  bool alone() const { return runs.size() == 1; }
  const LogisticFitted& model(std::size_t k) const { return runs[k].as<LogisticFitted>(); }
  double objective(std::size_t k) const { return model(k).summary.objective; }
  /// NELBO above the exact optimum, in nats; NaN where that is not known.
  double gap(std::size_t k) const;
  double khat(std::size_t k) const { return model(k).khat; }
  Status status(std::size_t k) const { return model(k).summary.status; }
};

/// "0.0011", or "less than 0.000001".
std::string gap_words(double nats);
Tone gap_tone(double nats);
/// That of the run, but a fit at the optimum is good whatever ended it.
Tone status_tone(const LogisticFits& fits, std::size_t k);

/// In a sentence or two, how the fits went.
Cell verdict(const LogisticFits& fits);
Section summary_section(const LogisticFits& fits);
Section course_section(const LogisticFits& fits);
Section coefficients_section(const LogisticFits& fits);
Section diagnostics_section(const LogisticFits& fits);

Page page(const std::vector<ReportedFit>& runs, const PageLimits& limits);

}  // namespace fisherman::logistic_report
