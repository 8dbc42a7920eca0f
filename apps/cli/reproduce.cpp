// fisherman reproduce: the paper's figures, with a verdict on what it says of them.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <mutex>

#include "datasets/catalogue.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/version.hpp"
#include "own_folder.hpp"
#include "quoting.hpp"
#include "study/rates.hpp"
#include "study/reproduction.hpp"

namespace fisherman::cli {
namespace {

using namespace study;

const FigureKind* const figures[] = {&figure_gaussian(), &figure_gaussian_large(), &figure_flow(),
                                     &figure_reduced_rank()};

struct Reproduce : StudyFlags {
  const FigureKind* figure = nullptr;
  std::string data_folder = "data";
  bool quick = false;
  std::int64_t iterations = -1, random = -1, rounds = -1, runs = -1;

  int run();
};

void print_verdicts(const std::filesystem::path& folder) {
  std::cout << std::ifstream(folder / "verdicts.txt").rdbuf() << (folder / "report.html").string()
            << '\n';
}

/// A missing file, and how to get it.
std::string missing_words(const std::filesystem::path& file, const std::string& folder) {
  const std::string set = datasets::set_with(file.filename().string());
  const std::string hint =
      set.empty()
          ? ""
          : sentence("; ", shell_words({"fisherman", "data", "get", set, "--data-dir", folder}),
                     " fetches it");
  return sentence(file.string(), ": is not there; --data-dir says where the data are", hint);
}

int Reproduce::run() {
  check();
  Extent extent = quick ? figure->quick : figure->full;
  const auto change = [](std::int64_t given, std::int64_t& value) {
    if (given >= 0) value = given;
  };
  change(iterations, extent.iterations);
  change(random, extent.random);
  change(rounds, extent.rounds);
  change(runs, extent.runs);
  FigurePlan plan = figure->plan(extent, data_folder);
  plan.search = {.random = std::size_t(extent.random),
                 .rounds = std::size_t(extent.rounds),
                 .seeds = extent.tuning_seeds};
  plan.seeds = extent.runs;
  plan.notes.push_back(extent_words(extent, figure->full));
  for (const Problem& problem : plan.problems)
    for (const std::string& file : {problem.data, problem.labels})
      if (!file.empty() && !std::filesystem::exists(file))
        throw FileError(missing_words(file, data_folder));
  Store store(out, plan.identity());
  const std::optional<Measured> measured = measure(plan, store, *this);
  if (!measured) {
    std::cerr << "Interrupted; the same command goes on.\n";
    return not_converged;
  }
  write_figure(plan, *measured, store);
  print_verdicts(store.folder());
  return done;
}

struct ReproduceRates {
  std::string out = "rates";
  std::int64_t jobs = 0, iterations = 0, seeds = 0;
  bool quick = false, quiet = false;

  int run() const;
};

int ReproduceRates::run() const {
  require(jobs >= 0 && jobs <= 1024, "--jobs is ", jobs, ", but must be from 0 to 1024");
  set_threads(int(jobs));
  RatesOptions options = quick ? RatesOptions{8000, 10} : RatesOptions{64000, 40};
  require(iterations == 0 || iterations >= 320, "--iterations is ", iterations,
          ", but must be at least 320 to fit a slope");
  if (iterations > 0) options.iterations = iterations;
  if (seeds > 0) options.seeds = seeds;
  options.folder = out;
  // A file that tells whose the folder is.
  const auto marker = options.folder / "rates.json";
  const OwnFolder own(options.folder, [&] { return std::filesystem::exists(marker); });
  write_file(marker, sentence("{\"study\": \"rates\", \"version\": \"", version(), "\"}\n"));
  std::mutex one_at_a_time;
  std::int64_t ended = 0;
  options.say = [&](const std::string& words) {
    const std::lock_guard lock(one_at_a_time);
    if (!quiet)
      std::cerr << std::setw(5) << ++ended << '/' << 4 * options.seeds << "  " << words << '\n';
  };
  write_rates(measured_rates(options), options);
  print_verdicts(out);
  return done;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  CLI::App* const reproduce = app.add_subcommand(
      "reproduce", "a figure of the paper, with a verdict on what it says of it");
  reproduce->require_subcommand(1);
  const char* const example =
      "Example:\n  fisherman reproduce figure-gaussian --quick --out gaussian";
  reproduce->footer(example);
  for (const FigureKind* figure : figures) {
    auto self = std::make_shared<Reproduce>();
    self->figure = figure;
    self->out = figure->name;
    CLI::App* const command = reproduce->add_subcommand(figure->name, figure->help);
    command->add_flag("--quick", self->quick,
                      "fewer iterations, settings and runs: minutes instead of hours");
    command->add_option("--data-dir", self->data_folder, "the folder of the data")
        ->type_name("DIR")
        ->capture_default_str();
    add_number(*command, "iterations", self->iterations, "instead of the setting's",
               Options::Rule::positive);
    add_number(*command, "random", self->random, "settings to try at random, instead",
               Options::Rule::positive);
    add_number(*command, "rounds", self->rounds, "of neighbours of the best, instead",
               Options::Rule::not_negative);
    add_number(*command, "runs", self->runs, "of each tuned method, instead",
               Options::Rule::positive);
    self->StudyFlags::add_to(*command);
    command->footer(example);
    command->callback([self, &exit_code] { exit_code = self->run(); });
  }

  auto self = std::make_shared<ReproduceRates>();
  CLI::App* const command = reproduce->add_subcommand(
      "rates", "the rates of the paper's theorems, measured on a problem whose optimum is known");
  command->add_flag("--quick", self->quick, "fewer iterations and runs");
  add_number(*command, "iterations", self->iterations, "instead of 64000, or 8000 if quick",
             Options::Rule::not_negative);
  add_number(*command, "seeds", self->seeds, "runs, instead of 40, or 10 if quick",
             Options::Rule::not_negative);
  command->add_option("--out", self->out, "the folder")->type_name("DIR")->capture_default_str();
  add_number(*command, "jobs", self->jobs, "runs at a time; 0: as many as there are cores",
             Options::Rule::not_negative)
      ->capture_default_str();
  command->add_flag("--quiet", self->quiet, "no line for every run");
  command->footer("Example:\n  fisherman reproduce rates --quick --out rates");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
