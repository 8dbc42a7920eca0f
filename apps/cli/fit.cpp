#include "fit.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/solve/observers.hpp"

namespace fisherman::cli {

Json as_json(const FitSummary& end) {
  Json result;
  result["status"] = end.status;
  result["sentence"] = end.sentence;
  result["objective"] = end.objective;
  result["iterations"] = end.iterations;
  result["seconds"] = end.seconds;
  result["rejected"] = end.rejected;
  result["clips"] = end.clips;
  return result;
}

int exit_code(const FitSummary& end, std::int64_t asked_iterations) {
  return end.as_asked(asked_iterations) ? done : not_converged;
}

void DataFlags::describe(Options& o) {
  o.add_named("data", data, "data to fit: a CSV, LIBSVM, npy or IDX file, gzipped or not", "FILE");
  o.add_named("label", label, "column that holds the classes (default: label, or the last)",
              "COLUMN");
  o.add_named("labels", labels, "file of labels, if they are not in the data file", "FILE");
  o.add("columns", columns,
        "number of features of a LIBSVM file, if the last ones do not occur (0: as many as occur)");
  o.add("no-header", no_header,
        "the first row of a CSV file holds data; its columns are then f1, f2, …");
}

void DataFlags::check() const {
  require(!data.empty(), "--data is required: the file of the data to fit");
  require(labels.empty() || label.empty(),
          "--label names a column of the data and --labels a file: only one of them can be meant");
}

void FitCommand::add_to(CLI::App& command) {
  describe(data_options);
  data_flags_.add_to(command, data_options);
  command
      .add_option("--config", config,
                  "JSON file of options; config.json of a run repeats that run, on its data")
      ->type_name("FILE");
  command.add_option("--out", out, "a folder for everything that comes out")->type_name("DIR");
  add_number(command, "checkpoint-every", checkpoint_every, "seconds between checkpoints in --out",
             Options::Rule::not_negative)
      ->capture_default_str();
  command.add_flag("--resume", resume, "go on with the run in --out");
  command.add_flag("--overwrite", overwrite, "replace the run in --out");
  command.add_flag("--json", json, "print the result as one JSON object and nothing else");
  command.add_flag("--quiet", quiet, "no progress and no warnings");
  command.add_flag("--no-report", no_report, "leave no report.html in --out");
  flags_.add_to(command, options);
}

void FitCommand::apply() {
  if (!config.empty()) apply_config(config, kind, options, data_options);
  flags_.apply(options);
  data_flags_.apply(data_options);
  require(!resume || !out.empty(), "--resume needs --out, the folder of the run to go on with");
  require(!overwrite || !out.empty(), "--overwrite needs --out, the folder of the run to replace");
  require(
      !overwrite || !resume,
      "--resume goes on with the run in --out and --overwrite replaces it: only one of them can "
      "be meant");
  check();
}

Table DataFlags::read(const std::string& data_file, const std::string& labels_file) const {
  Table table = read_table(
      data_file,
      {.label = label, .has_label = labels_file.empty(), .header = !no_header, .columns = columns});
  if (labels_file.empty()) return table;
  table.labels = read_labels(labels_file, {.header = !no_header});
  table.label_name = "label";
  if (Index(table.labels.size()) != table.x.rows())
    throw FileError(sentence(labels_file, ": has ", table.labels.size(), " labels, but ", data_file,
                             " has ", table.x.rows(), " rows"));
  return table;
}

Json FitCommand::config_of(const Table& table) const {
  Json config_json;
  config_json["fit"] = kind;
  config_json["options"] = as_json(options);
  if (out.empty()) return config_json;  // nothing is kept, and the data need not be read again
  Json& about = config_json["data"] = as_json(data_options);
  for (const Options::Option& option : data_options.all()) {
    if (option.text() == option.initial || option.name == "label") about.erase(option.name);
    if (option.kind == "FILE" && !option.text().empty()) {
      about[option.name] = json_text(std::filesystem::absolute(option.text()));
      about[option.name == "data" ? "checksum" : option.name + "-checksum"] =
          file_checksum(option.text());
    }
  }
  if (labels.empty()) about["label"] = table.label_name;  // as it was found
  config_json["version"] = FISHERMAN_VERSION;
  return config_json;
}

std::unique_ptr<RunFolder> FitCommand::folder(
    const Json& config_json, const std::vector<std::filesystem::path>& other_inputs) const {
  if (out.empty()) return nullptr;
  std::vector<std::filesystem::path> inputs = {data, labels, config};
  inputs.insert(inputs.end(), other_inputs.begin(), other_inputs.end());
  return std::make_unique<RunFolder>(out,
                                     resume      ? RunFolder::Begin::resumed
                                     : overwrite ? RunFolder::Begin::replaced
                                                 : RunFolder::Begin::fresh,
                                     config_json, inputs);
}

FitSummary FitCommand::drive(ErasedRun& run, const RunFolder* folder) const {
  const bool going_on = resume && folder->has("checkpoint");  // none yet: from the beginning
  if (going_on) {
    const std::filesystem::path file = folder->file("checkpoint");
    const std::string bytes = read_checkpoint(file);
    try {
      restore(run.state, bytes);
    } catch (const FileError& e) {
      throw FileError(sentence(file.string(), ": ", e.what()));
    }
  }
  std::vector<Observer<ErasedState>> observers;
  std::ofstream trace;
  if (folder != nullptr) {
    if (going_on)
      folder->cut_trace(run.state.iteration);
    else
      folder->write("trace.csv", Trace::csv_header());
    trace.open(folder->file("trace.csv"), std::ios::app);
    observers.emplace_back([&](const Record& r, const ErasedState&) {
      trace << Trace::csv_line(r) << std::flush;
      if (!trace) throw FileError(folder->file("trace.csv").string() + ": cannot be written");
    });
    observers.emplace_back(Checkpoint(folder->file("checkpoint"), checkpoint_every));
  }
  if (!quiet && isatty(STDERR_FILENO) != 0)
    observers.emplace_back(Progress(std::cerr, run.planned));
  return fisherman::drive(run, when_set(interrupted()), observers);
}

void FitCommand::say(const std::string& line) const {
  if (!quiet) std::cerr << line << '\n';
}

Json numbers(const Vector& v) { return std::vector<double>(v.data(), v.data() + v.size()); }

Vector vector_of(const nlohmann::json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), Index(values.size()));
}

}  // namespace fisherman::cli
