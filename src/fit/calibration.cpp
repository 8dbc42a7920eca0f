#include "fisherman/fit/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/units.hpp"

namespace fisherman::report {
namespace {

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

  Calibration(const Vector& p, const Vector& y) {
    const double n = double(p.size());
    for (Index i = 0; i < p.size(); ++i) {
      Bin& bin = bins[std::min(std::size_t(p(i) * double(bin_count)), bin_count - 1)];
      bin.rows += 1.0;
      bin.predicted += p(i);
      bin.observed += y(i);
      log_loss -= std::log(y(i) == 1.0 ? p(i) : 1.0 - p(i)) / n;
      brier += (y(i) - p(i)) * (y(i) - p(i)) / n;
      accuracy += (p(i) > 0.5) == (y(i) == 1.0) ? 1.0 / n : 0.0;
    }
  }

  Chart::Series series(const std::string& name) const {
    Chart::Series out{.name = name, .x = {{}}, .y = {}, .dots = true};
    double most = 1.0;
    for (const Bin& bin : bins) most = std::max(most, bin.rows);
    for (const Bin& bin : bins) {
      if (bin.rows == 0.0) continue;
      out.x[0].push_back(bin.predicted / bin.rows);
      out.y.push_back(bin.observed / bin.rows);
      const auto [l, h] = bin.interval();
      out.low.push_back(l);
      out.high.push_back(h);
      out.size.push_back(3.0 + 7.0 * std::sqrt(bin.rows / most));
    }
    return out;
  }
};

}  // namespace

Section calibration_section(const std::vector<Predicted>& runs) {
  const bool alone = runs.size() == 1;
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
  Chart chart{.x = {{.name = "predicted probability"}},
              .y = {.name = "observed frequency"},
              .square = true,
              .diagonal = true};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const auto& [name, p, y, missing] = runs[k];
    if (!missing.empty()) {
      section.paragraph(sentence(alone ? "" : "'" + name + "': ", missing), Tone::mind);
      continue;
    }
    const Calibration c(p, y);
    scores.rows.push_back({{Cell(name), Cell(fixed(c.log_loss, 4)), Cell(fixed(c.brier, 4)),
                            Cell(fixed(c.accuracy, 4))},
                           false,
                           int(k)});
    const std::string prefix = alone ? "" : name + ": ";
    const int colour = alone ? -1 : int(k);
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
    chart.series.push_back(c.series(name));
  }
  if (scores.rows.empty()) return section;
  if (alone) {
    const auto& cells = scores.rows[0].cells;
    section.figures({{"log loss", cells[1]}, {"Brier score", cells[2]}, {"accuracy", cells[3]}});
  } else {
    section.table(scores);
  }
  section.chart(
      chart,
      "Rows are put in ten bins by their predicted probability. A dot is a bin: larger with "
      "more rows, on the dashed line if what was predicted is what was observed. The bar is "
      "a 90% interval of the frequency, given the number of rows.");
  return section.table(bins, "The bins in numbers");
}

}  // namespace fisherman::report
