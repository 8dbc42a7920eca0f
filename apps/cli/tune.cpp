// fisherman tune: the settings that do best, by the paper's search.
#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>

#include "fisherman/core/archive.hpp"
#include "fisherman/io/text.hpp"
#include "quoting.hpp"
#include "report/html.hpp"
#include "study/problem.hpp"
#include "study/runner.hpp"
#include "study/search.hpp"
#include "study/study_flags.hpp"
#include "study/summary.hpp"

namespace fisherman::cli {
namespace {

using namespace study;
using report::figure;

/// Trials or time; nothing means no limit.
struct Budget {
  std::optional<std::size_t> trials;
  std::optional<double> seconds;

  static Budget parse(const std::string& text);
};

Budget Budget::parse(const std::string& text) {
  Budget out;
  if (text.empty()) return out;
  const auto unit_at = text.find_first_not_of("0123456789.");
  const std::string unit = unit_at == std::string::npos ? "" : text.substr(unit_at);
  const double scale = unit == "s" ? 1.0 : unit == "min" ? 60.0 : unit == "h" ? 3600.0 : 0.0;
  const double number = parse_number(text.substr(0, unit_at)).value_or(0.0);
  require(number > 0.0 && (scale > 0.0 || (unit.empty() && number == std::floor(number))),
          "--budget is '", text,
          "', but must be a number of trials, or a time as 90s, 10min or 2h");
  if (unit.empty())
    out.trials = std::size_t(number);
  else
    out.seconds = number * scale;
  return out;
}

struct Tune : StudyFlags {
  explicit Tune(const FitKind& kind) : problem(kind) {}

  Problem problem;
  std::string grid, budget;
  std::int64_t random = 25, rounds = 1, seeds = 1, seed = 1;

  int run();

 private:
  void show(const Search& search) const;
};

void Tune::show(const Search& search) const {
  const auto ranking = search.ranking();
  const std::size_t shown = std::min<std::size_t>(ranking.size(), 10);
  std::cout << "   objective   seconds  settings\n";
  for (std::size_t k = 0; k < shown; ++k)
    std::cout << std::setw(12)
              << (std::isfinite(ranking[k].objective) ? figure(ranking[k].objective, 8)
                                                      : "diverged")
              << std::setw(10) << report::fixed(ranking[k].seconds, 2) << "  "
              << search.words(ranking[k].cell) << '\n';
  if (shown < ranking.size()) std::cout << "   and " << ranking.size() - shown << " more\n";
}

int Tune::run() {
  const auto began = std::chrono::steady_clock::now();
  check();
  problem.apply();
  const Budget limit = Budget::parse(budget);
  require(!limit.trials || *limit.trials >= std::size_t(seeds), "--budget is ", budget,
          " trials, but one setting alone takes ", seeds, " (--seeds)");
  const SettingsGrid cells = SettingsGrid::parse(
      grid.empty() ? problem.kind->tuning_grid(problem.shared_value("method")) : grid);
  SearchOptions options{.random = std::size_t(random),
                        .rounds = std::size_t(rounds),
                        .seeds = seeds,
                        .seed = std::uint64_t(seed)};
  if (limit.trials) options.most = *limit.trials;
  Search search(problem, {}, cells, options);

  // The budget, and how often neighbours are tried, may grow: the trials so far are the same.
  Json settings = problem.identity();
  settings["study"] = "tune";
  settings["grid"] = cells.text();
  settings["random"] = random;
  settings["seeds"] = seeds;
  settings["seed"] = seed;
  Store store(out, settings);
  Runner runner(store, int(jobs));
  if (limit.seconds)
    runner.enough = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >
             *limit.seconds;
    };
  ProgressLine progress(quiet);
  progress.say(sentence("A grid of ", cells.size(), " settings: ", cells.text()));
  double best = std::numeric_limits<double>::infinity();
  runner.watch = [&](const Trial& ended) {
    const Cell* const cell = search.cell_of(ended);
    const bool better = ended.well() && ended.objective < best;
    if (better) best = ended.objective;
    progress.tell(ended, search.words(*cell) + (better ? "  < best so far" : ""));
  };
  bool all = true;
  std::size_t planned = 0;
  for (std::vector<Trial> trials = search.next(store); all && !trials.empty();) {
    planned += trials.size();
    std::size_t before = 0;
    for (const Trial& trial : trials) {
      before += trial.ended() ? 1 : 0;
      if (trial.well()) best = std::min(best, trial.objective);
    }
    if (before > 0)
      progress.say(sentence(before, " of ", trials.size(), " trials had ended before"));
    progress.restart(planned, planned - trials.size() + before);
    all = runner.run(trials);
    search.give_back(trials);
    if (all) trials = search.next(store);
  }
  if (runner.interrupted()) {
    progress.say("Interrupted; the same command goes on.");
    return not_converged;
  }
  const std::filesystem::path folder = out;
  write_file(folder / "trials.csv", trials_csv(store.all()));
  const auto ranking = search.ranking();
  show(search);
  if (ranking.empty() || !std::isfinite(ranking.front().objective)) {
    std::cout << "None of the settings ended well.\n";
    return not_converged;
  }
  write_file(folder / "best.json",
             problem.config_of(search.settings(ranking.front().cell)).dump(2) + "\n");
  std::vector<std::string> words = {"fisherman", "fit", problem.kind->name, "--data", problem.data};
  if (!problem.label.empty()) words.insert(words.end(), {"--label", problem.label});
  if (!problem.labels.empty()) words.insert(words.end(), {"--labels", problem.labels});
  if (problem.columns > 0)
    words.insert(words.end(), {"--columns", std::to_string(problem.columns)});
  words.insert(words.end(), {"--config", (folder / "best.json").string()});
  std::cout << shell_words(words) << '\n';
  return done;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code) {
  CLI::App* const tune = app.add_subcommand(
      "tune", "find good settings: random ones of a grid, then the neighbours of the best");
  tune->require_subcommand(1);
  const char* const example =
      "Example:\n  fisherman tune logistic --data wdbc.csv --method ifngd --geometry bw "
      "--iterations 500 \\\n"
      "    --grid \"step-size=0.001,0.01,0.1; decay=0,0.5\" --budget 10min --out wdbc-tuned\n"
      "  fisherman fit logistic --data wdbc.csv --config wdbc-tuned/best.json";
  tune->footer(example);
  for (const FitKind& kind : fit_kinds()) {
    if (!kind.takes_rows) continue;
    auto self = std::make_shared<Tune>(kind);
    CLI::App* const command = tune->add_subcommand(kind.name, kind.help);
    command
        ->add_option(
            "--grid", self->grid,
            "the values to choose from, as \"OPTION=VALUE,VALUE,…; …\" (default: step-size, decay "
            "and, where scores are learnt from, epsilon)")
        ->type_name("LIST");
    command
        ->add_option("--budget", self->budget,
                     "the most it may take: trials of all, as 40, or time of this call, as 10min")
        ->type_name("BUDGET");
    add_number(*command, "random", self->random, "settings that are chosen at random",
               Options::Rule::positive)
        ->capture_default_str();
    add_number(*command, "rounds", self->rounds,
               "how often the neighbours of the best are tried, while that finds a better one",
               Options::Rule::not_negative)
        ->capture_default_str();
    add_number(*command, "seeds", self->seeds, "runs of each setting, whose mean counts",
               Options::Rule::positive)
        ->capture_default_str();
    add_number(*command, "seed", self->seed, "of the random choice", Options::Rule::seed)
        ->capture_default_str();
    self->StudyFlags::add_to(*command);
    self->problem.add_to(*command, {});
    command->footer(example);
    command->callback([self, &exit_code] { exit_code = self->run(); });
  }
}

}  // namespace fisherman::cli
