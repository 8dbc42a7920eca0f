// The folder of a fit, read back for a page.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checksums.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli::report {

struct Run {
  std::filesystem::path folder;
  std::string name;  // short, and no other run of the page has it
  Checksums sums;
  nlohmann::json config, result, model;              // config without its parts
  std::map<std::string, std::vector<double>> trace;  // by column; NaN where there was no value

  std::string kind() const { return model.value("model", ""); }
  /// A column of the trace; empty if there is none.
  const std::vector<double>& column(const std::string& name) const;
};

/// A member that is a number; NaN if it is not there or null.
double number(const nlohmann::json& object, const char* key);
/// A member as text, whatever it is; empty if it is not there.
std::string text(const nlohmann::json& object, const std::string& key);

/// The columns of a run's trace.csv by name, NaN where there is no value; none if the run has left no such file.
std::map<std::string, std::vector<double>> read_trace(const Checksums& sums);

/// Throws FileError for a folder that no fit has left, or one whose fit has not ended.
std::vector<Run> read_runs(const std::vector<std::filesystem::path>& folders);

/// The rows that a run was fitted to, with their labels, as checksums know them: from `places`, or from
/// where config.json has them. Without: nothing, and why in `missing`.
std::optional<Table> read_data(const Run& run, const std::vector<std::filesystem::path>& places,
                               Index columns, std::string& missing);

}  // namespace fisherman::cli::report
