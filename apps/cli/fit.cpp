#include "fit.hpp"

#include <iostream>
#include <optional>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/core/version.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/joined_files.hpp"
#include "fisherman/io/npy.hpp"
#include "fit_driver.hpp"
#include "quoting.hpp"
#include "report/html.hpp"
#include "saved_run.hpp"

namespace fisherman::cli {
namespace {

// What the page that every fit leaves may cost, beyond the fit: a second or so.
constexpr double most_operations = 2e10;

/// Together: what the ranks have told each other, from the beginning to the end.
void tell_traffic(FitDriver& driver) {
  const Traffic mine = traffic();
  const std::int64_t messages = sum_of_ranks(mine.messages), bytes = sum_of_ranks(mine.bytes);
  driver.say(sentence(rank_count(), " ranks sent ", messages, " messages with ", bytes,
                      " bytes; the first spent ", mine.seconds, " s on them, waiting included."));
}

}  // namespace

FitCommand::FitCommand(const FitKind& kind) : kind_(&kind), settings_(kind.settings()) {
  if (kind.has_draws) output_.describe(output_options_);
  data_.rows = kind.takes_rows;
  data_.stored = kind.takes_stored;
  data_.describe(data_options_, kind.takes_test_rows);
  data_.sparse = kind.takes_sparse;
  data_.mixed = kind.takes_columns;
  data_.parts = kind.takes_parts;
}

void FitCommand::add_to(CLI::App& command) {
  data_flags_.add_to(command, data_options_);
  command
      .add_option("--config", config_,
                  "JSON file of options; config.json of a run repeats that run, on its data")
      ->type_name("FILE");
  command.add_option("--out", out_, "folder for the results")->type_name("DIR");
  add_number(command, "checkpoint-every", checkpoint_every_, "seconds between checkpoints in --out",
             Options::Rule::not_negative)
      ->capture_default_str();
  command.add_flag("--resume", resume_, "continue the run in --out");
  command.add_flag("--overwrite", overwrite_, "replace the run in --out");
  command.add_flag("--json", json_, "print the result as one JSON object and nothing else");
  command.add_flag("--quiet", quiet_, "no progress and no warnings");
  command.add_flag("--no-report", no_report_, "leave no report.html in --out");
  flags_.add_to(command, settings_->options);
  output_flags_.add_to(command, output_options_);
}

void FitCommand::apply() {
  if (!config_.empty())
    apply_config(config_, kind_->name, {&settings_->options, &output_options_}, data_options_);
  if (data_.data == standard_input && !data_flags_.has("data"))
    throw FileError(config_ +
                    ": its data came from standard input and were not kept, so the run cannot be "
                    "repeated as it is; --data gives them again");
  flags_.apply(settings_->options);
  output_flags_.apply(output_options_);
  data_flags_.apply(data_options_);
  require(!resume_ || !out_.empty(), "--resume needs --out, the folder of the run to go on with");
  require(!overwrite_ || !out_.empty(),
          "--overwrite needs --out, the folder of the run to replace");
  require(
      !overwrite_ || !resume_,
      "--resume goes on with the run in --out and --overwrite replaces it: only one of them can "
      "be meant");
  require(output_.draws == 0 || !out_.empty() || !config_.empty(),
          "--draws needs --out, the folder for draws.csv");
  data_.check();
}

FitCommand::DataSums FitCommand::data_sums() const {
  DataSums out;
  if (out_.empty()) return out;  // nothing is kept, and the data need not be read again
  for (const Options::Option& option : data_options_.all())
    if (option.kind == "FILE" && !option.text().empty() &&
        (option.name != "data" || option.text() != standard_input))
      out[option.name] = shared_file_checksum(option.text());
  return out;
}

Json FitCommand::config_of(const FitData& data, const DataSums& sums) const {
  Json config;
  config["fit"] = kind_->name;
  config["options"] = as_json(settings_->options);
  config["options"].update(as_json(output_options_));
  if (out_.empty()) return config;
  Json& about = config["data"] = as_json(data_options_);
  for (const Options::Option& option : data_options_.all()) {
    if (option.text() == option.initial || option.name == "label") about.erase(option.name);
    if (option.name == "data" && option.text() == standard_input) {
      about["checksum"] = data.table.checksum;
    } else if (option.kind == "FILE" && !option.text().empty()) {
      std::string files;
      for (const auto& file : files_named(option.text()))
        files += (files.empty() ? "" : ",") + std::filesystem::absolute(file).string();
      about[option.name] = json_text(files);
      about[option.name == "data" ? "checksum" : option.name + "-checksum"] = sums.at(option.name);
    }
  }
  if (kind_->takes_rows && data_.labels.empty())
    about["label"] = data.table.label_name;  // as it was found
  config["version"] = version();
  return config;
}

std::unique_ptr<RunFolder> FitCommand::folder_for(const Json& config) const {
  if (out_.empty()) return nullptr;
  std::vector<std::filesystem::path> inputs = data_.files();
  inputs.emplace_back(config_);
  return std::make_unique<RunFolder>(out_,
                                     resume_      ? RunFolder::Begin::resumed
                                     : overwrite_ ? RunFolder::Begin::replaced
                                                  : RunFolder::Begin::fresh,
                                     config, inputs);
}

std::vector<NamedFile> FitCommand::files_of(const Fitted& fit) const {
  std::vector<NamedFile> out = {{"model.json", json_of(fit.model()).dump(2) + "\n"}};
  const Fields arrays = fit.arrays();
  for (const auto& [name, value] : arrays.all())
    out.push_back({name + ".npy", npy_bytes(arrays.need_matrix(name))});
  for (NamedFile& file : fit.tables(output_)) out.push_back(std::move(file));
  out.push_back({"result.json", json_of(fit.result()).dump(2) + "\n"});
  return out;
}

int FitCommand::run() {
  if (!kind_->takes_rows) {  // there is nothing to share
    if (this_rank() != 0) return done;
    alone_.emplace();
  }
  together([&] { apply(); });
  if (!kind_->takes_rows) limit_memory();  // a program of the user's is what is fitted
  FitData data = data_.read();
  const DataSums sums = data_sums();
  const Json config =
      Json::parse(from_first_rank(on_first_rank([&] { return config_of(data, sums).dump(); })));
  const std::unique_ptr<RunFolder> folder = on_first_rank([&] { return folder_for(config); });
  FitDriver driver(folder.get(),
                   {.checkpoint_every = checkpoint_every_, .resume = resume_, .quiet = quiet_});
  const std::shared_ptr<const Fitted> fit = kind_->fit(std::move(data), *settings_, driver);
  if (!fit) return not_converged;  // a signal before the first iteration
  // Every rank makes what the first one writes: it may take all of them.
  if (!out_.empty()) {
    const std::vector<NamedFile> files = files_of(*fit);
    if (folder) {
      for (const NamedFile& file : files) folder->write(file.name, file.bytes);
      folder->finish();
    }
  }
  if (json_)
    std::cout << json_of(fit->result()).dump(2) << '\n';
  else
    std::cout << fit->text(output_);
  if (!out_.empty() && !no_report_) {
    const std::vector<ReportedFit> shown = {
        {.name = run_name(out_),
         .fit = fit,
         .settings = fields_of(flat_config(config), "config.json"),
         .trace = std::move(driver.trace),
         .parts = std::move(driver.parts),
         .data = [](std::string& missing) {
           missing = "The data were not kept in memory; fisherman report has them read again.";
           return nullptr;
         }}};
    report::Page page = kind_->page(shown, {.operations = most_operations});
    if (folder) {
      page.footer = made_from({out_});
      folder->write("report.html", report::html(page));
    }
  }
  if (rank_count() > 1) tell_traffic(driver);
  return fit->as_asked ? done : not_converged;
}

void add_fits(CLI::App& app, int& exit_code) {
  CLI::App* const fit = app.add_subcommand("fit", "fit a model to data");
  fit->require_subcommand(1);
  fit->footer(
      "Example:\n  fisherman fit logistic --data wdbc.csv --out wdbc-run\n\n"
      "fisherman fit MODEL --help tells more, and fisherman list what can be chosen.");
  for (const FitKind& kind : fit_kinds()) {
    auto self = std::make_shared<FitCommand>(kind);
    CLI::App* const command = fit->add_subcommand(kind.name, kind.help);
    self->add_to(*command);
    if (!kind.examples.empty()) command->footer("Example:\n  " + indented(kind.examples));
    command->callback([self, &exit_code] { exit_code = self->run(); });
  }
}

}  // namespace fisherman::cli
