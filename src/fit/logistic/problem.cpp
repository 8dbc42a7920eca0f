#include "problem.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"
#include "fitted.hpp"

namespace fisherman::logistic_report {
namespace {

std::string key_of(const ReportedFit& run) {
  std::string key;
  for (const char* part : {"checksum", "labels-checksum", "label", "prior-variance", "intercept",
                           "intercept-variance", "no-standardize"})
    key += run.settings.text(part) + '\n';
  return key;
}

// The optimum is drawn on a chart whose axis ends at 1e-6 nats; a hundredth of that is plenty.
constexpr double tolerance = 1e-8;

LogisticProblem found(const ReportedFit& run, const LogisticSettings& settings) {
  LogisticProblem problem;
  const LogisticFitted& fit = run.as<LogisticFitted>();
  if (fit.target) {
    problem.target = fit.target;
    problem.warnings = fit.warnings;
    return problem;
  }
  const std::shared_ptr<const FitData> data = run.data(problem.data_missing);
  if (!data) return problem;
  problem.warnings = Preparation::of(data->table.x, data->table.names, settings).warnings;
  problem.target = std::make_shared<LogisticTarget>(
      fit.preparation.design(columns_of(data->table, fit.columns, data->where)),
      binary_labels(data->table.labels, fit.classes, data->labels_where),
      prior_variances(settings, Index(fit.columns.size())));
  return problem;
}

void find_optimum(LogisticProblem& problem, const PageLimits& limits) {
  if (!problem.target) {
    problem.optimum_source = problem.data_missing;
    return;
  }
  const LogisticTarget& target = *problem.target;
  const double cost = operations(double(target.rows()), double(target.dimension()));
  if (cost > limits.operations) {
    problem.optimum_source =
        sentence("The exact optimum was left out here, because finding it may take about ",
                 report::figure(cost / 1e9, 2),
                 "e9 operations. To have it: fisherman report on this folder.");
    return;
  }
  try {
    problem.optimum = exact_optimum(target, tolerance).nelbo;
    problem.optimum_source = "the deterministic solver, which was run for this page";
  } catch (const NotFinite& e) {
    problem.optimum_source = sentence("The exact solver failed: ", e.what(), ".");
  }
}

}  // namespace

double operations(double n, double d) {
  return 60.0 * (4.0 * n * d * d + 10.0 * d * d * d + 2000.0 * n);
}

LogisticProblems::LogisticProblems(const std::vector<ReportedFit>& runs, const PageLimits& limits) {
  for (const ReportedFit& run : runs) {
    FitSettingsOf<LogisticSettings> settings;
    set_options(settings.options, run.settings);
    const std::string key = keys_.emplace_back(key_of(run));
    if (!problems_.count(key)) problems_[key] = found(run, settings.values);
    LogisticProblem& problem = problems_[key];
    if (settings.values.method != GaussianMethod::exact ||
        run.fit->summary.status != Status::converged)
      continue;
    problem.optimum = run.fit->summary.objective;
    problem.optimum_source = "the run '" + run.name + "', which is the exact solver's";
  }
  for (auto& [key, problem] : problems_)
    if (!problem.optimum) find_optimum(problem, limits);
}

}  // namespace fisherman::logistic_report
