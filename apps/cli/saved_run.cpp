#include "saved_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "command.hpp"
#include "data_flags.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/joined_files.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/io/table_folder.hpp"
#include "fisherman/io/text.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {
namespace {

namespace fs = std::filesystem;

fs::path whole_path(const fs::path& folder) {
  fs::path out = fs::weakly_canonical(folder);
  if (!out.has_filename()) out = out.parent_path();  // written with a slash
  return out;
}

/// Whether there are regular files of this name, or a table in a folder.
bool can_be_found(const fs::path& text) {
  try {
    const std::vector<fs::path> files = files_named(text);
    return std::all_of(files.begin(), files.end(), [](const fs::path& file) {
      std::error_code none;
      return fs::is_regular_file(file, none) || fs::is_regular_file(file / table_description, none);
    });
  } catch (const FileError&) {  // a pattern that matches nothing
    return false;
  }
}

/// A file that config.json names, by its checksum; otherwise says why it is missing.
fs::path find_file(const Fields& settings, const std::string& key, const std::string& checksum_key,
                   std::vector<fs::path> places, std::string& missing) {
  const fs::path named = name_of_file(settings.text(key));
  const std::string wanted = settings.text(checksum_key);
  places.push_back(named);
  bool changed = false;
  for (const fs::path& place : places) {
    if (!can_be_found(place)) continue;
    if (file_checksum(place) == wanted) return place;
    changed = true;
  }
  missing = sentence("The data (", named.filename().string(), ") ",
                     changed ? "have changed since the fit"
                     : settings.text(key) == standard_input
                         ? "were not kept"
                         : "are not where they were at the time of the fit",
                     "; fisherman report --data FILE says where they are now.");
  return {};
}

std::shared_ptr<const FitData> read_data(const Fields& settings, const Fitted& fit,
                                         const std::vector<fs::path>& places, const FitKind& kind,
                                         std::string& missing) {
  const fs::path data = find_file(settings, "data", "checksum", places, missing);
  const bool apart = settings.has("labels");
  const fs::path labels =
      apart ? find_file(settings, "labels", "labels-checksum", places, missing) : fs::path();
  if (!missing.empty()) return nullptr;
  const bool header = !settings.flag("no-header");
  const std::vector<std::string> dropped = DataFlags::dropped(settings.text("drop"));
  auto out = std::make_shared<FitData>();
  const Index asked_for = settings.has("columns") ? settings.need_count("columns") : 0;
  out->table = read_table(
      data, {.label = apart ? "" : fit.label,
             .has_label = !apart,
             .header = header,
             .columns = kind.takes_columns ? asked_for : Index(fit.columns.size() + dropped.size()),
             .dropped = dropped,
             .sparse = kind.takes_sparse,
             .mixed = kind.takes_columns,
             .from_disk = settings.has("from-disk") && settings.flag("from-disk")
                              ? ReadOptions::FromDisk::always
                          : kind.takes_stored ? ReadOptions::FromDisk::beyond_limit
                                              : ReadOptions::FromDisk::never});
  if (apart) out->table = with_labels(std::move(out->table), labels, fit.label, {.header = header});
  out->where = name_of_file(settings.text("data"));
  out->labels_where = apart ? settings.text("labels") : out->where;
  return out;
}

/// The last `parts` parts of a path.
std::string ending(const fs::path& path, int parts) {
  fs::path out = path.filename(), rest = path.parent_path();
  for (; parts > 1 && rest.has_filename(); --parts, rest = rest.parent_path())
    out = rest.filename() / out;
  return out.string();
}

/// The traces of the parts of a fit, rank-2-… before rank-10-….
std::vector<std::pair<std::string, TraceColumns>> read_parts(const fs::path& folder) {
  std::vector<std::pair<std::string, TraceColumns>> out;
  for (const fs::path& part : RunFolder::parts(folder)) {
    const Checksums sums = Checksums::read(part);
    if (sums.has("trace.csv"))
      out.emplace_back(part.filename().string(), read_trace(sums.verified("trace.csv")));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
  });
  return out;
}

}  // namespace

TraceColumns read_trace(const fs::path& file) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  TraceColumns columns;
  FileSource source(file);
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

std::string run_name(const fs::path& folder) { return whole_path(folder).filename().string(); }

SavedRun read_run(const fs::path& folder) {
  SavedRun run;
  run.folder = whole_path(folder);
  if (!fs::exists(run.folder / "config.json"))
    throw FileError(folder.string() + ": is not the folder of a fit, for it holds no config.json");
  for (const char* file : {"model.json", "result.json"})
    if (!fs::exists(run.folder / file))
      throw FileError(sentence(folder.string(), ": its fit has not ended, for there is no ", file,
                               "; the same command with --resume goes on with it"));
  run.sums = Checksums::read(run.folder);
  const auto fields = [&](const char* name) {
    const fs::path file = run.sums.verified(name);
    return fields_of(read_json(file), file.string());
  };
  SavedFit saved{fields("model.json"), fields("result.json"), {}, {}};
  saved.where = (run.folder / "model.json").string();
  for (const FitKind& kind : fit_kinds())
    if (kind.name == saved.model.text("model"))
      for (const std::string& name : kind.arrays)
        if (const std::string file = name + ".npy"; run.sums.has(file))
          saved.arrays.set(name, read_table(run.sums.verified(file), {.has_label = false}).x);
  const LoadedFit loaded = load_fit(saved);
  run.kind = loaded.kind;
  run.fit = loaded.fit;
  return run;
}

ReportedRuns read_runs(const std::vector<fs::path>& folders, const std::vector<fs::path>& places) {
  std::vector<SavedRun> runs;
  for (const fs::path& folder : folders) {
    runs.push_back(read_run(folder));
    for (std::size_t k = 0; k + 1 < runs.size(); ++k)
      require(runs[k].folder != runs.back().folder, folder.string(), ": is given twice");
  }
  ReportedRuns out{runs[0].kind, {}, places};
  // Runs of the same file share it.
  const auto read = std::make_shared<std::map<std::string, std::shared_ptr<const FitData>>>();
  for (const SavedRun& run : runs) {
    if (run.kind != out.kind)
      throw FileError(sentence(run.folder.string(), ": is a ", run.kind->name, " fit, but ",
                               runs[0].folder.string(), " is a ", out.kind->name,
                               " fit; a report is of one kind"));
    std::string name;
    for (int parts = 1;; ++parts) {
      name = ending(run.folder, parts);
      const auto same = std::count_if(runs.begin(), runs.end(), [&](const SavedRun& other) {
        return ending(other.folder, parts) == name;
      });
      if (same == 1) break;
    }
    const fs::path config = run.sums.verified("config.json");
    const Fields settings = fields_of(flat_config(read_json(config)), config.string());
    for (const fs::path& file : run.sums.paths()) out.inputs.push_back(file);
    for (const char* key : {"data", "labels"}) out.inputs.emplace_back(settings.text(key));
    out.inputs.push_back(run.folder / "checkpoint");
    TraceColumns trace;
    if (run.sums.has("trace.csv")) trace = read_trace(run.sums.verified("trace.csv"));
    out.fits.push_back(
        {.name = name,
         .fit = run.fit,
         .settings = settings,
         .trace = std::move(trace),
         .parts = read_parts(run.folder),
         .data = [settings, places, read, fit = run.fit, kind = run.kind](std::string& missing) {
           std::shared_ptr<const FitData>& kept =
               (*read)[settings.text("checksum") + settings.text("labels-checksum") +
                       settings.text("label") + settings.text("drop")];
           if (!kept) kept = read_data(settings, *fit, places, *kind, missing);
           return kept;
         }});
  }
  return out;
}

std::string made_from(const std::vector<fs::path>& folders) {
  std::string out = sentence("Made by fisherman ", version(), " from ");
  for (std::size_t k = 0; k < folders.size(); ++k)
    out += (k == 0 ? "" : ", ") + whole_path(folders[k]).string();
  return out;
}

}  // namespace fisherman::cli
