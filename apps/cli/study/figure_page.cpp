// What a reproduced figure leaves: a page, a figure for a paper, numbers, verdicts.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "reproduction.hpp"
#include "svg.hpp"

extern char** environ;

namespace fisherman::cli::study {
namespace {

using report::figure;
using report::Grid;
using report::Section;
using report::Tone;

constexpr double least_gap = 1e-6;  // what the optimum is known to, and more

Figure drawn(const FigurePlan& plan, const Measured& measured) {
  Figure out{.x_name = "iteration", .y_name = plan.y_name, .log = plan.log, .floor = least_gap};
  for (const auto& row : plan.panels) {
    auto& panels = out.rows.emplace_back();
    for (const PanelPlan& panel : row) {
      panels.push_back({panel.title, {}, {}});
      for (const std::size_t line : panel.lines) {
        panels.back().bands.push_back(measured.bands[line]);
        panels.back().colours.push_back(plan.lines[line].colour);
      }
    }
  }
  return out;
}

/// False if there is no such program, or it could not do it.
bool converted(const std::filesystem::path& svg_file, const std::filesystem::path& png_file) {
  std::string words[] = {"rsvg-convert", "--zoom=3", "--output=" + png_file.string(),
                         svg_file.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t pid = 0;
  int status = 0;
  return posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments, environ) == 0 &&
         waitpid(pid, &status, 0) == pid && status == 0;
}

std::string verdict_of(const Finding& finding) {
  if (!finding.holds) return "not told";
  return *finding.holds ? "holds" : "does not hold";
}

/// With spaces behind it.
std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

Tone tone_of(const Finding& finding) {
  if (!finding.holds) return Tone::mind;
  return *finding.holds ? Tone::good : Tone::bad;
}

std::string verdict_words(const std::vector<Finding>& findings) {
  const auto holding = std::count_if(findings.begin(), findings.end(),
                                     [](const Finding& f) { return f.holds == true; });
  return sentence(holding, " of ", findings.size(),
                  " statements of the paper hold as measured here.");
}

/// Each statement once, with what came of it on each data set.
Section verdicts_section(const std::vector<Finding>& findings) {
  Section section("What the paper says, and what was measured");
  std::vector<std::string> told;
  for (const Finding& first : findings) {
    if (std::find(told.begin(), told.end(), first.claim) != told.end()) continue;
    told.push_back(first.claim);
    std::vector<report::Cell> items;
    for (const Finding& finding : findings)
      if (finding.claim == first.claim)
        items.emplace_back(
            sentence(finding.where, ": ", verdict_of(finding), " (", finding.measured, ")"),
            tone_of(finding));
    section.paragraph(first.claim + ".");
    section.list(items);
  }
  return section;
}

Section lines_section(const FigurePlan& plan, const Measured& measured) {
  Section section("Settings and ends");
  Grid grid{{{"method"},
             {"data"},
             {"tuned to"},
             {plan.y_name + ", at the end", true},
             {"standard error", true},
             {"seconds per run", true},
             {"ended well", true}},
            {}};
  for (std::size_t l = 0; l < plan.lines.size(); ++l) {
    const Band& band = measured.bands[l];
    const bool there = std::isfinite(band.last());
    grid.rows.push_back(
        {{band.label, plan.problem_names[plan.lines[l].problem], measured.tuned[l],
          there ? figure(band.last()) : "–",
          there && band.runs > 1 ? figure(band.last_error(), 2) : "–", figure(band.run_seconds, 3),
          report::Cell(sentence(band.well, " of ", band.runs),
                       band.well < band.runs ? Tone::bad : Tone::plain)},
         false,
         plan.lines[l].colour});
  }
  section.table(grid);
  for (std::size_t p = 0; p < plan.problems.size(); ++p)
    if (std::isfinite(measured.references[p]))
      section.paragraph(sentence(plan.problem_names[p], ": the exact optimum is ",
                                 report::fixed(measured.references[p], 6), " nats."));
  return section.list({plan.notes.begin(), plan.notes.end()});
}

report::Page page_of(const FigurePlan& plan, const Measured& measured, const Figure& all,
                     const std::vector<Finding>& findings, const std::string& png) {
  report::Page page;
  page.title = plan.title;
  page.about = sentence("fisherman reproduce ", plan.name, ", version ", version());
  page.verdict = verdict_words(findings);
  page.footer = sentence("Made by fisherman ", version(), ". For a paper: figure.svg. ", png);

  Section figures("The figure");
  figures.paragraph(plan.about);
  for (const auto& row : all.rows) {
    std::vector<std::pair<std::string, report::Chart>> charts;
    for (const Panel& panel : row) {
      report::Chart chart = band_chart(panel.bands, plan.y_name, all.log, all.floor);
      chart.x.resize(1);  // iterations alone, as in the paper
      for (std::size_t b = 0; b < panel.bands.size(); ++b)
        chart.series[b].colour = panel.colours[b];
      charts.emplace_back(panel.title, std::move(chart));
    }
    figures.panels(charts);
  }
  figures.paragraph(
      plan.seeds == 1
          ? std::string("One run of each method; a line ends where it has diverged.")
          : sentence("Means of ", plan.seeds,
                     " runs, or of all that a line has, with one standard error on either "
                     "side. A line ends where a run has diverged or was to end."));
  page.sections.push_back(figures);

  page.sections.push_back(verdicts_section(findings));
  page.sections.push_back(lines_section(plan, measured));
  return page;
}

}  // namespace

void write_figure(const FigurePlan& plan, const Measured& measured, Store& store) {
  const Figure all = drawn(plan, measured);
  const std::vector<Finding> findings = plan.findings(plan, measured);
  const std::filesystem::path& folder = store.folder();
  write_file(folder / "figure.svg", svg(all));
  const std::string png =
      converted(folder / "figure.svg", folder / "figure.png")
          ? "figure.png is made from it."
          : "There is no figure.png: that needs rsvg-convert (Debian's package librsvg2-bin).";
  std::vector<Band> named = measured.bands;
  for (std::size_t l = 0; l < named.size(); ++l)
    named[l].label = sentence(plan.problem_names[plan.lines[l].problem], ", ", named[l].label);
  write_file(folder / "figure.csv", bands_csv(named, plan.log ? "gap" : "objective"));
  write_file(folder / "trials.csv", trials_csv(store.all()));
  std::string verdicts;
  for (const Finding& finding : findings)
    verdicts += sentence(padded(verdict_of(finding), 15), finding.where, ": ", finding.claim, " (",
                         finding.measured, ")\n");
  write_file(folder / "verdicts.txt", verdicts + verdict_words(findings) + "\n");
  write_file(folder / "report.html", report::html(page_of(plan, measured, all, findings, png)));
}

}  // namespace fisherman::cli::study
