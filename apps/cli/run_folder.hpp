// The folder that --out names: everything a fit leaves behind, each file replaced whole.
//
//   config.json       all options, the program's version, the data file and its checksum
//   trace.csv         one line an iteration
//   result.json       status, objective, iterations, seconds, diagnostics
//   model.json        the fitted parameters and how to prepare new data
//   coefficients.csv  name, mean, sd, 5% and 95%
//   covariance.csv
//   draws.csv         with --draws, in CmdStan's layout
//   report.html       a page about it all
//   checkpoint        to go on from
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "fisherman/solve/record.hpp"

namespace fisherman::cli {

/// "NAME was OLD and is now NEW" of the first member that differs; empty if none does. What may differ between a
/// run and its resume is left out: the number of threads.
std::string first_difference(const nlohmann::json& before, const nlohmann::json& now);

class RunFolder {
 public:
  /// Makes the folder, and throws FileError if it holds a run already; with `resume`, if it holds none.
  RunFolder(std::filesystem::path path, bool resume);

  std::filesystem::path file(const char* name) const { return path_ / name; }
  bool has(const char* name) const { return std::filesystem::exists(file(name)); }
  void write(const char* name, const std::string& content) const;
  void write(const char* name, const nlohmann::ordered_json& value) const;

  /// Throws FileError, naming what differs, unless config.json says the same as `config`.
  void require_same(const nlohmann::ordered_json& config) const;

  /// Keeps the lines of trace.csv up to an iteration: the checkpoint's. A line that a crash or a full
  /// disk cut short is dropped.
  void cut_trace(std::int64_t iteration) const;

 private:
  std::filesystem::path path_;
};

}  // namespace fisherman::cli
