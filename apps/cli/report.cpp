// fisherman report: a page about one fit or several.
#include <filesystem>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "output_file.hpp"
#include "report/html.hpp"
#include "saved_run.hpp"

namespace fisherman::cli {
namespace {

struct Report {
  std::vector<std::string> folders, data;
  OutputFile out{.path = "report.html"};
  int run() const;
};

int Report::run() const {
  const std::vector<std::filesystem::path> places(data.begin(), data.end()),
      from(folders.begin(), folders.end());
  const ReportedRuns runs = read_runs(from, places);
  out.check(runs.inputs);
  report::Page page = runs.kind->page(runs.fits, {});
  page.footer = made_from(from);
  out.write(report::html(page));
  std::cout << out.path << '\n';
  return done;
}

}  // namespace

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
