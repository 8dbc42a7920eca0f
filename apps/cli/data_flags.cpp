#include "data_flags.hpp"

#include <algorithm>

#include "fisherman/core/error.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/joined_files.hpp"

namespace fisherman::cli {

void DataFlags::describe(Options& o, bool tested) {
  if (!rows) {
    o.add_named("model", program, "file of the model to fit", "FILE");
    o.add_named("data", data, "file of the data that the model takes, if it takes any", "FILE");
    return;
  }
  o.add_named(
      "data", data,
      "data to fit: a CSV, TSV, LIBSVM, npy or IDX file, gzipped or not, or a folder of fisherman "
      "data convert; several files by a pattern in quotes ('part-*.csv') or with commas between "
      "them; - is standard input",
      "FILE");
  o.add_named("label", label, "column of the outcome (default: label, or the last)", "COLUMN");
  o.add_named("labels", labels, "file of labels, if they are not in the data file", "FILE");
  o.add_named("drop", drop, "columns to leave out, with commas between them", "COLUMNS");
  o.add("columns", columns,
        "number of features of a LIBSVM file, if the last ones do not occur (0: as many as occur)");
  o.add("no-header", no_header,
        "the first row of a CSV file holds data; its columns are then f1, f2, …");
  if (stored)
    o.add("from-disk", from_disk,
          "leave the rows of an .npy file in the file and read them again in every pass, which "
          "takes little memory (default: where they have no room in memory)");
  if (!tested) return;
  o.add_named("test-data", test_data, "rows to test on: a file in the form of --data", "FILE");
  o.add_named("test-labels", test_labels, "file of their classes", "FILE");
}

std::vector<std::string> DataFlags::dropped(const std::string& drop) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < drop.size();) {
    const std::size_t comma = std::min(drop.find(',', at), drop.size());
    require(comma > at, "--drop is '", drop, "', but must be names with commas between them");
    out.push_back(drop.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

void DataFlags::check() const {
  if (!rows) {
    require(!program.empty(), "--model is required: the file of the model to fit");
    return;
  }
  require(!data.empty(), "--data is required: the file of the data to fit");
  require(labels.empty() || label.empty(),
          "--label names a column of the data and --labels a file: only one of them can be meant");
  require(test_labels.empty() || !test_data.empty(), "--test-labels needs --test-data");
  for (const std::string& other : {labels, test_data, test_labels})
    require(other != standard_input, "only --data can be -, which is standard input");
}

FitData DataFlags::read(const std::string& data_file, const std::string& labels_file) const {
  FitData out;
  const ReadOptions options{.label = label,
                            .has_label = labels_file.empty(),
                            .header = !no_header,
                            .columns = columns,
                            .dropped = dropped(drop),
                            .sparse = sparse,
                            .mixed = mixed,
                            .from_disk = from_disk ? ReadOptions::FromDisk::always
                                         : stored  ? ReadOptions::FromDisk::beyond_limit
                                                   : ReadOptions::FromDisk::never,
                            .in_parts = parts};
  out.table = parts ? read_table(data_file, options)
                    : together([&] { return read_table(data_file, options); });
  out.where = name_of_file(data_file);
  out.labels_where = labels_file.empty() ? out.where : labels_file;
  if (!labels_file.empty())
    out.table = with_labels(std::move(out.table), labels_file, "label", {.header = !no_header});
  return out;
}

FitData DataFlags::read() const {
  if (!rows) {
    FitData out;
    out.where = data;
    out.program = program;
    return out;
  }
  FitData out = read(data, labels);
  if (!test_data.empty()) out.test = [*this] { return read(test_data, test_labels); };
  return out;
}

std::vector<std::filesystem::path> DataFlags::files() const {
  std::vector<std::filesystem::path> out = {labels, test_data, test_labels, program};
  for (std::filesystem::path& file : files_named(data)) out.push_back(std::move(file));
  return out;
}

}  // namespace fisherman::cli
