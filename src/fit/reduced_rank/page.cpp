// How a reduced-rank fit went: the page of one or several.
#include <algorithm>
#include <cmath>
#include <map>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/sections.hpp"
#include "page.hpp"

namespace fisherman::reduced_rank_report {

using namespace report;  // NOLINT: the parts of a page

std::string percent(double share) { return fixed(100.0 * share, 2) + "%"; }

namespace {

bool tested(const Fits& fits) {
  return std::any_of(fits.begin(), fits.end(), [](const Fit& f) { return f.tested(); });
}

Cell verdict(const Fits& fits) {
  const auto loss = [](const Fit& f) {
    return f.tested() ? f.value("test_loss") : f.value("loss");
  };
  const Fit& best = *std::min_element(
      fits.begin(), fits.end(), [&](const Fit& a, const Fit& b) { return loss(a) < loss(b); });
  const std::string who =
      fits.size() == 1 ? "The fit"
                       : sentence("Of ", fits.size(), " fits '", best.run.name, "' is best: it");
  std::string said =
      sentence(who, " ", status_words(best.run), "; rank ", best.rank(), ", ",
               percent(best.value(best.tested() ? "test_accuracy" : "accuracy")), " of the ",
               best.tested() ? "held-out rows" : "training rows (none were held out)",
               " in the right class.");
  Tone tone = status_tone(best.run);
  if (const std::string why = best.said("no_maximum"); !why.empty()) {
    said += " There is a warning: " + why + ".";
    tone = Tone::mind;
  }
  return {said, tone};
}

Section summary(const Fits& fits) {
  Section section("Summary");
  const bool held = tested(fits);
  Grid grid{
      {{"run"}, {"status"}, {"rank", true}, {"training loss", true}, {"training accuracy", true}},
      {}};
  if (held) grid.columns.insert(grid.columns.end(), {{"held-out loss", true}, {"accuracy", true}});
  grid.columns.insert(grid.columns.end(), {{"iterations", true}, {"seconds", true}});
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const Fit& f = fits[k];
    Grid::Row row{{Cell(f.run.name), Cell(status_word(f.run), status_tone(f.run)),
                   Cell(figure(double(f.rank()))), Cell(fixed(f.value("loss"), 5)),
                   Cell(percent(f.value("accuracy")))},
                  false,
                  fits.size() == 1 ? -1 : int(k)};
    if (held) {
      row.cells.emplace_back(f.tested() ? fixed(f.value("test_loss"), 5) : "–");
      row.cells.emplace_back(f.tested() ? percent(f.value("test_accuracy")) : "–");
    }
    row.cells.emplace_back(figure(f.value("iterations"), 10));
    row.cells.emplace_back(figure(f.value("seconds"), 3));
    grid.rows.push_back(std::move(row));
  }
  add_overview(section, grid);
  return section.paragraph(
      "Losses are the mean of -log P(the row's class), in nats per row; classes drawn at random "
      "have "
      "log(classes).");
}

/// The traces of a run: its own, or of each rank and start of a path.
std::vector<Course> courses_of(const ReportedFit& run, bool alone) {
  std::vector<Course> out;
  const auto add = [&](const std::string& name, const TraceColumns& trace) {
    if (const auto found = trace.find("objective"); found != trace.end())
      out.push_back({name, trace.at("iteration"), trace.at("seconds"), found->second});
  };
  add(run.name, run.trace);
  for (const auto& [part, trace] : run.parts) add(alone ? part : run.name + "/" + part, trace);
  return out;
}

Section course(const Fits& fits) {
  Section section("The way there");
  std::vector<Course> courses;
  for (const Fit& f : fits)
    for (Course& one : courses_of(f.run, fits.size() == 1)) courses.push_back(std::move(one));
  if (courses.empty())
    return section.paragraph("No values of the loss were left on the way (--eval-every 0).");
  return section.chart(course_chart(courses, "mean training loss, nats", 1e-6),
                       "The mean training loss over all rows, on a logarithmic axis.");
}

/// A path of ranks: what each came to.
void add_paths(std::vector<Section>& sections, const Fits& fits) {
  Section section("Ranks");
  bool any = false;
  Chart chart{.x = {{.name = "rank"}}, .y = {.name = "mean loss, nats"}};
  Grid grid{{{"run"},
             {"rank", true},
             {"start", true},
             {"training loss", true},
             {"accuracy", true},
             {"held-out loss", true},
             {"accuracy", true}},
            {}};
  for (const Fit& f : fits) {
    if (f.model.fits.empty()) continue;
    any = true;
    std::vector<double> ranks, train, test;
    for (const Fields& one : f.model.fits) {
      ranks.push_back(one.number("rank"));
      train.push_back(one.number("loss"));
      test.push_back(one.number("test_loss"));
      const bool chosen =
          one.number("rank") == f.value("rank") && one.number("start") == f.value("start");
      const auto shown = [&](const char* key, bool share) {
        const double v = one.number(key);
        return Cell(std::isnan(v) ? "–" : share ? percent(v) : fixed(v, 5));
      };
      grid.rows.push_back(
          {{Cell(f.run.name), Cell(one.text("rank")), Cell(one.text("start")), shown("loss", false),
            shown("accuracy", true), shown("test_loss", false), shown("test_accuracy", true)},
           chosen});
    }
    const std::string prefix = fits.size() == 1 ? "" : f.run.name + ": ";
    chart.series.push_back({.name = prefix + "training", .x = {ranks}, .y = train, .dots = true});
    if (f.tested())
      chart.series.push_back({.name = prefix + "held out", .x = {ranks}, .y = test, .dots = true});
  }
  if (!any) return;
  section.paragraph(
      "The marked fit is the one that was kept: of each rank the start with the least training "
      "loss, and of the ranks the one with the least held-out loss, or the largest if no rows were "
      "held out.");
  section.chart(chart, "The loss of each rank and start.");
  sections.push_back(section.table(grid));
}

/// What a cross-validation saw.
void add_trials(std::vector<Section>& sections, const Fit& fit) {
  if (fit.model.trials.empty()) return;
  Section section("Cross-validation");
  Grid grid{{{"rank", true},
             {"ridge", true},
             {"left-out loss", true},
             {"standard error", true},
             {"accuracy", true},
             {""}},
            {}};
  std::map<double, Chart::Series> by_ridge;
  for (const Fields& one : fit.model.trials) {
    const double ridge = one.number("ridge"), loss = one.number("loss"),
                 error = one.number("standard_error");
    const bool chosen = one.flag("chosen");
    grid.rows.push_back({{Cell(one.text("rank")), Cell(figure(ridge, 3)), Cell(fixed(loss, 5)),
                          Cell(fixed(error, 5)), Cell(percent(one.number("accuracy"))),
                          Cell(chosen ? "chosen" : "", Tone::good)},
                         chosen});
    Chart::Series& series = by_ridge[ridge];
    series.name = "ridge " + figure(ridge, 3);
    if (series.x.empty()) series.x = {{}};
    series.x[0].push_back(one.number("rank"));
    series.y.push_back(loss);
    series.low.push_back(loss - error);
    series.high.push_back(loss + error);
  }
  Chart chart{.x = {{.name = "rank"}}, .y = {.name = "loss on rows that were left out, nats"}};
  for (auto& [ridge, series] : by_ridge) chart.series.push_back(std::move(series));
  section.chart(
      chart,
      sentence(fit.run.name, ": mean losses over ", fit.model.best.text("folds"),
               " folds, and a standard error either way. The simplest pair within a standard error "
               "of the least was chosen: the smallest rank, then the strongest ridge."));
  section.table(grid);
  sections.push_back(std::move(section));
}

Section diagnostics(const Fits& fits) {
  Section section("Diagnostics");
  Grid grid{{{"run"},
             {"features", true},
             {"left out", true},
             {"still to gain, nats per row", true},
             {"steps not taken", true},
             {"eigenvalues clipped", true},
             {"standard errors"}},
            {}};
  std::vector<Cell> notes;
  for (const Fit& f : fits) {
    const std::string who = fits.size() == 1 ? "" : "'" + f.run.name + "': ";
    const auto columns = f.model.map.names.size(), kept = f.model.map.kept.size();
    const double rejected = f.value("rejected"), clips = f.value("clips");
    const bool errors = f.model.uncertainty.has_value();
    grid.rows.push_back({{Cell(f.run.name), Cell(figure(double(columns), 10)),
                          Cell(figure(double(columns - kept), 10)),
                          Cell(std::isnan(f.value("gain")) ? "–" : figure(f.value("gain"), 2)),
                          Cell(figure(rejected, 10), rejected > 0.0 ? Tone::mind : Tone::plain),
                          Cell(figure(clips, 10)), Cell(errors ? "in the folder" : "none")}});
    if (status_tone(f.run) != Tone::good)
      notes.emplace_back(who + f.model.summary.sentence, status_tone(f.run));
    for (const char* key : {"no_maximum", "no_standard_errors"})
      if (const std::string why = f.said(key); !why.empty())
        notes.emplace_back(who + why + ".", Tone::mind);
    if (columns > kept)
      notes.emplace_back(sentence(who, columns - kept, " of ", columns,
                                  " features are constant; their coefficients are 0."));
  }
  section.table(grid);
  if (notes.empty()) return section.paragraph("There is nothing to warn of.", Tone::good);
  return section.list(notes);
}

}  // namespace

Page page(const std::vector<ReportedFit>& runs, const PageLimits& /*limits*/) {
  Fits fits;
  for (const ReportedFit& run : runs) {
    const ReducedRankFitted& model = run.as<ReducedRankFitted>();
    fits.push_back({run, model, components(model.point)});
  }
  Page page;
  page.title = "Reduced-rank regression: " + data_name(runs[0]);
  page.about = sentence(fits[0].model.map.names.size(), " features, ", fits[0].model.classes.size(),
                        " classes, coefficients of rank ", fits[0].rank());
  page.verdict = verdict(fits);
  Section components("Components"), classes("Classes and features"), coefficients("Coefficients"),
      confusion("Confusion");
  for (const Fit& f : fits) {
    add_pictures(components, f);
    add_biplot(classes, f);
    add_coefficients(coefficients, f);
    add_confusion(confusion, f);
  }
  page.sections = {summary(fits), course(fits)};
  add_paths(page.sections, fits);
  for (const Fit& f : fits) add_trials(page.sections, f);
  page.sections.push_back(spectrum_section(fits));
  for (const Section& section : {components, classes, coefficients, confusion})
    if (!section.parts.empty()) page.sections.push_back(section);
  page.sections.push_back(settings_section(runs));
  page.sections.push_back(diagnostics(fits));
  return page;
}

}  // namespace fisherman::reduced_rank_report
