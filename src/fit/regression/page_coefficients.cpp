#include <algorithm>
#include <cmath>
#include <map>

#include "fisherman/fit/units.hpp"
#include "page.hpp"

namespace fisherman::regression_report {
namespace {

constexpr std::size_t most_rows = 1000;  // a browser draws these at once

struct Estimate {
  double mean, sd;
  Forest::Interval interval() const {
    return {mean, mean - ninety_percent * sd, mean + ninety_percent * sd};
  }
};

/// Coefficients of all runs by name, in the order in which the runs have them.
struct Row {
  std::string name;
  std::vector<std::optional<Estimate>> estimates;  // one a run
  double strength = 0.0;                           // the largest |mean|/sd of any run
};

std::vector<Row> rows_of(const RegressionFits& fits, Units units) {
  std::vector<Row> rows;
  std::map<std::string, std::size_t> at;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const std::vector<std::string> names = fits.model(k).names(units);
    const GaussianPoint q = fits.model(k).coefficients(units);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const std::string& name = names[j];
      const auto [found, is_new] = at.try_emplace(name, rows.size());
      if (is_new) rows.push_back({name, std::vector<std::optional<Estimate>>(fits.size())});
      const Estimate e{q.mean(Index(j)), q.sd(Index(j))};
      Row& row = rows[found->second];
      row.estimates[k] = e;
      if (std::abs(e.mean) > row.strength * e.sd) row.strength = std::abs(e.mean) / e.sd;
    }
  }
  return rows;
}

Grid numbers_of(const RegressionFits& fits, const std::vector<Row>& rows) {
  Grid grid;
  grid.columns.push_back({"coefficient"});
  for (std::size_t k = 0; k < fits.size(); ++k)
    for (const char* what : {"mean", "sd", "5%", "95%"})
      grid.columns.push_back({fits.alone() ? what : fits.runs[k].name + " " + what, true,
                              fits.alone() || what[0] != 'm' ? -1 : int(k)});
  for (const Row& row : rows) {
    Grid::Row out{{Cell(row.name)}};
    for (const auto& e : row.estimates) {
      if (!e) {
        for (int blank = 0; blank < 4; ++blank) out.cells.emplace_back("–");
        continue;
      }
      const auto i = e->interval();
      for (const double x : {e->mean, e->sd, i.low, i.high}) out.cells.emplace_back(figure(x, 4));
    }
    grid.rows.push_back(std::move(out));
  }
  return grid;
}

/// What a coefficient changes.
std::string predictor_name(const RegressionFitted& fit) {
  switch (fit.likelihood->link()) {
    case Link::logit:
      return "log odds";
    case Link::log:
      return "logarithm of the mean";
    case Link::identity:
      return "expected outcome";
    case Link::softmax:
      return "log odds against " + fit.classes.front();
    case Link::probit:
    case Link::cloglog:
      return "linear predictor";
  }
  return {};
}

/// exp of the coefficients of terms in the columns' own units, of one fit.
Grid ratios(const RegressionFitted& fit) {
  Grid grid{{{"coefficient"}, {fit.ratio_name(), true}, {"5%", true}, {"95%", true}}, {}};
  const std::vector<std::string> names = fit.names(Units::own);
  const GaussianPoint q = fit.coefficients(Units::own);
  for (Index j = 0; j < Index(std::min(names.size(), most_rows)); ++j) {
    if (!fit.of_term(j, Units::own)) continue;
    const double reach = ninety_percent * q.sd(j);
    grid.rows.push_back({{Cell(names[std::size_t(j)]), Cell(figure(std::exp(q.mean(j)), 4)),
                          Cell(figure(std::exp(q.mean(j) - reach), 4)),
                          Cell(figure(std::exp(q.mean(j) + reach), 4))}});
  }
  return grid;
}

Grid scales(const RegressionFits& fits) {
  Grid grid{{{"parameter"}, {"mean", true}, {"sd", true}, {"5%", true}, {"95%", true}}, {}};
  for (std::size_t k = 0; k < fits.size(); ++k)
    for (const RegressionFitted::Positive& one : fits.model(k).positives(Units::own))
      grid.rows.push_back({{Cell(fits.alone() ? one.name : fits.runs[k].name + ": " + one.name),
                            Cell(figure(one.mean(), 4)), Cell(figure(one.sd(), 3)),
                            Cell(figure(one.quantile(-ninety_percent), 4)),
                            Cell(figure(one.quantile(ninety_percent), 4))}});
  return grid;
}

Grid priors(const RegressionFitted& fit) {
  Grid grid{{{"parameter"}, {"prior"}}, {}};
  std::vector<std::string> names = fit.names(Units::standardized);
  for (const RegressionFitted::Positive& one : fit.positives(Units::standardized))
    names.push_back(one.name);
  for (std::size_t k = 0; k < std::min(names.size(), most_rows); ++k)
    grid.rows.push_back({{Cell(names[k]), Cell(fit.priors[k])}});
  return grid;
}

}  // namespace

Section coefficients_section(const RegressionFits& fits) {
  Section section("Coefficients");
  std::vector<Row> rows = rows_of(fits, Units::standardized), own = rows_of(fits, Units::own);
  section.paragraph(
      "Posterior mean and 90% interval of each coefficient. Intervals that leave out zero are "
      "drawn "
      "full, those that hold it faint.");
  const bool standardised = !fits.runs[0].settings.flag("no-standardize");
  bool mixed = false;
  for (const ReportedFit& run : fits.runs)
    mixed = mixed || (!run.settings.flag("no-standardize")) != standardised;
  if (mixed)
    section.paragraph(
        "Some runs standardised the columns and some did not, so their coefficients "
        "have different units.",
        Tone::mind);
  else if (standardised)
    section.paragraph(sentence(
        "Drawn are the coefficients of standardised columns, which can be compared: a "
        "coefficient is the change of the ",
        predictor_name(fits.model(0)),
        " for one standard deviation of its column. The tables below have the columns' own "
        "units, in which it is the change for one unit, and those of standardised "
        "columns."));
  if (own.size() > most_rows) {
    for (std::vector<Row>* shown : {&rows, &own}) {
      std::stable_sort(shown->begin(), shown->end(),
                       [](const Row& a, const Row& b) { return a.strength > b.strength; });
      shown->resize(std::min(shown->size(), most_rows));
    }
    section.paragraph("Here are the " + std::to_string(most_rows) +
                      " strongest, by |mean|/sd; coefficients.csv in the folder has all.");
  }
  Forest forest;
  for (const ReportedFit& run : fits.runs) forest.series.push_back(run.name);
  for (const Row& row : rows) {
    Forest::Row out{row.name, {}, row.strength};
    for (const auto& e : row.estimates)
      out.intervals.push_back(e ? std::optional(e->interval()) : std::nullopt);
    forest.rows.push_back(std::move(out));
  }
  section.forest(forest).table(numbers_of(fits, own), "All numbers, in the columns' own units");
  for (const ReportedFit& run : fits.runs)
    if (const RegressionFitted& fit = run.as<RegressionFitted>();
        Index(fit.names(Units::own).size()) > fit.coefficient_count()) {
      section.paragraph("There is no intercept; (constant) is what shifting the columns implies.");
      break;
    }
  if (mixed || standardised)
    section.table(numbers_of(fits, rows), "All numbers, in units of standardised columns");
  if (fits.alone() && !fits.model(0).ratio_name().empty())
    section.table(ratios(fits.model(0)), "Exponentials, in the columns' own units");
  if (Grid grid = scales(fits); !grid.rows.empty())
    section.paragraph("Standard deviations of groups, and parameters of the likelihood:")
        .table(grid);
  if (fits.alone()) section.table(priors(fits.model(0)), "Priors, for standardised columns");
  return section;
}

}  // namespace fisherman::regression_report
