// fisherman compare: several methods on one problem, each from several seeds.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/version.hpp"
#include "quoting.hpp"
#include "report/html.hpp"
#include "study/problem.hpp"
#include "study/runner.hpp"
#include "study/study_flags.hpp"
#include "study/summary.hpp"

namespace fisherman::cli {
namespace {

using namespace study;
using report::figure;
using report::Grid;
using report::Section;
using report::Tone;

// A gap below this is drawn as this: the optimum is not known much better.
constexpr double least_gap = 1e-6;

struct Compare : StudyFlags {
  explicit Compare(const FitKind& kind) : problem(kind) {}

  Problem problem;
  std::string methods;
  std::int64_t seeds = 10;

  int run();

 private:
  report::Page page(const std::vector<Arm>& arms, const std::vector<Band>& bands,
                    const std::vector<Trial>& trials, double optimum) const;
  Section settings_section(const std::vector<Arm>& arms) const;
};

/// A mean at the end; of a gap, nothing is said below what is known.
std::string last_words(const Band& band, bool gap) {
  if (!std::isfinite(band.last())) return "–";
  return gap && band.last() < least_gap ? "< " + figure(least_gap) : figure(band.last());
}

/// "0.0123 ± 0.0004".
std::string with_error(const Band& band, bool gap) {
  if (!std::isfinite(band.last()) || (gap && band.last() < least_gap)) return last_words(band, gap);
  return sentence(last_words(band, gap), " ± ", figure(band.last_error(), 2));
}

std::string padded(const std::string& text, std::size_t width) {
  std::size_t columns = 0;  // characters, and not bytes: those of UTF-8 that begin one
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return (columns < width ? std::string(width - columns, ' ') : "") + text;
}

void print(const std::vector<Band>& bands, const std::string& what, bool gap) {
  std::size_t width = 6;
  for (const Band& band : bands) width = std::max(width, band.label.size());
  std::cout << std::left << std::setw(int(width)) << "method" << padded(what, 27)
            << padded("s per run", 11) << padded("ended well", 13) << '\n';
  for (const Band& band : bands)
    std::cout << std::left << std::setw(int(width)) << band.label
              << padded(with_error(band, gap), 27) << padded(figure(band.run_seconds, 3), 10)
              << padded(sentence(band.well, " of ", band.runs), 13) << '\n';
}

Section Compare::settings_section(const std::vector<Arm>& arms) const {
  Section section("Settings");
  Grid grid{{{"method"}, {"its settings"}}, {}};
  for (std::size_t a = 0; a < arms.size(); ++a) {
    std::string said;
    for (const auto& [name, value] : arms[a].settings)
      said += sentence(said.empty() ? "" : ", ", name, " ", value);
    grid.rows.push_back({{arms[a].label, said}, false, int(a)});
  }
  section.table(grid);
  section.paragraph("What they share; options that are not there are at their defaults:");
  Grid shared{{{"option"}, {"value"}}, {}};
  const Json identity = problem.identity();
  for (const auto& [name, value] : identity.items())
    shared.rows.push_back({{name, value.is_string() ? value.get<std::string>() : value.dump()}});
  return section.table(shared);
}

report::Page Compare::page(const std::vector<Arm>& arms, const std::vector<Band>& bands,
                           const std::vector<Trial>& trials, double optimum) const {
  const bool gap = std::isfinite(optimum);
  const std::string value = gap ? "gap to the exact optimum, nats" : problem.kind->objective;
  report::Page page;
  page.title = sentence(arms.size(), " methods on ",
                        std::filesystem::path(problem.data).filename().string());
  page.about = sentence("fisherman compare ", problem.kind->name, ": ", seeds, " runs of each, ",
                        problem.shared_value("iterations"), " iterations");
  page.footer = sentence("Made by fisherman ", version());

  const Band* best = nullptr;
  for (const Band& band : bands)
    if (std::isfinite(band.last()) && (best == nullptr || band.last() < best->last())) best = &band;
  page.verdict = best == nullptr
                     ? report::Cell("No method ended well from every seed.", Tone::bad)
                     : report::Cell(sentence("'", best->label, "' ended lowest: ", value, " ",
                                             with_error(*best, gap), "."));

  Section way("The way there");
  way.chart(band_chart(bands, value, gap, least_gap),
            sentence("The mean of ", seeds,
                     " runs, and one standard error on either side. Against seconds, a point "
                     "stands at the mean time of its iteration; trials that ran at the same time "
                     "share the machine. "
                     "A line ends where a run has diverged."));
  if (gap)
    way.paragraph(sentence("The exact optimum is ", report::fixed(optimum, 6),
                           " nats, by the deterministic solver (--method exact)."));
  page.sections.push_back(way);

  Section end("At the end");
  Grid grid{{{"method"}, {value, true}, {"standard error", true}}, {}};
  const std::vector<double> levels = {1.0, 0.1, 0.01};
  if (gap)
    for (const double level : levels)
      grid.columns.push_back({sentence("below ", figure(level), " from iteration"), true});
  grid.columns.push_back({"seconds per run", true});
  grid.columns.push_back({"ended well", true});
  for (std::size_t a = 0; a < bands.size(); ++a) {
    const Band& band = bands[a];
    const bool there = std::isfinite(band.last());
    Grid::Row row{{band.label, last_words(band, gap), there ? figure(band.last_error(), 2) : "–"},
                  &band == best,
                  int(a)};
    if (gap)
      for (const double level : levels) {
        const double from = band.below(level);
        row.cells.emplace_back(std::isfinite(from) ? figure(from, 10) : "–");
      }
    row.cells.emplace_back(figure(band.run_seconds, 3));
    row.cells.emplace_back(sentence(band.well, " of ", band.runs),
                           band.well < band.runs ? Tone::bad : Tone::plain);
    grid.rows.push_back(std::move(row));
  }
  page.sections.push_back(end.table(grid));
  page.sections.push_back(settings_section(arms));

  Section all("Trials");
  Grid list{{{"trial"}, {"objective", true}, {"seconds", true}, {"how it ended"}, {"command"}}, {}};
  for (const Trial& trial : trials)
    list.rows.push_back(
        {{std::to_string(trial.id), figure(trial.objective, 8), figure(trial.seconds, 3),
          status_words(trial), "fisherman fit " + shell_words(trial.command)}});
  page.sections.push_back(all.table(list, sentence("All ", trials.size(), " trials")));
  return page;
}

int Compare::run() {
  check();
  problem.apply();
  const std::vector<Arm> arms = parse_arms(methods);
  for (const Arm& arm : arms)
    problem.trial(arm.settings, 1);  // bad settings are told before any run
  Json settings = problem.identity();
  settings["study"] = "compare";
  settings["methods"] = methods;
  settings["seeds"] = seeds;
  Store store(out, settings);

  std::vector<Trial> trials;
  std::vector<std::string> labels;  // of the trials
  for (std::int64_t seed = 1; seed <= seeds; ++seed)
    for (const Arm& arm : arms) {
      trials.push_back(store.trial(problem.trial(arm.settings, seed)));
      labels.push_back(sentence(arm.label, ", seed ", seed));
    }
  if (problem.kind->has_reference()) {
    trials.push_back(store.trial(problem.reference()));
    labels.emplace_back("exact optimum");
  }
  const auto before =
      std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.ended(); });
  ProgressLine progress(quiet);
  progress.restart(trials.size(), std::size_t(before));
  if (before > 0) progress.say(sentence(before, " of ", trials.size(), " trials had ended before"));
  Runner runner(store, int(jobs));
  runner.watch = [&](const Trial& ended) {
    for (std::size_t k = 0; k < trials.size(); ++k)
      if (trials[k].id == ended.id) progress.tell(ended, labels[k]);
  };
  if (!runner.run(trials)) {
    progress.say("Interrupted; the same command goes on.");
    return not_converged;
  }

  double optimum = Record::unknown;
  if (problem.kind->has_reference() && trials.back().well()) optimum = trials.back().objective;
  std::vector<Band> bands;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    std::vector<Trial> runs;
    for (std::int64_t s = 0; s < seeds; ++s)
      runs.push_back(trials[std::size_t(s) * arms.size() + a]);
    bands.push_back(band(arms[a].label, runs));
    if (std::isfinite(optimum)) bands.back() = bands.back().above(optimum);
  }
  const bool gap = std::isfinite(optimum);
  const std::filesystem::path folder = out;
  write_file(folder / "compare.csv", bands_csv(bands, gap ? "gap" : "objective"));
  write_file(folder / "trials.csv", trials_csv(trials));
  write_file(folder / "report.html", report::html(page(arms, bands, trials, optimum)));
  print(bands, gap ? "gap to the optimum, nats" : problem.kind->objective, gap);
  std::cout << (folder / "report.html").string() << '\n';
  return done;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* const compare = app.add_subcommand(
      "compare", "several methods on one problem, each from several seeds, on one page");
  compare->require_subcommand(1);
  const char* const example =
      "Example:\n  fisherman compare logistic --data wdbc.csv --iterations 500 --seeds 10 --out "
      "wdbc-methods \\\n"
      "    --methods \"ngd; ifngd geometry=bw; Adam: adam step-size=0.05\"";
  compare->footer(example);
  for (const FitKind& kind : fit_kinds()) {
    if (!kind.takes_rows) continue;
    auto self = std::make_shared<Compare>(kind);
    CLI::App* const command = compare->add_subcommand(kind.name, kind.help);
    command
        ->add_option(
            "--methods", self->methods,
            "methods with settings of their own, as \"METHOD OPTION=VALUE …; …\"; a name may go "
            "before, as in \"Adam: adam step-size=0.05\"")
        ->required()
        ->type_name("LIST");
    add_number(*command, "seeds", self->seeds, "runs of each method, from seeds 1, 2, …",
               Options::Rule::positive)
        ->capture_default_str();
    self->StudyFlags::add_to(*command);
    self->problem.add_to(*command, {"method"});
    command->footer(example);
    command->callback([self, &exit_code] { exit_code = self->run(); });
  }
}

}  // namespace fisherman::cli
