// Calibration and diagnostics: how far a logistic fit is to be trusted.
#include <array>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/model/pareto.hpp"
#include "logistic_fits.hpp"

namespace fisherman::cli::report {
namespace {

constexpr double ninety_percent = 1.6448536269514722;
constexpr std::size_t bin_count = 10;

struct Bin {
  double rows = 0.0, predicted = 0.0, observed = 0.0;  // the latter two as sums

  /// Wilson's 90% interval of the frequency.
  std::array<double, 2> interval() const {
    const double z = ninety_percent, p = observed / rows, scale = 1.0 + z * z / rows;
    const double middle = (p + 0.5 * z * z / rows) / scale;
    const double half = z / scale * std::sqrt(p * (1.0 - p) / rows + 0.25 * z * z / (rows * rows));
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
  }
};

struct Calibration {
  std::array<Bin, bin_count> bins;
  double log_loss = 0.0, brier = 0.0, accuracy = 0.0;

  Calibration(const LogisticTarget& target, const GaussianPoint& q) {
    const Vector p = predictive(target.design(), q).col(0);
    const Vector& y = target.outcomes();
    const double n = double(target.rows());
    for (Index i = 0; i < target.rows(); ++i) {
      Bin& bin = bins[std::min(std::size_t(p(i) * double(bin_count)), bin_count - 1)];
      bin.rows += 1.0;
      bin.predicted += p(i);
      bin.observed += y(i);
      log_loss -= std::log(y(i) == 1.0 ? p(i) : 1.0 - p(i)) / n;
      brier += (y(i) - p(i)) * (y(i) - p(i)) / n;
      accuracy += (p(i) > 0.5) == (y(i) == 1.0) ? 1.0 / n : 0.0;
    }
  }

  Json series(const std::string& name) const {
    std::vector<double> x, y, low, high, size;
    double most = 1.0;
    for (const Bin& bin : bins) most = std::max(most, bin.rows);
    for (const Bin& bin : bins) {
      if (bin.rows == 0.0) continue;
      x.push_back(bin.predicted / bin.rows);
      y.push_back(bin.observed / bin.rows);
      const auto [l, h] = bin.interval();
      low.push_back(l);
      high.push_back(h);
      size.push_back(3.0 + 7.0 * std::sqrt(bin.rows / most));
    }
    return {{"name", name}, {"dots", true}, {"x", {x}},    {"y", y},
            {"low", low},   {"high", high}, {"size", size}};
  }
};

}  // namespace

Section calibration_section(const LogisticFits& fits) {
  Section section("Calibration");
  section.paragraph(
      "On the training data, which the fit has seen: on new rows it will look worse. fisherman "
      "predict "
      "tells log loss and accuracy on those.");
  Grid scores{{{"run"}, {"log loss", true}, {"Brier score", true}, {"accuracy", true}}, {}};
  Grid bins{{{"predicted"}}, {}};
  for (std::size_t b = 0; b < bin_count; ++b)
    bins.rows.push_back({{Cell(fixed(double(b) / double(bin_count), 1) + " to " +
                               fixed(double(b + 1) / double(bin_count), 1))}});
  Json chart = {{"kind", "lines"},
                {"square", true},
                {"diagonal", true},
                {"x", {{{"name", "predicted probability"}}}},
                {"y", {{"name", "observed frequency"}}},
                {"series", Json::array()}};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const LogisticProblem& problem = fits.problems.of(k);
    const std::string& name = fits.runs[k].name;
    if (!problem.target) {
      section.paragraph(sentence(fits.alone() ? "" : "'" + name + "': ", problem.data_missing),
                        Tone::mind);
      continue;
    }
    const Calibration c(*problem.target, fits.models[k].q);
    scores.rows.push_back({{Cell(name), Cell(fixed(c.log_loss, 4)), Cell(fixed(c.brier, 4)),
                            Cell(fixed(c.accuracy, 4))},
                           false,
                           int(k)});
    const std::string prefix = fits.alone() ? "" : name + ": ";
    const int colour = fits.alone() ? -1 : int(k);
    bins.columns.push_back({prefix + "rows", true, colour});
    bins.columns.push_back({prefix + "mean predicted", true});
    bins.columns.push_back({prefix + "observed", true});
    for (std::size_t b = 0; b < bin_count; ++b) {
      const Bin& bin = c.bins[b];
      auto& cells = bins.rows[b].cells;
      cells.emplace_back(figure(bin.rows, 10));
      cells.emplace_back(bin.rows == 0.0 ? "–" : fixed(bin.predicted / bin.rows, 3));
      cells.emplace_back(bin.rows == 0.0 ? "–" : fixed(bin.observed / bin.rows, 3));
    }
    chart["series"].push_back(c.series(name));
  }
  if (scores.rows.empty()) return section;
  if (fits.alone()) {
    const auto& cells = scores.rows[0].cells;
    section.figures({{"log loss", cells[1]}, {"Brier score", cells[2]}, {"accuracy", cells[3]}});
  } else {
    section.table(scores);
  }
  section.chart(
      chart,
      "Rows are put in ten bins by their predicted probability. A dot is a bin: larger with "
      "more rows, on the dashed line if what was predicted is what was observed. The bar is "
      "a 90% interval of the frequency in so many rows.");
  return section.table(bins, "The bins in numbers");
}

Section diagnostics_section(const LogisticFits& fits) {
  Section section("Diagnostics");
  Grid grid{{{"run"},
             {"Pareto k̂", true},
             {"condition of the covariance", true},
             {"steps not taken", true},
             {"eigenvalues clipped", true},
             {"still to gain, predicted", true}},
            {}};
  std::vector<Cell> notes;
  constexpr std::size_t most_warnings = 20;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const Run& run = fits.runs[k];
    const std::string who = fits.alone() ? "" : "'" + run.name + "': ";
    const std::string whose = fits.problems.count() == 1 ? "" : who;  // about the data
    double condition = std::numeric_limits<double>::quiet_NaN();
    if (fits.models[k].q.covariance.allFinite()) {
      const Vector values = spectrum(fits.models[k].q.covariance).values;
      condition = values(values.size() - 1) / values(0);
    }
    const double rejected = number(run.result, "rejected"), clips = number(run.result, "clips");
    double predicted = std::numeric_limits<double>::quiet_NaN();
    for (const double value : run.column("predicted"))
      if (!std::isnan(value)) predicted = value;
    const bool steep = !(condition < 1e10) || condition < 0.0;
    grid.rows.push_back({{Cell(run.name), Cell(fixed(fits.khat(k), 2), khat_tone(fits.khat(k))),
                          Cell(figure(condition, 3), steep ? Tone::mind : Tone::plain),
                          Cell(figure(rejected, 10), rejected > 0.0 ? Tone::mind : Tone::plain),
                          Cell(figure(clips, 10), clips > 0.0 ? Tone::mind : Tone::plain),
                          Cell(std::isnan(predicted) ? "–" : figure(predicted, 2))},
                         false,
                         fits.alone() ? -1 : int(k)});

    if (status_tone(fits, k) != Tone::good)
      notes.emplace_back(who + text(run.result, "sentence"),
                         fits.status(k) == "diverged" ? Tone::bad : Tone::plain);
    if (fits.khat(k) >= 0.7)
      notes.emplace_back(sentence(who, "Pareto k̂ is ", fixed(fits.khat(k), 2), ", ",
                                  pareto_verdict(fits.khat(k)), "."),
                         Tone::mind);
    if (rejected > 0.0)
      notes.emplace_back(sentence(who, figure(rejected, 10),
                                  " steps were not taken, because something was not finite."),
                         Tone::mind);
    if (clips > 0.0)
      notes.emplace_back(sentence(who, figure(clips, 10),
                                  " times an eigenvalue of the covariance had to be clipped: steps "
                                  "were too long for this geometry. A smaller --kl-radius helps."),
                         Tone::mind);
    if (steep)
      notes.emplace_back(sentence(who, "The covariance has condition number ", figure(condition, 3),
                                  ": some columns nearly say the same."),
                         Tone::mind);
    if (fits.gap(k) < -1e-5)
      notes.emplace_back(
          sentence(who, "The NELBO is ", figure(-fits.gap(k), 2),
                   " nats below the exact optimum, which cannot be: its folder and the "
                   "optimum belong to different data or versions."),
          Tone::bad);
    if (text(run.config, "version") != FISHERMAN_VERSION)
      notes.emplace_back(sentence(who, "The fit was made by version ", text(run.config, "version"),
                                  ", this page by " FISHERMAN_VERSION "."));
    if (k > 0 && &fits.problems.of(k) == &fits.problems.of(k - 1)) continue;
    if (const auto& target = fits.problems.of(k).target;
        target && !fits.models[k].preparation.intercept &&
        text(run.config, "no-standardize") != "true" &&
        std::abs(target->outcomes().mean() - 0.5) > 0.1)
      notes.emplace_back(sentence(whose, figure(100.0 * target->outcomes().mean(), 2),
                                  "% of the rows are of class ", fits.models[k].classes[1],
                                  ", but there is no intercept to say so, and other coefficients "
                                  "stand in for it. --intercept adds one."),
                         Tone::mind);
    const auto& warnings = fits.problems.of(k).warnings;
    for (std::size_t w = 0; w < std::min(most_warnings, warnings.size()); ++w)
      notes.emplace_back(whose + warnings[w], Tone::mind);
    if (warnings.size() > most_warnings)
      notes.emplace_back(sentence("… and ", warnings.size() - most_warnings, " more like these"),
                         Tone::mind);
    if (!fits.problems.of(k).target)
      notes.emplace_back(whose + "Warnings about the data cannot be repeated here: " +
                         fits.problems.of(k).data_missing);
  }
  section.table(grid);
  if (notes.empty()) return section.paragraph("There is nothing to warn of.", Tone::good);
  return section.list(notes);
}

}  // namespace fisherman::cli::report
