#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/calibration.hpp"
#include "fisherman/fit/sections.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/model/pareto.hpp"
#include "fitted.hpp"

namespace fisherman::flow_report {

using namespace report;  // NOLINT: the parts of a page

namespace {

using Run = ReportedFit;

std::string plus_minus(const Run& run) {
  return fixed(run.fit->summary.objective, 2) + " ± " +
         fixed(run.as<FlowFitted>().objective_error, 2);
}

Cell verdict(const std::vector<Run>& runs) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < runs.size(); ++k)
    if (runs[k].fit->summary.objective < runs[best].fit->summary.objective) best = k;
  const Run& run = runs[best];
  const double khat = run.as<FlowFitted>().khat;
  const std::string who =
      runs.size() == 1 ? "The fit"
                       : sentence("Of ", runs.size(), " fits '", run.name, "' is lowest: it");
  std::string said =
      sentence(who, " ", status_words(run), " at a NELBO of ", plus_minus(run), " nats.");
  Tone tone = status_tone(run);
  if (!std::isnan(khat)) {
    said += sentence(" Pareto k̂ is ", fixed(khat, 2), ", ", pareto_verdict(khat), ".");
    if (khat >= 0.7 && tone == Tone::good) tone = Tone::mind;
  }
  return {said, tone};
}

Section summary(const std::vector<Run>& runs) {
  Section section("Summary");
  Grid grid{{{"run"},
             {"status"},
             {"NELBO, nats", true},
             {"Pareto k̂", true},
             {"weights", true},
             {"coordinates of the family", true},
             {"iterations", true},
             {"seconds", true}},
            {}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Run& run = runs[k];
    const double khat = run.as<FlowFitted>().khat;
    grid.rows.push_back({{Cell(run.name), Cell(status_word(run), status_tone(run)),
                          Cell(plus_minus(run)), Cell(fixed(khat, 2), khat_tone(khat)),
                          Cell(figure(double(run.as<FlowFitted>().weights()), 10)),
                          Cell(figure(double(run.as<FlowFitted>().frame->dimension()), 10)),
                          Cell(figure(double(run.fit->summary.iterations), 10)),
                          Cell(figure(run.fit->summary.seconds, 3))},
                         false,
                         runs.size() == 1 ? -1 : int(k)});
  }
  add_overview(section, grid);
  return section.paragraph(
      "The NELBO, in nats with all constants, is estimated with draws that the fit has not seen; "
      "what follows ± is the standard error of that estimate. Fits of the same data, network and "
      "prior can be compared by it, whatever their family: lower is closer to the posterior.");
}

Section course(const std::vector<Run>& runs) {
  Section section("The way there");
  std::vector<Course> courses;
  for (const Run& run : runs) {
    const auto& values = run.column("objective");
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
      courses.push_back({run.name, run.column("iteration"), run.column("seconds"), values});
  }
  if (courses.empty())
    return section.paragraph("No values of the NELBO were left on the way (--eval-every 0).");
  return section.chart(course_chart(courses, "NELBO, nats", std::nullopt),
                       "The NELBO on the way, estimated with fewer draws than at the end.");
}

std::vector<Predicted> predicted(const std::vector<Run>& runs, Index& of_rows) {
  std::vector<Predicted> out;
  for (const Run& run : runs) {
    const FlowFitted& model = run.as<FlowFitted>();
    Predicted& one = out.emplace_back(Predicted{run.name, {}, {}, {}});
    std::optional<SpreadRows> rows = model.seen;
    if (!rows)
      if (const std::shared_ptr<const FitData> data = run.data(one.missing)) {
        Table table = with_columns(data->table, model.columns, data->where);
        rows =
            SpreadRows::from(model.preparation.design(table),
                             binary_labels(data->table.labels, model.classes, data->labels_where));
      }
    if (!rows) continue;
    of_rows = std::max(of_rows, rows->of);
    one.y = rows->y;
    one.p = model.predictive(rows->x).col(0);
  }
  return out;
}

Section diagnostics(const std::vector<Run>& runs) {
  Section section("Diagnostics");
  Grid grid{{{"run"}, {"Pareto k̂", true}, {"steps not taken", true}, {"eigenvalues clipped", true}},
            {}};
  std::vector<Cell> notes;
  for (const Run& run : runs) {
    const std::string who = runs.size() == 1 ? "" : "'" + run.name + "': ";
    const double khat = run.as<FlowFitted>().khat, rejected = double(run.fit->summary.rejected);
    grid.rows.push_back({{Cell(run.name), Cell(fixed(khat, 2), khat_tone(khat)),
                          Cell(figure(rejected, 10), rejected > 0.0 ? Tone::mind : Tone::plain),
                          Cell(figure(double(run.fit->summary.clips), 10))}});
    if (status_tone(run) != Tone::good)
      notes.emplace_back(who + run.fit->summary.sentence, status_tone(run));
    if (khat >= 0.7)
      notes.emplace_back(sentence(who, "Pareto k̂ is ", fixed(khat, 2), ", ", pareto_verdict(khat),
                                  ". Predictions average over what the family misses and are less "
                                  "affected than intervals of single weights, of which many are "
                                  "interchangeable."),
                         Tone::mind);
  }
  section.table(grid);
  if (notes.empty()) return section.paragraph("There is nothing to warn of.", Tone::good);
  return section.list(notes);
}

}  // namespace

Page page(const std::vector<ReportedFit>& runs, const PageLimits& /*limits*/) {
  const FlowFitted& model = runs[0].as<FlowFitted>();
  Page page;
  page.title =
      sentence(model.settings.target == FlowTarget::logistic ? "Logistic regression by a flow: "
                                                             : "Bayesian neural network: ",
               data_name(runs[0]));
  page.about =
      sentence(model.weights(), " weights, each with prior N(0, ",
               figure(model.settings.prior_variance), "); family ", name(model.settings.family),
               "; the probability is that of ", model.label, " = ", model.classes[1]);
  page.verdict = verdict(runs);
  Index rows = 0;
  Section calibration = calibration_section(predicted(runs, rows));
  if (rows > SpreadRows::most)
    calibration.paragraph(sentence("Of ", rows, " rows, ", SpreadRows::most,
                                   " were taken for this, evenly spread over the file."));
  page.sections = {summary(runs), course(runs), calibration, settings_section(runs),
                   diagnostics(runs)};
  return page;
}

}  // namespace fisherman::flow_report
