// fisherman reproduce: the paper's figures, with a verdict on what it says of them.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <mutex>

#include "datasets/catalogue.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/version.hpp"
#include "own_folder.hpp"
#include "quoting.hpp"
#include "study/posteriordb.hpp"
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

struct ReproducePosteriors : PosteriorsOptions {
  std::string out = "posteriordb", data_folder = "data/posteriordb",
              model_folder = "bench/posteriordb/models";
  bool quiet = false;

  int run();
};

int ReproducePosteriors::run() {
  data = data_folder;
  models = model_folder;
  folder = out;
  if (!std::filesystem::exists(data / "index.json"))
    throw FileError(sentence((data / "index.json").string(),
                             ": is not there; --data-dir says where posteriordb's data and "
                             "reference draws are"));
  limit_memory();  // Stan programs
  const auto marker = folder / "posteriordb.json";
  interrupted = [] { return cli::interrupted().load(); };
  say = [this](const std::string& words) {
    if (!quiet) std::cerr << words << '\n';
  };
  const OwnFolder own(folder, [&] { return std::filesystem::exists(marker); });
  write_file(marker, sentence("{\"study\": \"posteriordb\", \"version\": \"", version(), "\"}\n"));
  const std::vector<PosteriorFits> all = measured_posteriors(*this);
  write_posteriors(all, *this);
  print_verdicts(folder);
  if (!interrupted()) return done;
  std::cerr << "Interrupted; the page has what was measured.\n";
  return not_converged;
}

void add_posteriors(CLI::App& reproduce, int& exit_code) {
  auto self = std::make_shared<ReproducePosteriors>();
  CLI::App* const command = reproduce.add_subcommand(
      "posteriordb",
      "the posteriors of posteriordb at the defaults, against their reference draws");
  command->add_option("--data-dir", self->data_folder, "the folder with index.json, data and draws")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--models", self->model_folder,
                   "the folder of the Stan programs, or of libraries made of them")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--only", self->only, "names of posteriors, separated by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_option("--family", self->family, "as for fisherman fit stan")
      ->type_name("NAME")
      ->capture_default_str();
  add_number(*command, "seeds", self->seeds, "number of fits of each posterior",
             Options::Rule::positive)
      ->capture_default_str();
  command->add_option("--out", self->out, "the folder")->type_name("DIR")->capture_default_str();
  command->add_flag("--quiet", self->quiet, "no line for every fit");
  command->footer(
      "Example:\n  fisherman reproduce posteriordb --only eight_schools-eight_schools_centered");
  command->callback([self, &exit_code] { exit_code = self->run(); });
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

  add_posteriors(*reproduce, exit_code);
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
