// What `reproduce rates` leaves: a page, a figure for a paper, numbers, verdicts.
#include <algorithm>

#include "../report/html.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "rates.hpp"
#include "svg.hpp"

namespace fisherman::cli::study {
namespace {

using report::fixed;
using report::Grid;
using report::Section;
using report::Tone;

std::string slope_words(const Slope& slope) {
  return sentence(fixed(slope.value, 3), " ± ", fixed(slope.error, 3));
}

Section section(const std::string& title, const std::string& about, const std::string& x_name,
                const std::string& y_name, const std::vector<Rate>& rates) {
  Section out(title);
  out.paragraph(about);
  std::vector<Band> bands;
  Grid grid{{{"where"}, {"slope, measured", true}, {"slope of the bound", true}, {"verdict"}}, {}};
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const Rate& rate = rates[k];
    bands.push_back(rate.band);
    grid.rows.push_back({{rate.where, slope_words(rate.slope), fixed(rate.bound, 3),
                          report::Cell(rate.holds() ? "holds" : "does not hold",
                                       rate.holds() ? Tone::good : Tone::bad)},
                         false,
                         int(k)});
  }
  report::Chart chart = band_chart(bands, y_name, true, 1e-12);
  chart.x = {{.name = x_name, .log = true}};
  out.chart(chart, "Means with one standard error on either side.");
  return out.table(grid);
}

Panel panel(const std::string& title, const std::vector<Rate>& rates) {
  Panel out{title, {}, {}};
  for (const Rate& rate : rates) {
    out.colours.push_back(int(out.bands.size()));
    out.bands.push_back(rate.band);
  }
  return out;
}

}  // namespace

void write_rates(const Rates& rates, const RatesOptions& options) {
  const std::filesystem::path& folder = options.folder;
  const std::vector<Rate>* const kinds[] = {&rates.distances, &rates.operators, &rates.divergences};
  std::string verdicts;
  std::size_t holding = 0, all = 0;
  std::vector<Band> bands;
  for (const std::vector<Rate>* kind : kinds)
    for (const Rate& rate : *kind) {
      ++all;
      holding += rate.holds() ? 1 : 0;
      verdicts += sentence(rate.holds() ? "holds          " : "does not hold  ", rate.where, ": ",
                           rate.claim, " (slope ", slope_words(rate.slope), ", bound ",
                           fixed(rate.bound, 3), ")\n");
      bands.push_back(rate.band);
      bands.back().label = sentence(rate.claim, ", ", rate.where);
    }
  const std::string summary =
      sentence(holding, " of ", all, " rates are as fast as the theory says, or faster.");

  report::Page page;
  page.title = "Rates of convergence";
  page.about = sentence("fisherman reproduce rates: ", options.iterations, " iterations, ",
                        options.seeds, " seeds, version ", version());
  page.verdict = summary;
  page.footer = sentence(
      "Made by fisherman ", version(),
      ". A slope is by least squares on logarithmic axes, of the mean over seeds; its standard "
      "error is the jackknife's. A rate holds if its slope is not above that of the bound by more "
      "than "
      "two standard errors. The bound of the first kind is taken with its logarithm, over the same "
      "iterations; that of the second kind without, which is stricter.");
  page.sections.push_back(section("Iterates",
                                  "Maximum likelihood for a Gaussian in three dimensions from a "
                                  "stream of draws, in the Bures-Wasserstein geometry: the "
                                  "squared distance to the optimum (thm:convergence-rate), the "
                                  "mean over the last tenth of the iterations.",
                                  "iteration", "squared distance", rates.distances));
  page.sections.push_back(section("Fisher estimate",
                                  "The same runs: the operator norm of what the estimate is off "
                                  "the Fisher operator at the iterate "
                                  "(thm:fisher-consistency). The theorem is an upper bound; with "
                                  "one score per iteration, chance alone gives a slope of -1/2.",
                                  "iteration", "operator norm", rates.operators));
  page.sections.push_back(section("Kullback-Leibler divergence",
                                  "The relative error of ½F[v,v] as the divergence of a step v, "
                                  "against 1/|v| (appendix:kl-fisher-manifold); ten directions.",
                                  "1/|v|", "relative error", rates.divergences));
  const auto draw = [&](const char* file, const char* title, const char* x, const char* y,
                        const std::vector<Rate>& kind) {
    write_file(folder / file, svg({.x_name = x,
                                   .y_name = y,
                                   .log_x = true,
                                   .floor = 1e-12,
                                   .rows = {{panel(title, kind)}}}));
  };
  draw("iterates.svg", "Iterates", "iteration", "squared distance", rates.distances);
  draw("fisher.svg", "Fisher estimate", "iteration", "operator norm", rates.operators);
  draw("divergence.svg", "Divergence", "1/|v|", "relative error", rates.divergences);
  write_file(folder / "rates.csv", bands_csv(bands, "value"));
  write_file(folder / "verdicts.txt", verdicts + summary + "\n");
  write_file(folder / "report.html", report::html(page));
}

}  // namespace fisherman::cli::study
