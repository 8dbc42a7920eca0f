#include <algorithm>
#include <cctype>
#include <cmath>

#include "fisherman/fit/sections.hpp"
#include "fisherman/model/pareto.hpp"
#include "fitted.hpp"

namespace fisherman::density_report {

using namespace report;  // NOLINT: the parts of a page

namespace {

using Run = ReportedFit;

std::string nelbo_words(const Run& run) {
  return fixed(run.fit->summary.objective, 2) + " ± " +
         fixed(run.as<DensityFitted>().objective_error, 2);
}

/// Whose it is, before a sentence, where there are several.
std::string named(const Run& run, const std::vector<Run>& runs) {
  return runs.size() == 1 ? "" : "'" + run.name + "': ";
}

std::string as_sentence(std::string words) {
  if (!words.empty()) words[0] = char(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

Cell verdict(const std::vector<Run>& runs) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < runs.size(); ++k)
    if (runs[k].fit->summary.objective < runs[best].fit->summary.objective) best = k;
  const Run& run = runs[best];
  const DensityFitted& fit = run.as<DensityFitted>();
  const std::string who =
      runs.size() == 1 ? "The fit"
                       : sentence("Of ", runs.size(), " fits '", run.name, "' is lowest: it");
  Tone tone = status_tone(run);
  if (tone == Tone::good && !(fit.ratios.weights_correct() && fit.warnings.empty()))
    tone = Tone::mind;
  return {sentence(who, " ", status_words(run), " at a NELBO of ", nelbo_words(run), " nats, with ",
                   fit.gradients, " gradients. Pareto k̂ is ", fixed(fit.ratios.k, 2), ", ",
                   fit.ratios.verdict(), "."),
          tone};
}

Section overview(const std::vector<Run>& runs) {
  Section section("Summary");
  Grid grid{{{"run"},
             {"family"},
             {"status"},
             {"NELBO, nats", true},
             {"Pareto k̂", true},
             {"gradients", true},
             {"draws' worth", true},
             {"seconds", true}},
            {}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const DensityFitted& fit = runs[k].as<DensityFitted>();
    grid.rows.push_back(
        {{Cell(runs[k].name), Cell(fit.family->name),
          Cell(status_word(runs[k]), status_tone(runs[k])), Cell(nelbo_words(runs[k])),
          Cell(fixed(fit.ratios.k, 2), khat_tone(fit.ratios.judged())),
          Cell(figure(double(fit.gradients), 10)), Cell(fixed(fit.ess, 0)),
          Cell(figure(fit.summary.seconds, 3))},
         false,
         runs.size() == 1 ? -1 : int(k)});
  }
  add_overview(section, grid);
  for (const Run& run : runs)
    for (const std::string& warning : run.fit->warnings)
      section.paragraph(named(run, runs) + as_sentence(warning), Tone::mind);
  return section;
}

Section quantities(const std::vector<Run>& runs) {
  Section section("Quantities");
  const DensityFitted& first = runs[0].as<DensityFitted>();
  if (first.summaries.size() == 0)
    return section.paragraph("There are no draws of this fit.", Tone::mind);
  for (const Run& run : runs) {
    const DensityFitted& fit = run.as<DensityFitted>();
    const std::string& what = fit.family->what;
    section.paragraph(named(run, runs) +
                      (fit.weighted
                           ? sentence("From draws that are weighted by importance, which corrects "
                                      "for what the ",
                                      what, " misses.")
                           : sentence("From draws of the ", what, " as they are.")));
  }
  Forest forest;
  for (const Run& run : runs) forest.series.push_back(run.name);
  Grid grid{{{"quantity"},
             {"mean", true},
             {"sd", true},
             {"5%", true},
             {"50%", true},
             {"95%", true},
             {"draws' worth", true},
             {"Pareto k̂", true}},
            {}};
  for (Index j = 0; j < first.summaries.rows(); ++j) {
    const std::string& name = first.quantities[std::size_t(j)];
    const auto row = first.summaries.row(j);
    grid.rows.push_back({{Cell(name), Cell(figure(row(0))), Cell(figure(row(1))),
                          Cell(figure(row(2))), Cell(figure(row(3))), Cell(figure(row(4))),
                          Cell(fixed(row(5), 0)), Cell(fixed(row(6), 2), khat_tone(row(6)))}});
    Forest::Row& shown = forest.rows.emplace_back(Forest::Row{name, {}, 0.0});
    for (const Run& run : runs) {
      const DensityFitted& fit = run.as<DensityFitted>();
      const auto at = std::find(fit.quantities.begin(), fit.quantities.end(), name);
      if (at == fit.quantities.end() || fit.summaries.size() == 0) {
        shown.intervals.emplace_back(std::nullopt);
        continue;
      }
      const auto of = fit.summaries.row(at - fit.quantities.begin());
      shown.intervals.emplace_back(Forest::Interval{of(3), of(2), of(4)});
      shown.strength = std::max(shown.strength, std::abs(of(0)) / std::max(of(1), 1e-300));
    }
  }
  section.forest(std::move(forest));
  return section.table(std::move(grid), "All quantities, as numbers");
}

Section course(const std::vector<Run>& runs) {
  Section section("The way there");
  std::vector<Course> courses;
  for (const Run& run : runs)
    courses.push_back(
        {run.name, run.column("iteration"), run.column("seconds"), run.column("objective")});
  return section.chart(course_chart(courses, "NELBO, nats", std::nullopt),
                       "The NELBO on the way, from the gradients of each iteration.");
}

}  // namespace

Page page(const std::vector<ReportedFit>& runs, const PageLimits& /*limits*/) {
  const DensityFitted& fit = runs[0].as<DensityFitted>();
  Page page;
  page.title = "Posterior of " + fit.name;
  page.about =
      sentence(runs.size() == 1 ? "a " + fit.family->what + " of " : "", fit.coordinates.size(),
               " coordinates on the unconstrained scale; ", fit.quantities.size(), " quantities");
  page.verdict = verdict(runs);
  page.sections = {overview(runs), quantities(runs), course(runs), settings_section(runs)};
  return page;
}

}  // namespace fisherman::density_report
