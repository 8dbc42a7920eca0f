#include "run_folder.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "checksums.hpp"
#include "command.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/solve/observers.hpp"
#include "output_file.hpp"

namespace fisherman::cli {
namespace {

namespace fs = std::filesystem;

struct OwnFile {
  std::string_view name;
  bool has_sum = true;
};

constexpr OwnFile own_files[] = {
    {"result.json"},       // status, objective, iterations, seconds, diagnostics
    {"model.json"},        // the fitted parameters and how to prepare new data
    {"trace.csv"},         // one line an iteration
    {"coefficients.csv"},  // name, mean, sd, 5% and 95%
    {"covariance.csv"},
    {"draws.csv"},  // with --draws, in CmdStan's layout
    {"B.csv"},
    {"B.npy"},
    {"U.csv"},
    {"S.csv"},
    {"V.csv"},
    {"intercepts.csv"},
    {"confusion.csv"},
    {"B_standard_errors.csv"},
    {"intercept_standard_errors.csv"},
    {"covariance.npy"},
    {"report.html", false},  // a page about it all
    {"checkpoint", false},   // to go on from, with a sum of its own
    {Checksums::file_name, false},
    {"lock", false},
    {"config.json"},  // all options, the program's version, the data file and its checksum; it tells that a folder
                      // is a run's, so it is the last to be removed
};

/// The folder of a leg: rank-R-start-K.
bool is_part(const fs::directory_entry& entry) {
  std::string name = entry.path().filename().string();
  for (char& c : name)
    if (c >= '0' && c <= '9') c = '0';
  name.erase(
      std::unique(name.begin(), name.end(), [](char a, char b) { return a == '0' && b == '0'; }),
      name.end());
  return name == "rank-0-start-0" && entry.is_directory() && !entry.is_symlink();
}

/// The paths of a run's files, those of its legs too.
std::vector<fs::path> run_files(const fs::path& folder) {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& inside) {
    for (const OwnFile& file : own_files)
      if (fs::is_regular_file(fs::symlink_status(inside / file.name)))
        out.push_back(inside / file.name);
  };
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (is_part(entry)) add(entry.path());
  add(folder);
  return out;
}

void remove_run(const fs::path& folder) {
  for (const fs::path& file : run_files(folder)) {
    std::error_code error;
    if (file != folder / "lock") fs::remove(file, error);  // which is locked
    if (error) throw FileError(sentence(file.string(), ": cannot be removed: ", error.message()));
  }
  std::error_code not_empty;
  std::vector<fs::path> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (is_part(entry)) parts.push_back(entry.path());
  for (const fs::path& part : parts) fs::remove(part, not_empty);
}

/// Between a run and its resume: what does not change the result, or is made from it at the end.
bool may_differ(const std::string& option) {
  constexpr std::string_view free[] = {"threads", "draws", "units"};
  return std::find(std::begin(free), std::end(free), option) != std::end(free);
}

}  // namespace

std::string first_difference(const nlohmann::json& old_config, const nlohmann::json& new_config) {
  const nlohmann::json before = flat_config(old_config), now = flat_config(new_config);
  const auto said = [](const nlohmann::json& in, const std::string& name) {
    return in.contains(name)
               ? in[name].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
               : "not set";
  };
  nlohmann::json all = before;
  all.update(now);
  for (const auto& [name, value] : all.items())
    if (!may_differ(name) && said(before, name) != said(now, name))
      return sentence(name, " was ", said(before, name), " and is now ", said(now, name));
  return "";
}

bool RunFolder::is_ours() const {
  if (how_ == Begin::part) return true;
  if (!has("config.json")) return false;
  try {
    const nlohmann::json config = read_json(file("config.json"));
    if (!config.contains("version") || !config.contains("data") || !config.contains("options"))
      return false;
  } catch (const FileError&) {
    return false;
  }
  if (how_ == Begin::fresh)
    throw FileError(path_.string() +
                    ": holds a run already; --resume goes on with it, --overwrite replaces it");
  return true;
}

RunFolder::RunFolder(fs::path path, Begin how, nlohmann::ordered_json config,
                     const std::vector<fs::path>& inputs)
    : path_([&] {
        if (how == Begin::resumed && !fs::exists(path / "config.json"))
          throw FileError(path.string() + ": holds no run to resume");
        return std::move(path);
      }()),
      how_(how),
      config_(std::move(config)),
      own_(path_, [&] { return is_ours(); }) {
  if (how == Begin::replaced)
    for (const fs::path& file : run_files(path_)) require_no_input(file, inputs);
  if (how != Begin::resumed) return;
  if (has(Checksums::
              file_name)) {  // of a run that has ended: what goes on with it must be as it was
    const Checksums sums = Checksums::read(path_);
    for (const char* name : {"config.json", "trace.csv"})
      if (sums.has(name)) sums.verified(name);
  }
  require_same();
}

void RunFolder::write(const char* name, const std::string& content) const {
  require(std::any_of(std::begin(own_files), std::end(own_files),
                      [&](const OwnFile& file) { return file.name == name; }),
          name, ": is not among the files of a run");
  begin();
  write_file(file(name), content);
}

void RunFolder::write(const char* name, const nlohmann::ordered_json& value) const {
  write(name, value.dump(2) + "\n");
}

void RunFolder::begin() const {
  if (begun_) return;
  begun_ = true;
  if (how_ == Begin::replaced) remove_run(path_);
  std::error_code none;
  fs::remove(file(Checksums::file_name), none);
  if (how_ == Begin::fresh || how_ == Begin::replaced) write("config.json", config_);
}

void RunFolder::finish() const {
  std::vector<std::string> names;
  for (const OwnFile& own : own_files)
    if (own.has_sum && fs::exists(path_ / own.name)) names.emplace_back(own.name);
  Checksums::write(path_, names);
}

void RunFolder::require_same() const {
  const std::string difference = first_difference(read_json(file("config.json")), config_);
  if (!difference.empty())
    throw FileError(sentence(path_.string(), ": cannot be resumed, because ", difference));
}

void RunFolder::cut_trace(std::int64_t iteration) const {
  std::ifstream in(file("trace.csv"));
  std::string kept = Trace::csv_header(), line;
  std::getline(in, line);
  std::int64_t at = 0;
  for (std::int64_t number = 2; at < iteration && std::getline(in, line) && !in.eof(); ++number) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
    if (error != std::errc() || *end != ',')
      throw FileError(sentence(file("trace.csv").string(), ", line ", number,
                               ": does not begin with an iteration; the run cannot be resumed, "
                               "but --overwrite begins it again"));
    if (at <= iteration) kept += line + '\n';
  }
  write("trace.csv", kept);
}

}  // namespace fisherman::cli
