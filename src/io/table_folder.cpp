#include "fisherman/io/table_folder.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/json.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/text.hpp"
#include "table_format.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

/// What table.json says.
struct Description {
  Index rows = 0;
  std::vector<std::string> columns, classes;
  std::string label;
  bool sparse = false;
};

Description description_of(const fs::path& folder) {
  const fs::path file = folder / table_description;
  if (!fs::exists(file))
    throw FileError(folder.string() +
                    ": is a folder, but no table (fisherman data convert makes one of files)");
  const Json json = read_json(file);
  try {
    if (json.at("format") != 1)
      throw FileError(sentence(file.string(), ": has format ", json.at("format").dump(),
                               ", but this version reads format 1; convert the table again"));
    Description out{json.at("rows").get<Index>(),
                    json.at("columns").get<std::vector<std::string>>(),
                    json.value("classes", std::vector<std::string>()),
                    json.value("label", std::string()), json.at("sparse").get<bool>()};
    for (const auto& [name, about] : json.at("files").items()) {
      std::error_code none;
      if (fs::file_size(folder / name, none) != about.at("bytes").get<std::uintmax_t>())
        throw FileError(sentence((folder / name).string(),
                                 ": is not there, or has another size than ", table_description,
                                 " says"));
    }
    return out;
  } catch (const Json::exception&) {
    throw FileError(file.string() + ": is no table.json of fisherman data convert");
  }
}

/// A file of one column.
Vector numbers_of(const fs::path& file, const ReadOptions& given) {
  ReadOptions options;
  options.memory_limit = given.memory_limit;
  FileSource source(file);
  const Matrix x = parse_npy(source, options).x;
  if (x.cols() != 1) fail(source, "has ", x.cols(), " columns, but should have one");
  return x.col(0);
}

Column labels_of(const fs::path& folder, const Description& about, const ReadOptions& options) {
  const fs::path file = folder / "labels.npy";
  Vector numbers = numbers_of(file, options);
  if (about.classes.empty()) return {about.label, std::move(numbers), {}, {}};
  Column out{about.label, {}, about.classes, {}};
  out.codes.reserve(std::size_t(numbers.size()));
  for (const double code : numbers) {
    if (!(code >= 0.0 && code < double(about.classes.size())))
      throw FileError(sentence(file.string(), ": ", code, " is none of the ", about.classes.size(),
                               " classes of ", table_description));
    out.codes.push_back(std::int32_t(code));
  }
  return out;
}

bool wants_labels(const fs::path& folder, const Description& about, const ReadOptions& options) {
  if (!options.has_label) return false;
  const bool named = !options.label.empty() && options.label != about.label;
  if (options.label_optional && (named || about.label.empty())) return false;
  if (named)
    throw FileError(sentence(folder.string(), ": was converted with ",
                             about.label.empty() ? "no label" : "the label " + shown(about.label),
                             "; to have another, convert it again with --label ", options.label));
  return !about.label.empty();
}

Table sparse_table(const fs::path& folder, const Description& about, const ReadOptions& options) {
  SparseRows rows;
  rows.columns = Index(about.columns.size());
  const Vector begin = numbers_of(folder / "begins.npy", options),
               column = numbers_of(folder / "entry_columns.npy", options),
               value = numbers_of(folder / "values.npy", options);
  rows.begin.assign(begin.begin(), begin.end());
  rows.column.assign(column.begin(), column.end());
  rows.value.assign(value.begin(), value.end());
  try {
    rows.check();
  } catch (const Misuse& e) {
    throw FileError(folder.string() + ": " + e.what());
  }
  Table out;
  out.names = about.columns;
  if (wants_labels(folder, about, options)) {
    const Column labels = labels_of(folder, about, options);
    out.label_name = labels.name;
    for (Index i = 0; i < labels.rows(); ++i) out.labels.push_back(labels.text(i));
  }
  if (options.sparse)
    out.sparse = std::make_shared<const SparseRows>(std::move(rows));
  else
    out.x = rows.dense();
  return without(MemorySource(folder.string(), ""), std::move(out), options.dropped);
}

/// The labels of rows that were read without.
Table labelled(Table table, const fs::path& folder, const Description& about,
               const ReadOptions& options) {
  Column labels = together([&] { return labels_of(folder, about, options); });
  if (table.mixed) return with_label_column(table, std::move(labels), folder.string());
  const RowPart here = table.rows_here();
  table.label_name = labels.name;
  for (Index i = here.first; i < here.first + here.count; ++i)
    table.labels.push_back(labels.text(i));
  return table;
}

}  // namespace

Table read_table_folder(const fs::path& folder, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  const Description about = description_of(folder);
  if (!about.sparse) {
    ReadOptions rows = options;
    rows.has_label = false;
    rows.label.clear();
    rows.names = about.columns;
    Table table = read_table(folder / "rows.npy", rows);
    return wants_labels(folder, about, options) ? labelled(std::move(table), folder, about, options)
                                                : table;
  }
  if (options.in_parts && rank_count() > 1) {  // read by the first rank, and dealt
    ReadOptions rows = options;
    rows.mixed = false;
    Table table = on_first_rank([&] { return sparse_table(folder, about, rows); });
    const std::vector<std::string> names = from_first_rank(table.names);
    table = shared(std::move(table), rows);
    table.names = names;
    return options.mixed ? table_of_columns(shared(columns_of_table(std::move(table)))) : table;
  }
  Table table = sparse_table(folder, about, options);
  return options.mixed ? table_of_columns(columns_of_table(std::move(table))) : table;
}

}  // namespace fisherman
