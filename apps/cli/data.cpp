// fisherman data: public data sets, fetched from their archives and held to their checksums; and tables made binary.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "command.hpp"
#include "data_flags.hpp"
#include "datasets/download.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/io/table_folder.hpp"

namespace fisherman::cli {
namespace {

using datasets::Catalogue;
using datasets::DataFile;
using datasets::DataSet;
using datasets::Found;

/// What get and list have in common.
struct DataCommand {
  std::string folder = "data", catalogue_file;

  void add_to(CLI::App& command);
  Catalogue catalogue() const;
};

void DataCommand::add_to(CLI::App& command) {
  command.add_option("--data-dir", folder, "the folder of the data, as of fisherman reproduce")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--catalogue", catalogue_file,
                  "a catalogue of your own in place of the program's; docs/cli.md has its form")
      ->type_name("FILE");
}

Catalogue DataCommand::catalogue() const {
  return catalogue_file.empty() ? datasets::public_catalogue()
                                : datasets::read_catalogue(catalogue_file);
}

struct Interrupted {};

/// Two lines about a data set.
std::string about(const DataSet& set) {
  std::string out =
      "  " + set.name + std::string(11 - std::min<std::size_t>(set.name.size(), 10), ' ');
  const std::string indent(13, ' ');
  if (!set.help.empty()) out += set.help + '\n' + indent;
  if (!set.source.empty()) out += set.source + "; ";
  out += set.licence;
  if (set.bytes() > 0) out += "; " + datasets::size_words(set.bytes());
  return out + '\n';
}

struct DataGet : DataCommand {
  std::vector<std::string> names;
  std::string from;
  bool force = false;

  int run() const;

 private:
  std::vector<DataFile> wanted() const;
  /// Those of them that are not there; says of the others that they are, and refuses to replace what is different.
  std::vector<DataFile> missing() const;
};

std::vector<DataFile> DataGet::wanted() const {
  const Catalogue all = catalogue();
  std::vector<std::string> known;
  for (const DataSet& set : all) known.push_back(set.name);
  std::vector<DataFile> out;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    const auto at = std::find(known.begin(), known.end(), name);
    require(at != known.end(), "there is no data set called '", name, "'",
            did_you_mean(name, known, "fisherman data list has all names"));
    const DataSet& set = all[std::size_t(at - known.begin())];
    out.insert(out.end(), set.files.begin(), set.files.end());
  }
  return out;
}

std::vector<DataFile> DataGet::missing() const {
  std::vector<DataFile> out;
  std::vector<std::string> there;
  for (const DataFile& file : wanted()) {
    const Found here = datasets::found(file, folder);
    if (here.kind == Found::right) {
      there.push_back((std::filesystem::path(folder) / file.file).string());
      continue;
    }
    if (here.kind == Found::different && !force)
      throw FileError(
          sentence(here.trouble, "; it is not replaced: move it away, or let --force replace it"));
    out.push_back(file);
  }
  for (const std::string& path : there) std::cout << path << ": is there already, and right\n";
  return out;
}

int DataGet::run() const {
  require(
      from.empty() || from.find("://") != std::string::npos || std::filesystem::is_directory(from),
      "--from is '", from, "', but must be a folder or an address such as https://…");
  const std::vector<DataFile> files = missing();
  std::error_code error;
  const bool made_folder = std::filesystem::create_directories(folder, error);
  if (error) throw FileError(sentence(folder, ": cannot be made: ", error.message()));
  try {
    for (const DataFile& file : files) {
      if (!datasets::fetch(file, datasets::address(file, from), folder)) {
        std::cerr << "Interrupted; the same command goes on.\n";
        return not_converged;
      }
      std::cout << (std::filesystem::path(folder) / file.file).string()
                << ": fetched, and its SHA-256 is right\n"
                << std::flush;
    }
  } catch (...) {
    if (made_folder) std::filesystem::remove(folder, error);  // if it is empty
    throw;
  }
  return done;
}

struct DataList : DataCommand {
  bool json = false;

  int run() const;
};

int DataList::run() const {
  static constexpr const char* states[] = {"not there", "there", "there, but different"};
  Json out = Json::array();
  for (const DataSet& set : catalogue()) {
    auto& entry = out.emplace_back();
    entry = {{"name", set.name},
             {"help", set.help},
             {"source", set.source},
             {"licence", set.licence},
             {"bytes", set.bytes()}};
    if (!json) std::cout << about(set);
    for (const DataFile& file : set.files) {
      const char* const state = states[datasets::found(file, folder).kind];
      entry["files"].push_back(
          {{"file", file.file}, {"url", file.url}, {"sha256", file.sha256}, {"state", state}});
      if (!json) std::cout << std::string(13, ' ') << file.file << ": " << state << '\n';
    }
  }
  if (json) std::cout << out.dump(2) << '\n';
  return done;
}

/// CSV or LIBSVM files as a folder of NumPy's.
struct DataConvert {
  std::vector<std::string> files;
  std::string folder, label, drop;
  bool no_header = false, no_label = false, quiet = false;

  int run() const;
};

int DataConvert::run() const {
  require(label.empty() || !no_label,
          "--label names a column and --no-label says that there is none: only one of them can be "
          "meant");
  const std::string to = folder.empty() ? files.front() + ".table" : folder;
  ReadOptions options;
  options.label = label;
  options.has_label = !no_label;
  options.header = !no_header;
  options.dropped = DataFlags::dropped(drop);
  const bool tell = !quiet && ::isatty(STDERR_FILENO) != 0;
  int told = -1;
  interrupted();
  try {
    const ConvertedTable table =
        convert_table({files.begin(), files.end()}, to, options, [&](double share) {
          if (interrupted().load()) throw Interrupted();
          if (!tell || int(100.0 * share) == told) return;
          told = int(100.0 * share);
          std::cerr << "\rread: " << told << "%" << (told == 100 ? "\n" : "") << std::flush;
        });
    std::cout << to << ": " << table.rows << " rows, " << table.columns
              << (table.sparse ? " sparse" : "") << (table.columns == 1 ? " column" : " columns")
              << (table.label.empty() ? ", no label" : ", label " + table.label) << '\n';
    return done;
  } catch (const Interrupted&) {
    std::cerr << "Interrupted; nothing is left behind.\n";
    return not_converged;
  }
}

std::string names_words() {
  std::string out;
  for (const DataSet& set : datasets::public_catalogue())
    out += (out.empty() ? "" : "|") + set.name;
  return out;
}

std::string get_footer() {
  std::string sets;
  for (const DataSet& set : datasets::public_catalogue()) sets += about(set);
  return sentence(
      "The data sets, where they are from, under what licence, and how much is downloaded:\n\n",
      sets,
      "\ncurl downloads into FILE.part, and the same command goes on after an interruption. A file "
      "gets its\nname when its SHA-256 is the one that this program knows (of the unpacked "
      "content, "
      "so that it does not\nmatter how it was packed). A file that is there and right is not "
      "fetched, and one that is different\nis not replaced.\n\n",
      "Example:\n  fisherman data get mushrooms a1a && fisherman reproduce figure-gaussian-large "
      "--quick\n  fisherman data get mnist --from "
      "https://storage.googleapis.com/cvdf-datasets/mnist");
}

}  // namespace

void add_data(CLI::App& app, int& exit_code) {
  CLI::App* const data =
      app.add_subcommand("data", "fetch public data sets, and convert tables to be read faster");
  data->require_subcommand(1);
  data->footer(
      "Example:\n  fisherman data list\n  fisherman data get mnist --data-dir data\n"
      "  fisherman data convert rows.csv && fisherman fit logistic --data rows.csv.table");

  auto get = std::make_shared<DataGet>();
  CLI::App* command = data->add_subcommand("get", "fetch data sets, and check what came");
  command->add_option("names", get->names, "as fisherman data list has them")
      ->type_name(names_words())
      ->required();
  get->add_to(*command);
  command
      ->add_option("--from", get->from,
                   "fetch the files from this address or folder instead, by their names there")
      ->type_name("DIR");
  command->add_flag("--force", get->force, "replace files that are there and different");
  command->footer(get_footer());
  command->callback([get, &exit_code] { exit_code = get->run(); });

  auto list = std::make_shared<DataList>();
  command = data->add_subcommand("list", "what there is, and what of it is in the folder");
  list->add_to(*command);
  command->add_flag("--json", list->json, "print a JSON array and nothing else");
  command->footer("Example:\n  fisherman data list\n  fisherman data list --json");
  command->callback([list, &exit_code] { exit_code = list->run(); });

  auto convert = std::make_shared<DataConvert>();
  command = data->add_subcommand(
      "convert", "make a folder of binary files of a table, which every fit reads much faster");
  command
      ->add_option("files", convert->files,
                   "CSV or LIBSVM files, gzipped or not; rows of several follow each other")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--out", convert->folder,
                   "the folder (default: the first file's name with .table)")
      ->type_name("DIR");
  command
      ->add_option("--label", convert->label, "column of the outcome (default: label, or the last)")
      ->type_name("COLUMN");
  command->add_flag("--no-label", convert->no_label, "every column is a feature");
  command->add_option("--drop", convert->drop, "columns to leave out, with commas between them")
      ->type_name("COLUMNS");
  command->add_flag("--no-header", convert->no_header,
                    "the first row of a CSV file holds data; its columns are then f1, f2, …");
  command->add_flag("--quiet", convert->quiet, "no progress");
  command->footer(
      "A column of a CSV file must be of numbers, but for the label's. A CSV file may be larger "
      "than "
      "memory;\nso may the table be in fit regression and fit logistic, which then leave its rows "
      "on "
      "disk.\n\nExample:\n  fisherman data convert part-*.csv.gz --label clicked --out clicks\n"
      "  fisherman fit logistic --data clicks --out clicks-run");
  command->callback([convert, &exit_code] { exit_code = convert->run(); });
}

}  // namespace fisherman::cli
