#include "run.hpp"

#include <algorithm>
#include <limits>

#include "../command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::cli::report {
namespace {

namespace fs = std::filesystem;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Run read_run(const fs::path& folder) {
  Run run;
  run.folder = fs::weakly_canonical(folder);
  if (!run.folder.has_filename()) run.folder = run.folder.parent_path();  // written with a slash
  if (!fs::exists(run.folder / "config.json"))
    throw FileError(folder.string() + ": is not the folder of a fit, for it holds no config.json");
  for (const char* file : {"model.json", "result.json"})
    if (!fs::exists(run.folder / file))
      throw FileError(sentence(folder.string(), ": its fit has not ended, for there is no ", file,
                               "; the same command with --resume goes on with it"));
  run.sums = Checksums::read(run.folder);
  run.config = flat_config(read_json(run.sums.verified("config.json")));
  run.result = read_json(run.sums.verified("result.json"));
  run.model = read_json(run.sums.verified("model.json"));
  run.trace = read_trace(run.sums);
  return run;
}

/// A file that config.json names, by its checksum; otherwise says why it is missing.
fs::path find_file(const Run& run, const char* key, const char* checksum_key,
                   std::vector<fs::path> places, std::string& missing) {
  const fs::path named = text(run.config, key);
  const std::string wanted = text(run.config, checksum_key);
  places.push_back(named);
  bool changed = false;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::is_regular_file(place, error)) continue;
    if (file_checksum(place) == wanted) return place;
    changed = true;
  }
  missing = sentence(
      "The data (", named.filename().string(), ") ",
      changed ? "have changed since the fit" : "are not where they were at the time of the fit",
      "; fisherman report --data FILE says where they are now.");
  return {};
}

/// The last `parts` parts of a path.
std::string ending(const fs::path& path, int parts) {
  fs::path out = path.filename(), rest = path.parent_path();
  for (; parts > 1 && rest.has_filename(); --parts, rest = rest.parent_path())
    out = rest.filename() / out;
  return out.string();
}

}  // namespace

std::map<std::string, std::vector<double>> read_trace(const Checksums& sums) {
  std::map<std::string, std::vector<double>> columns;
  if (!sums.has("trace.csv")) return columns;
  FileSource source(sums.verified("trace.csv"));
  CsvRecords records(source, ReadOptions().bounded().memory_limit);
  std::vector<std::string> names;
  if (records.next())
    for (std::size_t k = 0; k < records.size(); ++k) names.emplace_back(records[k]);
  while (records.next()) {
    if (records.blank()) continue;
    for (std::size_t k = 0; k < names.size(); ++k)
      columns[names[k]].push_back(k < records.size() ? parse_number(records[k]).value_or(unknown)
                                                     : unknown);
  }
  return columns;
}

const std::vector<double>& Run::column(const std::string& name_) const {
  static const std::vector<double> none;
  const auto found = trace.find(name_);
  return found == trace.end() ? none : found->second;
}

double number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : unknown;
}

std::string text(const nlohmann::json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>()
                            : found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<Run> read_runs(const std::vector<fs::path>& folders) {
  std::vector<Run> runs;
  for (const fs::path& folder : folders) runs.push_back(read_run(folder));
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      require(runs[i].folder != runs[j].folder, folders[i].string(), ": is given twice");
  for (Run& run : runs)
    for (int parts = 1;; ++parts) {
      run.name = ending(run.folder, parts);
      const auto same = std::count_if(runs.begin(), runs.end(), [&](const Run& other) {
        return ending(other.folder, parts) == run.name;
      });
      if (same == 1) break;
    }
  return runs;
}

std::optional<Table> read_data(const Run& run, const std::vector<fs::path>& places, Index columns,
                               std::string& missing) {
  const fs::path data = find_file(run, "data", "checksum", places, missing);
  const bool apart = run.config.contains("labels");
  const fs::path labels =
      apart ? find_file(run, "labels", "labels-checksum", places, missing) : fs::path();
  if (!missing.empty()) return std::nullopt;
  const bool header = run.config.value("no-header", nlohmann::json(false)) != true;
  Table table = read_table(data, {.label = apart ? "" : text(run.model, "label"),
                                  .has_label = !apart,
                                  .header = header,
                                  .columns = columns});
  if (apart) table.labels = read_labels(labels, {.header = header});
  return table;
}

}  // namespace fisherman::cli::report
