
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "fisherman/core/error.hpp"
#include "fisherman/model/pareto.hpp"
#include "page.hpp"

namespace fisherman::regression_report {
namespace {

// A gap in nats is how much further the fit is from the posterior, in Kullback-Leibler divergence, than the best
// Gaussian. At 0.02 no interval on the page looks different; at 0.2 some may.
constexpr double close = 0.02, near = 0.2;
constexpr double axis_end = 1e-6;  // smaller gaps are drawn, and told, as this

Cell verdict_of_one(const RegressionFits& fits) {
  const double gap = fits.gap(0), khat = fits.judged_khat(0);
  std::string said = "The fit " + status_words(fits.runs[0]);
  Tone tone = std::isnan(gap) ? status_tone(fits, 0) : gap_tone(gap);
  if (fits.status(0) == Status::diverged) tone = Tone::bad;
  if (!std::isnan(gap)) {
    said += ", " + gap_words(gap) + " nats above the exact optimum";
    said += gap < close  ? ": for all practical purposes at it."
            : gap < near ? ": close to it."
                         : ": what it could still gain is worth having.";
  } else {
    said += "; how far it is from the optimum is not known here.";
  }
  if (!std::isnan(khat)) {
    const RatioCheck& ratios = fits.model(0).ratios;
    said += khat < 0.5 ? " The Gaussian is close to the posterior"
            : khat < 0.7
                ? " The Gaussian is usable for means and intervals, less so for tails"
                : " The Gaussian is not close to the posterior, whose uncertainty it understates";
    said += " (Pareto k̂ " + fixed(fits.khat(0), 2) +
            (ratios.decided_by_variation()
                 ? std::string(", but of importance ratios that vary by ") +
                       (ratios.vary_much() ? "" : "only ") +
                       fixed(std::max(1.0, 100.0 * ratios.variation), 0) + "%)."
                 : ").");
    if (khat >= 0.7 && tone == Tone::good) tone = Tone::mind;
  }
  return {said, tone};
}

Cell verdict_of_many(const RegressionFits& fits) {
  std::size_t reached = 0, known = 0, best = 0;
  double worst_khat = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const double gap = fits.gap(k);
    if (std::isnan(fits.gap(best)) || gap < fits.gap(best)) best = k;
    if (!std::isnan(gap)) ++known;
    if (gap < close) ++reached;
    if (!std::isnan(fits.judged_khat(k))) worst_khat = std::max(worst_khat, fits.judged_khat(k));
  }
  if (known == 0)
    return {sentence(fits.size(), " runs; how far they are from the optimum is not known here."),
            Tone::mind};
  std::string said = sentence(reached, " of ", fits.size(), " runs ended within ", close,
                              " nats of the exact optimum; the nearest is '", fits.runs[best].name,
                              "', ", gap_words(fits.gap(best)), " nats above it.");
  Tone tone = reached == fits.size() ? Tone::good : Tone::mind;
  if (worst_khat < 0.5 && std::isfinite(worst_khat))
    said +=
        " The Gaussian is close to the posterior (Pareto k̂ up to " + fixed(worst_khat, 2) + ").";
  if (worst_khat >= 0.7) {
    said += " The Gaussian is not close to the posterior in all of them (Pareto k̂ up to " +
            fixed(worst_khat, 2) + ").";
    tone = Tone::mind;
  }
  return {said, tone};
}

}  // namespace

double RegressionFits::gap(std::size_t k) const {
  const auto& optimum = problems.of(k).optimum;
  return optimum ? objective(k) - *optimum : std::numeric_limits<double>::quiet_NaN();
}

std::string gap_words(double nats) {
  return nats < axis_end ? "less than 0.000001" : figure(nats, 2);
}

Tone gap_tone(double nats) {
  if (std::isnan(nats)) return Tone::plain;
  return nats < close ? Tone::good : nats < near ? Tone::plain : Tone::mind;
}

Tone status_tone(const RegressionFits& fits, std::size_t k) {
  return fits.gap(k) < close ? Tone::good : report::status_tone(fits.runs[k]);
}

Cell verdict(const RegressionFits& fits) {
  return fits.alone() ? verdict_of_one(fits) : verdict_of_many(fits);
}

Section summary_section(const RegressionFits& fits) {
  Section section("Summary");
  if (fits.alone()) {
    const double gap = fits.gap(0);
    const FitSummary& summary = fits.model(0).summary;
    section.figures(
        {{"NELBO, nats", fixed(fits.objective(0), 4)},
         {"above the optimum", Cell(std::isnan(gap) ? "not known" : gap_words(gap), gap_tone(gap))},
         {"Pareto k̂", Cell(fixed(fits.khat(0), 2), khat_tone(fits.judged_khat(0)))},
         {"leave-one-out, nats", loo_cell(fits.model(0).loo())},
         {"status", Cell(status_word(fits.runs[0]), status_tone(fits, 0))},
         {"iterations", figure(double(summary.iterations), 10)},
         {"seconds", figure(summary.seconds, 2)}});
  } else {
    Grid grid{{{"run"},
               {"status"},
               {"NELBO, nats", true},
               {"above the optimum", true},
               {"Pareto k̂", true},
               {"leave-one-out, nats", true},
               {"iterations", true},
               {"seconds", true}},
              {}};
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const double gap = fits.gap(k);
      const FitSummary& summary = fits.model(k).summary;
      grid.rows.push_back(
          {{Cell(fits.runs[k].name), Cell(status_word(fits.runs[k]), status_tone(fits, k)),
            Cell(fixed(fits.objective(k), 4)),
            Cell(std::isnan(gap) ? "not known" : gap_words(gap), gap_tone(gap)),
            Cell(fixed(fits.khat(k), 2), khat_tone(fits.judged_khat(k))),
            loo_cell(fits.model(k).loo()), Cell(figure(double(summary.iterations), 10)),
            Cell(figure(summary.seconds, 2))},
           false,
           int(k)});
    }
    section.table(grid);
  }
  if (fits.problems.count() > 1)
    section.paragraph(
        "The runs are not of one problem: their data, likelihood, prior or preparation differ. "
        "Each "
        "gap is to the optimum of the run's own problem. Of the same outcomes, a lower NELBO and a "
        "higher leave-one-out density speak for a model.",
        Tone::mind);
  return section.paragraph(
      "The NELBO, in nats with all constants, is what a variational fit lowers. What it lies above "
      "the "
      "optimum is the further distance from the posterior that a better fit would save. Pareto k̂ "
      "tells how well the best Gaussian can do: below 0.5 well, to 0.7 usably, above poorly.");
}

Section course_section(const RegressionFits& fits) {
  Section section("The way there");
  std::vector<Course> courses;
  std::vector<std::string> without;
  bool all_known = true;
  std::map<const ReportedProblem*, double> lowest;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const ReportedProblem& problem = fits.problems.of(k);
    all_known = all_known && problem.optimum;
    double& least = lowest.try_emplace(&problem, INFINITY).first->second;
    for (const double value : fits.runs[k].column("objective"))
      if (std::isfinite(value)) least = std::min(least, value);
  }
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const ReportedFit& run = fits.runs[k];
    Course course{run.name, run.column("iteration"), run.column("seconds"),
                  run.column("objective")};
    for (double& value : course.values) {
      value -= all_known ? *fits.problems.of(k).optimum : lowest[&fits.problems.of(k)];
      // Without the optimum the lowest value of all has no gap to draw.
      if (!all_known && value <= 0.0) value = std::numeric_limits<double>::quiet_NaN();
    }
    if (std::none_of(course.values.begin(), course.values.end(),
                     [](double v) { return std::isfinite(v); }))
      without.push_back("'" + run.name + "'");
    courses.push_back(std::move(course));
  }
  if (all_known) {
    const ReportedProblem& problem = fits.problems.of(0);
    if (fits.problems.count() == 1)
      section.paragraph("The exact optimum is " + fixed(*problem.optimum, 6) + " nats, from " +
                        problem.optimum_source + ".");
  } else {
    section.paragraph(
        "The exact optimum is missing, so this is the gap to the lowest value that was "
        "reached, which flatters the run that reached it.",
        Tone::mind);
    for (std::size_t k = 0; k < fits.size(); ++k)
      if (!fits.problems.of(k).optimum &&
          (k == 0 || fits.problems.of(k).optimum_source != fits.problems.of(k - 1).optimum_source))
        section.paragraph(fits.problems.of(k).optimum_source);
  }
  if (without.size() < fits.size()) {
    section.chart(course_chart(courses,
                               all_known ? "nats above the exact optimum"
                                         : "nats above the lowest value reached",
                               axis_end),
                  all_known
                      ? "NELBO above the exact optimum, on a logarithmic axis. Gaps below 0.000001 "
                        "are drawn there."
                      : "NELBO above the lowest value that was reached, on a logarithmic axis.");
    if (all_known)
      section
          .paragraph(
              "The iteration from which a run stayed closer to the optimum than these gaps, in "
              "nats:")
          .table(milestones(courses, {10.0, 1.0, 0.1, 0.01, 0.001}, "nats"));
  }
  for (const std::string& name : without)
    section.paragraph(sentence("The run ", name,
                               " left no values of the NELBO on its way (the exact "
                               "solver and --eval-every 0 do not)."));
  return section;
}

Page page(const std::vector<ReportedFit>& runs, const PageLimits& limits) {
  const RegressionFits fits{runs, ReportedProblems(runs, limits)};
  const RegressionFitted& model = fits.model(0);
  const auto& target = fits.problems.of(0).target;
  Page page;
  const std::string name = model.likelihood->name();
  page.title =
      sentence(char(std::toupper(name[0])), name.substr(1), " regression: ", data_name(runs[0]));
  page.about = sentence(
      target ? sentence(target->rows(), " rows, ") : std::string(), model.plan.terms,
      " coefficients of terms",
      model.plan.intercept
          ? sentence(", the intercept with ", model.priors[std::size_t(model.plan.terms)])
          : std::string(", no intercept"),
      model.plan.effects.empty() ? "" : ", effects of groups",
      model.several_classes()
          ? sentence("; the outcome is ", model.label, ", one of ", model.classes.size(),
                     " classes, and coefficients are those of log odds against ",
                     model.classes.front())
      : model.classes.empty()
          ? sentence("; the outcome is ", model.label)
          : sentence("; the probability is that of ", model.label, " = ", model.classes[1]));
  page.verdict = verdict(fits);
  page.sections = {summary_section(fits), course_section(fits), coefficients_section(fits)};
  for (Section& section : prediction_sections(fits)) page.sections.push_back(std::move(section));
  page.sections.push_back(settings_section(runs));
  page.sections.push_back(diagnostics_section(fits));
  return page;
}

}  // namespace fisherman::regression_report
