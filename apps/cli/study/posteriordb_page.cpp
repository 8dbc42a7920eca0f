// What `reproduce posteriordb` leaves: a page, a table, a verdict.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "../report/html.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "posteriordb.hpp"

namespace fisherman::cli::study {
namespace {

using report::Tone;

/// The largest over the seeds, with or without weights.
double worst(const PosteriorFits& of, bool weighted, double PosteriorFit::*what) {
  double out = 0.0;
  for (const PosteriorFit& fit : of.fits)
    if (fit.weighted == weighted) out = std::max(out, fit.*what);
  return out;
}

double mean_of(const PosteriorFits& of, double PosteriorFit::*what) {
  double sum = 0.0, count = 0.0;
  for (const PosteriorFit& fit : of.fits)
    if (!fit.weighted) {
      sum += fit.*what;
      count += 1.0;
    }
  return sum / count;
}

double median_gradients(const PosteriorFits& of) {
  std::vector<double> all;
  for (const PosteriorFit& fit : of.fits)
    if (!fit.weighted) all.push_back(fit.gradients);
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

report::Cell error_cell(double value) {
  return {report::fixed(value, 3), value < 0.1 ? Tone::plain : Tone::mind};
}

std::string failure_of(const PosteriorFits& of) {
  for (const PosteriorFit& fit : of.fits)
    if (!fit.failed.empty()) return fit.failed;
  return {};
}

std::string shown(const PosteriorFits& of) { return of.name + (of.nearly_gaussian ? "" : " *"); }

/// Each word that the fits have, once; of a verdict, what is before the colon.
std::string said_by(const PosteriorFits& of, std::string PosteriorFit::*what) {
  std::vector<std::string> all;
  for (const PosteriorFit& fit : of.fits) {
    const std::string word = (fit.*what).substr(0, (fit.*what).find(':'));
    if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
  }
  std::string out;
  for (const std::string& word : all) out += (out.empty() ? "" : ", ") + word;
  return out;
}

report::Section cost_section(const std::vector<PosteriorFits>& all) {
  report::Section section("What the fits cost, and say of themselves");
  report::Grid grid{{{"posterior"},
                     {"d", true},
                     {"gradients", true},
                     {"CPU seconds", true},
                     {"NELBO, nats", true},
                     {"status"},
                     {"Pareto k̂", true},
                     {"verdict"},
                     {"warned", true}},
                    {}};
  std::vector<report::Cell> failures;
  for (const PosteriorFits& of : all) {
    if (const std::string why = failure_of(of); !why.empty()) {
      failures.emplace_back(of.name + ": " + why, Tone::bad);
      continue;
    }
    std::size_t warned = 0, count = 0;
    for (const PosteriorFit& fit : of.fits)
      if (fit.weighted) {
        ++count;
        warned += fit.warnings.empty() && fit.status == "converged" ? 0 : 1;
      }
    const double khat = worst(of, false, &PosteriorFit::khat);
    grid.rows.push_back(
        {{report::Cell(shown(of)), report::Cell(sentence(of.dimension)),
          report::Cell(report::figure(median_gradients(of), 10)),
          report::Cell(report::fixed(mean_of(of, &PosteriorFit::cpu_seconds), 2)),
          report::Cell(report::fixed(mean_of(of, &PosteriorFit::objective), 2)),
          report::Cell(said_by(of, &PosteriorFit::status)),
          report::Cell(report::fixed(khat, 2), khat < 0.7 ? Tone::plain : Tone::mind),
          report::Cell(said_by(of, &PosteriorFit::verdict)),
          report::Cell(sentence(warned, " of ", count))}});
  }
  if (!grid.rows.empty()) section.table(grid);
  if (!failures.empty()) section.list(failures);
  return section.paragraph(
      "Gradients are the median over seeds, CPU seconds and NELBO are means, and Pareto k̂ is the "
      "largest. Warned: fits that have not converged, or that say that they are not to be trusted. "
      "* "
      "not nearly Gaussian: a coordinate has a skewness of 0.5 or an excess kurtosis of 1 or "
      "more.");
}

report::Section error_section(const std::vector<PosteriorFits>& all) {
  report::Section section("How far they are from the reference draws");
  report::Grid grid{{{"posterior"},
                     {"mean", true},
                     {"sd", true},
                     {"W1", true},
                     {"mean, weighted", true},
                     {"sd, weighted", true},
                     {"W1, weighted", true}},
                    {}};
  for (const PosteriorFits& of : all) {
    if (!failure_of(of).empty()) continue;
    report::Grid::Row row{{report::Cell(shown(of))}};
    for (const bool weighted : {false, true})
      for (const auto what :
           {&PosteriorFit::mean_error, &PosteriorFit::sd_error, &PosteriorFit::distance})
        row.cells.push_back(error_cell(worst(of, weighted, what)));
    grid.rows.push_back(std::move(row));
  }
  if (!grid.rows.empty()) section.table(grid);
  return section.paragraph(
      "The largest over the seeds and all parameters: |mean - reference| and the Wasserstein-1 "
      "distance in units of the reference's standard deviation, and |sd/reference - 1|. Weighted: "
      "draws after importance resampling, where the program takes it for safe.");
}

std::string csv_of(const std::vector<PosteriorFits>& all) {
  std::ostringstream out;
  out << "posterior,dimension,nearly_gaussian,seed,weighted,status,gradients,cpu_seconds,nelbo,"
         "mean_error,sd_error,wasserstein_1,khat,warnings\n";
  for (const PosteriorFits& of : all)
    for (const PosteriorFit& fit : of.fits) {
      out << of.name << ',' << of.dimension << ',' << of.nearly_gaussian << ',' << fit.seed << ','
          << fit.weighted << ',' << (fit.failed.empty() ? fit.status : "failed");
      for (const double value : {fit.gradients, fit.cpu_seconds, fit.objective, fit.mean_error,
                                 fit.sd_error, fit.distance, fit.khat})
        out << ',' << (fit.failed.empty() ? value : std::nan(""));
      out << ',' << fit.warnings.size() << '\n';
    }
  return out.str();
}

}  // namespace

void write_posteriors(const std::vector<PosteriorFits>& all, const PosteriorsOptions& options) {
  std::size_t right = 0, nearly = 0, fits = 0;
  std::string silent, verdicts;
  for (const PosteriorFits& of : all) {
    for (const PosteriorFit& fit : of.fits) {
      if (!fit.weighted) continue;
      ++fits;
      if (fit.silently_wrong())
        silent += sentence(silent.empty() ? "" : "; ", of.name, ", seed ", fit.seed,
                           fit.failed.empty() ? "" : " (failed)");
    }
    if (!of.nearly_gaussian) continue;
    ++nearly;
    const bool holds = failure_of(of).empty() && worst(of, true, &PosteriorFit::mean_error) < 0.1 &&
                       worst(of, true, &PosteriorFit::sd_error) < 0.1;
    right += holds ? 1 : 0;
    verdicts += sentence(holds ? "holds          " : "does not hold  ", of.name,
                         ": every mean within 0.1 sd and every sd within 10%\n");
  }
  const std::string summary =
      sentence("Of ", nearly, " posteriors that are nearly Gaussian, ", right,
               " have every mean within 0.1 sd and every sd within 10%, from every seed. Of ", fits,
               " fits to all ", all.size(),
               ", off by a tenth or more without a word: ", silent.empty() ? "none" : silent, ".");
  report::Page page;
  page.title = "posteriordb";
  page.about = sentence("fisherman reproduce posteriordb: ", all.size(), " posteriors, family ",
                        options.family, ", ", options.seeds,
                        options.seeds == 1 ? " seed" : " seeds", ", version ", version());
  page.verdict = report::Cell(summary, silent.empty() && right == nearly ? Tone::good : Tone::mind);
  page.footer = sentence("Made by fisherman ", version(), ". All fits: posteriors.csv.");
  page.sections = {error_section(all), cost_section(all)};
  write_file(options.folder / "posteriors.csv", csv_of(all));
  write_file(options.folder / "verdicts.txt", verdicts + summary + "\n");
  write_file(options.folder / "report.html", report::html(page));
}

}  // namespace fisherman::cli::study
