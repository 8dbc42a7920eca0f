#include "run_folder.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "checksums.hpp"
#include "command.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/solve/observers.hpp"
#include "output_file.hpp"

namespace fisherman::cli {
namespace {

namespace fs = std::filesystem;

// Of every fit, whatever its kind.
constexpr std::string_view first_files[] = {
    "result.json",  // status, objective, iterations, seconds, diagnostics
    "model.json",   // the fitted parameters and how to prepare new data
    "trace.csv",    // one line per iteration
};
constexpr std::string_view last_files[] = {
    "report.html",  // a page about it all
    "checkpoint",   // to go on from, with a sum of its own
    Checksums::file_name, "lock",
    "config.json",  // all options, the program's version, the data file and its checksum
};
constexpr std::string_view without_sum[] = {"report.html", "checkpoint", Checksums::file_name,
                                            "lock"};

/// All that a fit of any kind leaves. config.json tells that a folder is a run's, so it comes last: it is the last to be
/// removed.
std::vector<std::string> own_files() {
  std::vector<std::string> out(std::begin(first_files), std::end(first_files));
  for (const FitKind& kind : fit_kinds()) {
    out.insert(out.end(), kind.files.begin(), kind.files.end());
    for (const std::string& array : kind.arrays) out.push_back(array + ".npy");
  }
  out.insert(out.end(), std::begin(last_files), std::end(last_files));
  return out;
}

constexpr const char* parts_name = "parts";

/// The paths of a run's files, those of its legs too.
std::vector<fs::path> run_files(const fs::path& folder) {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& inside) {
    for (const std::string& name : own_files())
      if (fs::is_regular_file(fs::symlink_status(inside / name))) out.push_back(inside / name);
  };
  for (const fs::path& part : RunFolder::parts(folder)) add(part);
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
  for (const fs::path& part : RunFolder::parts(folder)) fs::remove(part, not_empty);
  fs::remove(folder / parts_name, not_empty);
}

/// Between a run and its resume: what does not change the result, or is made from it at the end.
bool may_differ(const std::string& option) {
  constexpr std::string_view free[] = {"threads", "draws", "units"};
  return std::find(std::begin(free), std::end(free), option) != std::end(free);
}

}  // namespace

std::string first_difference(const Json& old_config, const Json& new_config) {
  const Json before = flat_config(old_config), now = flat_config(new_config);
  const auto said = [](const Json& in, const std::string& name) {
    return in.contains(name) ? in[name].dump(-1, ' ', false, Json::error_handler_t::replace)
                             : "not set";
  };
  Json all = before;
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
    const Json config = read_json(file("config.json"));
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

RunFolder::RunFolder(fs::path path, Begin how, const Json& config,
                     const std::vector<fs::path>& inputs)
    : path_([&] {
        if (how == Begin::resumed && !fs::exists(path / "config.json"))
          throw FileError(path.string() + ": holds no run to resume");
        return std::move(path);
      }()),
      how_(how),
      config_(config.dump(2)),
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

RunFolder::RunFolder(fs::path path) : RunFolder(std::move(path), Begin::part, Json(), {}) {}

void RunFolder::write(const std::string& name, const std::string& content) const {
  const std::vector<std::string> known = own_files();
  require(std::find(known.begin(), known.end(), name) != known.end(), name,
          ": is not among the files of a run");
  begin();
  write_file(file(name), content);
}

void RunFolder::write(const std::string& name, const Json& value) const {
  write(name, value.dump(2) + "\n");
}

std::vector<fs::path> RunFolder::parts(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code none;
  if (!fs::is_directory(fs::symlink_status(folder / parts_name, none))) return out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / parts_name))
    if (entry.is_directory() && !entry.is_symlink()) out.push_back(entry.path());
  return out;
}

fs::path RunFolder::part(const std::string& name) const { return path_ / parts_name / name; }

void RunFolder::begin() const {
  if (begun_) return;
  begun_ = true;
  if (how_ == Begin::replaced) remove_run(path_);
  std::error_code none;
  fs::remove(file(Checksums::file_name), none);
  if (how_ == Begin::fresh || how_ == Begin::replaced) write("config.json", config_ + "\n");
}

void RunFolder::finish() const {
  std::vector<std::string> names;
  for (const std::string& name : own_files())
    if (std::find(std::begin(without_sum), std::end(without_sum), name) == std::end(without_sum) &&
        fs::exists(path_ / name) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  Checksums::write(path_, names);
}

void RunFolder::require_same() const {
  const std::string difference =
      first_difference(read_json(file("config.json")), Json::parse(config_));
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
