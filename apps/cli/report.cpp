// fisherman report: a page about one fit or several.
#include <filesystem>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "fisherman/core/archive.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "report/kinds.hpp"
#include "report/logistic.hpp"
#include "report/run.hpp"

namespace fisherman::cli {
namespace {

// Finding the optimum for the page that every fit leaves may take a second or so, not more.
constexpr double most_operations = 2e10;

struct Report {
  std::vector<std::string> folders, data;
  OutputFile out{.path = "report.html"};
  int run() const;
};

int Report::run() const {
  const auto runs = report::read_runs({folders.begin(), folders.end()});
  std::vector<std::filesystem::path> inputs(data.begin(), data.end());
  for (const report::Run& run : runs) {
    const auto files = run.sums.paths();
    inputs.insert(inputs.end(), files.begin(), files.end());
    for (const char* key : {"data", "labels"}) inputs.emplace_back(report::text(run.config, key));
    inputs.push_back(run.folder / "checkpoint");
  }
  out.check(inputs);
  out.write(report::html(report::page_of(runs, {data.begin(), data.end()})));
  std::cout << out.path << '\n';
  return done;
}

}  // namespace

void leave_report(const std::filesystem::path& folder, const LogisticTarget& target,
                  const std::vector<std::string>& warnings) {
  report::LogisticSources sources;
  sources.target = std::make_shared<const LogisticTarget>(target);  // which shares the data
  sources.warnings = warnings;
  sources.most_operations = most_operations;
  write_file(folder / "report.html",
             report::html(report::logistic_page(report::read_runs({folder}), sources)));
}

void leave_report(const std::filesystem::path& folder) {
  write_file(folder / "report.html",
             report::html(report::page_of(report::read_runs({folder}), {})));
}

void add_report(CLI::App& app, int& exit_code) {
  auto self = std::make_shared<Report>();
  CLI::App* const command = app.add_subcommand(
      "report", "one HTML page about a fit, or several side by side, that needs nothing else");
  command->add_option("folders", self->folders, "folders of fits (--out of fisherman fit)")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", self->out.path, "the page")
      ->type_name("FILE")
      ->capture_default_str();
  self->out.add_to(*command);
  command
      ->add_option("--data", self->data,
                   "where the data are now, if they have moved since the fit; told by checksum")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->footer(
      "Example:\n  fisherman fit logistic --data wdbc.csv --out affine\n"
      "  fisherman fit logistic --data wdbc.csv --geometry bw --out bw\n"
      "  fisherman report affine bw --out wdbc.html");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
