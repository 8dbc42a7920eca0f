#include "flow.hpp"

#include <algorithm>
#include <cmath>

#include "../flow_model.hpp"
#include "calibration.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/model/pareto.hpp"
#include "sections.hpp"

namespace fisherman::cli::report {
namespace {

// A prediction costs a pass of the network for each of 1,000 draws; so many rows show all there is to see.
constexpr Index most_predicted = 4000;

std::string plus_minus(const Run& run) {
  return fixed(number(run.result, "objective"), 2) + " ± " +
         fixed(number(run.result, "objective_error"), 2);
}

Cell verdict(const std::vector<Run>& runs) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < runs.size(); ++k)
    if (number(runs[k].result, "objective") < number(runs[best].result, "objective")) best = k;
  const Run& run = runs[best];
  const double khat = number(run.result, "khat");
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
    const double khat = number(run.result, "khat");
    grid.rows.push_back(
        {{Cell(run.name), Cell(status_word(run), status_tone(run)), Cell(plus_minus(run)),
          Cell(fixed(khat, 2), khat_tone(khat)), Cell(figure(number(run.result, "weights"), 10)),
          Cell(figure(number(run.result, "coordinates"), 10)),
          Cell(figure(number(run.result, "iterations"), 10)),
          Cell(figure(number(run.result, "seconds"), 3))},
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

std::vector<Predicted> predicted(const std::vector<Run>& runs,
                                 const std::vector<std::filesystem::path>& places, Index& of_rows) {
  std::vector<Predicted> out;
  for (const Run& run : runs) {
    const FlowModel model = FlowModel::from_json(run.model, (run.folder / "model.json").string());
    Predicted one{run.name, {}, {}, {}};
    if (std::optional<Table> table =
            read_data(run, places, Index(model.columns.size()), one.missing)) {
      const std::string file = text(run.config, "data");
      const Vector y = binary_labels(table->labels, model.classes, file);
      const Index rows = table->x.rows(), kept = std::min(rows, most_predicted);
      of_rows = std::max(of_rows, rows);
      Matrix chosen(kept, table->x.cols());
      one.y.resize(kept);
      for (Index i = 0; i < kept; ++i) {  // spread over the file
        chosen.row(i) = table->x.row(i * rows / kept);
        one.y(i) = y(i * rows / kept);
      }
      table->x = std::move(chosen);
      one.p = model.predictive(*table, file).col(0);
    }
    out.push_back(std::move(one));
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
    const double khat = number(run.result, "khat"), rejected = number(run.result, "rejected");
    grid.rows.push_back({{Cell(run.name), Cell(fixed(khat, 2), khat_tone(khat)),
                          Cell(figure(rejected, 10), rejected > 0.0 ? Tone::mind : Tone::plain),
                          Cell(figure(number(run.result, "clips"), 10))}});
    if (status_tone(run) != Tone::good)
      notes.emplace_back(who + text(run.result, "sentence"), status_tone(run));
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

Page flow_page(const std::vector<Run>& runs, const std::vector<std::filesystem::path>& data) {
  const FlowModel model =
      FlowModel::from_json(runs[0].model, (runs[0].folder / "model.json").string());
  Page page;
  page.title =
      sentence(model.settings.target == FlowTarget::logistic ? "Logistic regression by a flow: "
                                                             : "Bayesian neural network: ",
               std::filesystem::path(text(runs[0].config, "data")).filename().string());
  page.about =
      sentence(model.weights, " weights, each with prior N(0, ",
               figure(model.settings.prior_variance), "); family ", name(model.settings.family),
               "; the probability is that of ", model.label, " = ", model.classes[1]);
  page.verdict = verdict(runs);
  page.footer = made_from(runs);
  FlowSettings settings;
  Options options;
  settings.describe(options);
  Index rows = 0;
  Section calibration = calibration_section(predicted(runs, data, rows));
  if (rows > most_predicted)
    calibration.paragraph(sentence("Of ", rows, " rows, ", most_predicted,
                                   " were taken for this, evenly spread over the file."));
  page.sections = {summary(runs), course(runs), calibration, settings_section(runs, options),
                   diagnostics(runs)};
  return page;
}

}  // namespace fisherman::cli::report
