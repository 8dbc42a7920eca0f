#include "page_problem.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"
#include "fitted.hpp"

namespace fisherman::regression_report {
namespace {

std::string key_of(const ReportedFit& run) {
  std::string key;
  for (const char* part : {"checksum", "labels-checksum", "label", "drop"})
    key += run.settings.text(part) + '\n';
  for (const std::string& option : fit_kind(run.as<RegressionFitted>().kind).problem_options)
    key += run.settings.text(option) + '\n';
  return key;
}

// The optimum is drawn on a chart whose axis ends at 1e-6 nats; a hundredth of that is plenty.
constexpr double tolerance = 1e-8;

ReportedProblem found(const ReportedFit& run, const RegressionSettings& settings) {
  ReportedProblem problem;
  const RegressionFitted& fit = run.as<RegressionFitted>();
  if (fit.target) {
    problem.target = fit.target;
    problem.warnings = fit.warnings;
    return problem;
  }
  const std::shared_ptr<const FitData> data = run.data(problem.data_missing);
  if (!data) return problem;
  problem.target = regression_problem(*data, settings, &fit).target;
  problem.warnings = fit.plan.warnings;
  return problem;
}

void find_optimum(ReportedProblem& problem, const PageLimits& limits) {
  if (!problem.target) {
    problem.optimum_source = problem.data_missing;
    return;
  }
  const RegressionTarget& target = *problem.target;
  const double cost =
      operations(double(target.rows()), double(target.dimension()), double(target.predictors()));
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

double operations(double n, double d, double predictors) {
  const double row =
      predictors == 1.0 ? 2000.0 : double(usual_nodes) * predictors * (20.0 + 2.0 * predictors);
  return 60.0 * (4.0 * n * d * d + 10.0 * d * d * d + row * n);
}

ReportedProblems::ReportedProblems(const std::vector<ReportedFit>& runs, const PageLimits& limits) {
  for (const ReportedFit& run : runs) {
    FitSettingsOf<RegressionSettings> settings;
    set_options(settings.options, run.settings);
    const std::string key = keys_.emplace_back(key_of(run));
    if (!problems_.count(key)) problems_[key] = found(run, settings.values);
    ReportedProblem& problem = problems_[key];
    if (settings.values.method != GaussianMethod::exact ||
        run.fit->summary.status != Status::converged)
      continue;
    problem.optimum = run.fit->summary.objective;
    problem.optimum_source = "the run '" + run.name + "', which is the exact solver's";
  }
  for (auto& [key, problem] : problems_)
    if (!problem.optimum) find_optimum(problem, limits);
}

}  // namespace fisherman::regression_report
