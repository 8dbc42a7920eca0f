#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "../quoting.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::cli::study {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Estimate estimate(const std::vector<double>& values) {
  const double n = double(values.size());
  double mean = 0.0, squares = 0.0;
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, values.size() < 2 ? 0.0 : std::sqrt(squares / (n - 1.0) / n)};
}

Band Band::above(double value) const {
  Band out = *this;
  for (double& m : out.mean) m -= value;
  return out;
}

double Band::last() const { return mean.empty() || well < runs ? unknown : mean.back(); }
double Band::last_error() const { return mean.empty() || well < runs ? unknown : error.back(); }

Band Band::until(double iteration) const {
  Band out = *this;
  const auto count = std::size_t(std::upper_bound(iterations.begin(), iterations.end(), iteration) -
                                 iterations.begin());
  for (std::vector<double>* values : {&out.iterations, &out.seconds, &out.mean, &out.error})
    values->resize(count);
  return out;
}

double Band::below(double level) const {
  if (well < runs) return unknown;
  double from = unknown;
  for (std::size_t k = mean.size(); k-- > 0 && mean[k] < level;) from = iterations[k];
  return from;
}

Band band(std::string label, const std::vector<Trial>& runs) {
  Band out;
  out.label = std::move(label);
  out.runs = runs.size();
  std::size_t points = runs.empty() ? 0 : std::numeric_limits<std::size_t>::max();
  for (const Trial& run : runs) {
    out.well += run.well() ? 1 : 0;
    out.run_seconds += run.seconds / double(runs.size());
    points = std::min(points, run.course.objectives.size());
  }
  for (std::size_t k = 0; k < points; ++k) {
    std::vector<double> values, seconds;
    for (const Trial& run : runs) {
      values.push_back(run.course.objectives[k]);
      seconds.push_back(run.course.seconds[k]);
    }
    const Estimate here = estimate(values);
    out.iterations.push_back(runs[0].course.iterations[k]);
    out.seconds.push_back(estimate(seconds).mean);
    out.mean.push_back(here.mean);
    out.error.push_back(here.error);
  }
  return out;
}

report::Chart band_chart(const std::vector<Band>& bands, const std::string& y_name, bool log,
                         double floor) {
  report::Chart chart{.x = {{.name = "iteration"}, {.name = "seconds"}},
                      .y = {.name = y_name, .log = log}};
  const auto shown = [&](double value) { return log ? std::max(value, floor) : value; };
  for (const Band& band : bands) {
    report::Chart::Series series{
        .name = band.label, .x = {band.iterations, band.seconds}, .y = {}, .band = true};
    for (std::size_t k = 0; k < band.mean.size(); ++k) {
      series.y.push_back(shown(band.mean[k]));
      series.low.push_back(shown(band.mean[k] - band.error[k]));
      series.high.push_back(shown(band.mean[k] + band.error[k]));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string bands_csv(const std::vector<Band>& bands, const std::string& value_name) {
  std::ostringstream out;
  out << std::setprecision(10) << "label,iteration,seconds,runs," << value_name
      << ",standard_error\n";
  for (const Band& band : bands)
    for (std::size_t k = 0; k < band.mean.size(); ++k)
      out << csv_field(band.label) << ',' << band.iterations[k] << ',' << band.seconds[k] << ','
          << band.runs << ',' << band.mean[k] << ',' << band.error[k] << '\n';
  return out.str();
}

std::string trials_csv(const std::vector<Trial>& trials) {
  std::ostringstream out;
  out << std::setprecision(17) << "trial,attempts,status,objective,iterations,seconds,command\n";
  for (const Trial& trial : trials) {
    out << trial.id << ',' << trial.attempts << ',' << trial.status << ',';
    if (std::isfinite(trial.objective)) out << trial.objective;
    out << ',' << trial.iterations << ',' << trial.seconds << ','
        << csv_field("fisherman fit " + shell_words(trial.command)) << '\n';
  }
  return out.str();
}

}  // namespace fisherman::cli::study
