// What every `fisherman fit …` does around its model: read the data, keep the run folder, trace, save,
// show progress, heed Ctrl-C, resume.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "fisherman/fit/summary.hpp"
#include "fisherman/io/table.hpp"
#include "quoting.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {

using Json = nlohmann::ordered_json;

/// What result.json begins with.
Json as_json(const FitSummary& end);
/// 0, or 3 if it was not asked for just so many iterations and did not converge either.
int exit_code(const FitSummary& end, std::int64_t asked_iterations);

/// Which data, and where their labels are.
struct DataFlags {
  std::string data, labels, label;
  std::int64_t columns = 0;
  bool no_header = false;

  void describe(Options& options);
  /// Throws Misuse for flags that do not go together.
  void check() const;
  /// The data with their labels, from --data or from --labels; and any file like it.
  Table read() const { return read(data, labels); }
  Table read(const std::string& data_file, const std::string& labels_file) const;
};

struct FitCommand : DataFlags {
  std::string config, out;
  double checkpoint_every = 2.0;
  bool resume = false, overwrite = false, json = false, quiet = false, no_report = false;
  std::string kind;  // of the fit
  Options options;   // the application's settings and what to put out, described before add_to()
  Options data_options;  // where the data are; add_to() describes those that all fits have

  /// The common flags, and one for every option.
  void add_to(CLI::App& command);
  /// Config file and command line, into all options.
  void apply();
  /// All options, and for --out the data and their checksums and the version: what must not change before a resume.
  Json config_of(const Table& table) const;
  /// Nothing without --out. Writes config.json, or for --resume compares with it. `other_inputs` are files that are
  /// read besides the common ones.
  std::unique_ptr<RunFolder> folder(
      const Json& config_json, const std::vector<std::filesystem::path>& other_inputs = {}) const;
  /// To its end, or to the first signal; `run.state` is then there. Goes on from the folder's
  /// checkpoint for --resume, if there is one.
  FitSummary drive(ErasedRun& run, const RunFolder* folder) const;
  /// On standard error, unless --quiet.
  void say(const std::string& line) const;

 private:
  Flags flags_, data_flags_;
};

Json numbers(const Vector& v);
Vector vector_of(const nlohmann::json& numbers);

}  // namespace fisherman::cli
