// Diagnostics: how far a regression is to be trusted.
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/core/version.hpp"
#include "fisherman/model/pareto.hpp"
#include "page.hpp"

namespace fisherman::regression_report {

Section diagnostics_section(const RegressionFits& fits) {
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
    const ReportedFit& run = fits.runs[k];
    const std::string who = fits.alone() ? "" : "'" + run.name + "': ";
    const std::string whose = fits.problems.count() == 1 ? "" : who;  // about the data
    double condition = std::numeric_limits<double>::quiet_NaN();
    if (fits.model(k).q.covariance.allFinite()) {
      const Vector values = spectrum(fits.model(k).q.covariance).values;
      condition = values(values.size() - 1) / values(0);
    }
    const double rejected = double(fits.model(k).summary.rejected),
                 clips = double(fits.model(k).summary.clips);
    double predicted = std::numeric_limits<double>::quiet_NaN();
    for (const double value : run.column("predicted"))
      if (!std::isnan(value)) predicted = value;
    const bool steep = !(condition < 1e10) || condition < 0.0;
    grid.rows.push_back(
        {{Cell(run.name), Cell(fixed(fits.khat(k), 2), khat_tone(fits.judged_khat(k))),
          Cell(figure(condition, 3), steep ? Tone::mind : Tone::plain),
          Cell(figure(rejected, 10), rejected > 0.0 ? Tone::mind : Tone::plain),
          Cell(figure(clips, 10), clips > 0.0 ? Tone::mind : Tone::plain),
          Cell(std::isnan(predicted) ? "–" : figure(predicted, 2))},
         false,
         fits.alone() ? -1 : int(k)});

    if (status_tone(fits, k) != Tone::good)
      notes.emplace_back(who + fits.model(k).summary.sentence,
                         fits.status(k) == Status::diverged ? Tone::bad : Tone::plain);
    if (fits.judged_khat(k) >= 0.7)
      notes.emplace_back(sentence(who, "Pareto k̂ is ", fixed(fits.khat(k), 2), ", ",
                                  fits.model(k).ratios.verdict(), "."),
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
    if (run.settings.text("version") != version())
      notes.emplace_back(sentence(who, "The fit was made by version ", run.settings.text("version"),
                                  ", this page by ", version(), "."));
    if (const double error = fits.model(k).expectation_error; fits.model(k).likelihood->finer())
      notes.emplace_back(
          sentence(who, fits.model(k).likelihood->approximation(),
                   " Four times as many nodes change the NELBO by ", figure(error, 2), " nats."),
          error < 0.1 ? Tone::plain : Tone::mind);
    if (k > 0 && &fits.problems.of(k) == &fits.problems.of(k - 1)) continue;
    if (const auto& target = fits.problems.of(k).target;
        target && fits.model(k).likelihood->binary() && !fits.model(k).classes.empty() &&
        !fits.model(k).plan.intercept && !run.settings.flag("no-standardize") &&
        std::abs(fits.problems.of(k).rows().outcomes().y.mean() - 0.5) > 0.1)
      notes.emplace_back(
          sentence(whose, figure(100.0 * fits.problems.of(k).rows().outcomes().y.mean(), 2),
                   "% of the rows are of class ", fits.model(k).classes[1],
                   ", but there is no intercept to say so, and other coefficients "
                   "stand in for it. Without --no-intercept there is one."),
          Tone::mind);
    if (const LeaveOneOut& loo = fits.model(k).loo(); loo.doubtful > 0)
      notes.emplace_back(
          sentence(
              who, loo.doubtful, " of ", loo.rows,
              " rows have a leave-one-out Pareto k̂ above 0.7: the fit depends on each of them, and "
              "their predictive density is not known well."),
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

}  // namespace fisherman::regression_report
