#include "logistic_problem.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "html.hpp"

namespace fisherman::cli::report {
namespace {

namespace fs = std::filesystem;

std::string key_of(const Run& run) {
  std::string key;
  for (const char* part : {"checksum", "labels-checksum", "label", "prior-variance", "intercept",
                           "intercept-variance", "no-standardize"})
    key += text(run.config, part) + '\n';
  return key;
}

// The optimum is drawn on a chart whose axis ends at 1e-6 nats; a hundredth of that is plenty.
constexpr double tolerance = 1e-8;

}  // namespace

double operations(double n, double d) {
  return 60.0 * (4.0 * n * d * d + 10.0 * d * d * d + 2000.0 * n);
}

LogisticProblems::LogisticProblems(const std::vector<Run>& runs,
                                   const std::vector<LogisticModel>& models,
                                   LogisticSources sources)
    : sources_(std::move(sources)) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    keys_.push_back(key_of(runs[k]));
    if (!problems_.count(keys_[k])) problems_[keys_[k]] = found(runs[k], models[k]);
    LogisticProblem& problem = problems_[keys_[k]];
    if (text(runs[k].config, "method") != "exact" || text(runs[k].result, "status") != "converged")
      continue;
    problem.optimum = number(runs[k].result, "objective");
    problem.optimum_source = "the run '" + runs[k].name + "', which is the exact solver's";
  }
  for (auto& [key, problem] : problems_)
    if (!problem.optimum) find_optimum(problem);
}

LogisticProblem LogisticProblems::found(const Run& run, const LogisticModel& model) const {
  LogisticProblem problem;
  if (sources_.target) {
    problem.target = sources_.target;
    problem.warnings = sources_.warnings;
    return problem;
  }
  const std::optional<Table> table =
      read_data(run, sources_.data, Index(model.columns.size()), problem.data_missing);
  if (!table) return problem;
  const std::string file = text(run.config, "data");
  LogisticSettings settings;
  settings.prior_variance = number(run.config, "prior-variance");
  settings.intercept = model.preparation.intercept;
  settings.intercept_variance = number(run.config, "intercept-variance");
  if (std::isnan(settings.intercept_variance))  // a fit from before it was an option
    settings.intercept_variance = settings.prior_variance;
  settings.no_standardize = text(run.config, "no-standardize") == "true";
  problem.warnings = Preparation::of(table->x, table->names, settings).warnings;
  problem.target = std::make_shared<LogisticTarget>(
      model.design(*table, file), binary_labels(table->labels, model.classes, file),
      prior_variances(settings, Index(model.columns.size())));
  return problem;
}

void LogisticProblems::find_optimum(LogisticProblem& problem) const {
  if (!problem.target) {
    problem.optimum_source = problem.data_missing;
    return;
  }
  const LogisticTarget& target = *problem.target;
  const double cost = operations(double(target.rows()), double(target.dimension()));
  if (cost > sources_.most_operations) {
    problem.optimum_source = sentence(
        "The exact optimum was left out here, because finding it may take about ",
        figure(cost / 1e9, 2), "e9 operations. To have it: fisherman report on this folder.");
    return;
  }
  try {
    problem.optimum = exact_optimum(target, tolerance).nelbo;
    problem.optimum_source = "the deterministic solver, which was run for this page";
  } catch (const NotFinite& e) {
    problem.optimum_source = sentence("The exact solver failed: ", e.what(), ".");
  }
}

}  // namespace fisherman::cli::report
