// How well fits predict: leave-one-out, outcomes drawn from them, calibration or residuals, marginal effects.
#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/calibration.hpp"
#include "page.hpp"
#include "page_classes.hpp"

namespace fisherman::regression_report {
namespace {

constexpr Index most_dots = 1500;

/// Means of the expected outcomes, and what was observed, as shares where there are trials.
Predicted predicted(const RegressionFits& fits, std::size_t k) {
  const ReportedProblem& problem = fits.problems.of(k);
  Predicted out{fits.runs[k].name, {}, {}, problem.data_missing};
  if (!problem.target) return out;
  const RegressionTarget target = problem.rows();
  out.p = predictive(target.design(), fits.model(k).q, target.likelihood().link(), target.offset())
              .col(0);
  out.y = target.outcomes().y;
  if (target.outcomes().trials.size() > 0) out.y = out.y.cwiseQuotient(target.outcomes().trials);
  return out;
}

/// Models by their leave-one-out density, with differences to the best.
Section models_section(const RegressionFits& fits) {
  Section section("Models by leave-one-out");
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < fits.size(); ++k)
    if (std::isfinite(fits.model(k).loo().elpd)) order.push_back(k);
  for (const std::size_t k : order) {
    const Index here = fits.model(k).loo().all_rows, first = fits.model(order[0]).loo().all_rows;
    if (here != first)
      return section.paragraph(sentence("Not ranked: '", fits.runs[order[0]].name, "' is of ",
                                        first, " rows, and '", fits.runs[k].name, "' of ", here,
                                        ". Leave-one-out compares models of the same rows only."),
                               Tone::mind);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return fits.model(a).loo().elpd > fits.model(b).loo().elpd;
  });
  Grid grid{{{"run"},
             {"log predictive density, nats", true},
             {"below the best", true},
             {"standard error", true},
             {"effective parameters", true},
             {"rows in doubt", true},
             {"NELBO, nats", true}},
            {}};
  for (const std::size_t k : order) {
    const LeaveOneOut &mine = fits.model(k).loo(), &best = fits.model(order.front()).loo();
    std::string difference = figure(best.elpd - mine.elpd, 3), error = "–";
    if (k != order.front()) {
      // Of the difference, row by row: what rows have in common cancels.
      const Vector d = best.pointwise - mine.pointwise;
      error = figure(std::sqrt(double(best.all_rows) * (d.array() - d.mean()).square().mean()), 2);
    }
    grid.rows.push_back(
        {{Cell(fits.runs[k].name), loo_cell(mine), Cell(k == order.front() ? "–" : difference),
          Cell(error), Cell(figure(mine.effective, 3)),
          Cell(figure(double(mine.doubtful), 10), mine.doubtful > 0 ? Tone::mind : Tone::plain),
          Cell(fixed(fits.objective(k), 2))},
         k == order.front(),
         int(k)});
  }
  section.table(grid);
  return section.paragraph(
      "The log predictive density of each row, given all others, summed over the rows: higher is "
      "better. A difference of less than two standard errors decides nothing. Models can be "
      "compared "
      "only if they are of the same outcomes.");
}

Section checks_section(const RegressionFitted& fit) {
  Section section("Outcomes drawn from the fit");
  Grid grid{{{"statistic"},
             {"observed", true},
             {"drawn, 5%", true},
             {"50%", true},
             {"95%", true},
             {"share at least as large", true}},
            {}};
  bool strange = false;
  for (const PredictiveCheck& check : fit.checks()) {
    const bool outside = check.above < 0.01 || check.above > 0.99;
    // Where every drawn outcome gives the same, being above or below means nothing.
    const bool odd = outside && (check.observed < check.low || check.observed > check.high);
    strange = strange || odd;
    grid.rows.push_back(
        {{Cell(check.name), Cell(figure(check.observed, 4)), Cell(figure(check.low, 4)),
          Cell(figure(check.middle, 4)), Cell(figure(check.high, 4)),
          Cell(fixed(check.above, 3), odd ? Tone::mind : Tone::plain)}});
  }
  section.table(grid);
  return strange ? section.paragraph(
                       "Some statistics of the outcomes are not what the fit would bring about: "
                       "another "
                       "likelihood, or more terms, may suit the data better.",
                       Tone::mind)
                 : section.paragraph("The outcomes look like ones that the fit would bring about.",
                                     Tone::good);
}

Section residuals_section(const RegressionFits& fits) {
  Section section("Observed and predicted");
  Chart chart{{{"predicted mean"}}, {"observed"}};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const Predicted one = predicted(fits, k);
    if (one.p.size() == 0) return section.paragraph(one.missing);
    Chart::Series dots{.name = one.name, .x = {{}}, .y = {}, .dots = true, .colour = int(k)};
    const Index shown = std::min(most_dots, one.p.size());
    for (Index i = 0; i < shown; ++i) {
      const Index row = i * one.p.size() / shown;
      dots.x[0].push_back(one.p(row));
      dots.y.push_back(one.y(row));
    }
    chart.series.push_back(std::move(dots));
  }
  return section.chart(chart, "Each dot is a row: at most 1,500 of them, spread evenly.");
}

Section effects_section(const RegressionFitted& fit) {
  Section section("Marginal effects");
  Grid grid{{{"column"}, {"mean", true}, {"sd", true}, {"5%", true}, {"95%", true}}, {}};
  constexpr std::size_t most = 200;
  for (std::size_t k = 0; k < std::min(most, fit.effects().size()); ++k) {
    const MarginalEffect& one = fit.effects()[k];
    grid.rows.push_back({{Cell(one.name), Cell(figure(one.mean, 4)), Cell(figure(one.sd, 3)),
                          Cell(figure(one.low, 4)), Cell(figure(one.high, 4))}});
  }
  section.paragraph(sentence(
      "The change of the ", fit.several_classes() ? "probability of a class" : "expected outcome",
      " for one unit of a column, the others being held, on average over the rows. "
      "Columns that appear in several terms have one line for each."));
  return section.table(grid);
}

}  // namespace

Cell loo_cell(const LeaveOneOut& loo) {
  if (!std::isfinite(loo.elpd)) return "not known";
  return {sentence(fixed(loo.elpd, 1), " ± ", fixed(loo.error, 1)),
          loo.doubtful > 0 ? Tone::mind : Tone::plain};
}

std::vector<Section> prediction_sections(const RegressionFits& fits) {
  std::vector<Section> out;
  if (!fits.alone()) out.push_back(models_section(fits));
  bool by_class = true;
  std::size_t several = 0;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    by_class = by_class && !fits.model(k).classes.empty();
    several += fits.model(k).several_classes() ? 1 : 0;
  }
  if (several == fits.size()) {
    out.push_back(classes_section(fits));
  } else if (several > 0) {
    out.push_back(Section("Observed and predicted")
                      .paragraph("Some runs tell several classes apart and others do not, so that "
                                 "their predictions cannot be shown together."));
  } else if (by_class) {
    std::vector<Predicted> all;
    for (std::size_t k = 0; k < fits.size(); ++k) all.push_back(predicted(fits, k));
    out.push_back(calibration_section(all));
  } else {
    out.push_back(residuals_section(fits));
  }
  if (fits.alone() && !fits.model(0).checks().empty()) out.push_back(checks_section(fits.model(0)));
  if (fits.alone() && !fits.model(0).effects().empty())
    out.push_back(effects_section(fits.model(0)));
  return out;
}

}  // namespace fisherman::regression_report
