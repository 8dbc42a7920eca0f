#include "fisherman/io/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "fisherman/core/memory.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/idx.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/text.hpp"
#include "table_format.hpp"

namespace fisherman {
namespace {

/// The extension in lower case, with `.gz` left aside.
std::string extension(std::filesystem::path path) {
  const auto lower = [&] {
    std::string text = path.extension().string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return text;
  };
  if (lower() == ".gz") path.replace_extension();
  return lower();
}

/// The first line that is neither blank nor a comment has a second word like `3:`.
bool looks_like_libsvm(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view first = trim(line);
    if (first.empty() || first[0] == '\r' || first[0] == '#') continue;
    const auto space = first.find_first_of(" \t");
    if (space == std::string_view::npos) return false;
    const std::string_view second = trim(first.substr(space));
    const auto digits = second.find_first_not_of("0123456789");
    return digits != std::string_view::npos && digits > 0 && second[digits] == ':';
  }
  return false;
}

}  // namespace

Format format_of(const std::filesystem::path& path, ByteSource& source) {
  const std::string_view start = source.window();
  const std::string ending = extension(path);
  using namespace std::string_view_literals;
  if (start.substr(0, 6) == "\x93NUMPY" || ending == ".npy") return Format::npy;
  if (start.substr(0, 2) == "\0\0"sv) return Format::idx;
  if (ending == ".csv" || ending == ".tsv") return Format::csv;
  if (ending == ".libsvm" || ending == ".svm" || ending == ".svmlight") return Format::libsvm;
  return looks_like_libsvm(start) ? Format::libsvm : Format::csv;
}

Index Table::rows() const {
  if (mixed) return mixed->rows;
  if (stored) return part.all > 0 ? part.count : stored->rows();
  return sparse ? sparse->rows() : dense().rows();
}

Index Table::columns() const {
  if (mixed) return Index(mixed->all.size());
  if (stored) return stored->columns();
  return sparse ? sparse->columns : dense().cols();
}

std::string gibibytes(double bytes) {
  const double value = bytes / double(std::uint64_t(1) << 30);
  return number_text(value < 10 ? std::ceil(value * 100) / 100 : std::ceil(value)) + " GiB";
}

double label_bytes(std::string_view label) {
  return double(sizeof(std::string)) + 8.0 + 2.0 * double(label.size());
}

ReadOptions ReadOptions::bounded() const {
  ReadOptions options = *this;
  if (options.memory_limit == 0)
    options.memory_limit = std::uint64_t(std::max(1.0, memory_now().left / 2.5));
  return options;
}

Table without(const ByteSource& source, Table table, const std::vector<std::string>& dropped) {
  if (dropped.empty()) return table;
  std::vector<std::int32_t> to(table.names.size());
  std::vector<Index> kept;
  for (const std::string& name : dropped)
    if (std::find(table.names.begin(), table.names.end(), name) == table.names.end())
      fail(source, "has no column ", shown(name), " to leave out");
  for (std::size_t j = 0; j < to.size(); ++j) {
    const bool leave = std::find(dropped.begin(), dropped.end(), table.names[j]) != dropped.end();
    to[j] = leave ? -1 : std::int32_t(kept.size());
    if (!leave) kept.push_back(Index(j));
  }
  if (kept.empty()) fail(source, "no column is left");
  std::vector<std::string> names;
  for (const Index j : kept) names.push_back(table.names[std::size_t(j)]);
  table.names = std::move(names);
  if (table.stored) {
    table.stored = picked_columns(table.stored, kept);
    return table;
  }
  if (!table.sparse) {
    table.x = Matrix(table.x(Eigen::all, kept));
    return table;
  }
  SparseRows rows;
  rows.columns = Index(kept.size());
  for (Index i = 0; i < table.sparse->rows(); ++i) {
    table.sparse->each(i, [&](Index j, double v) {
      if (to[std::size_t(j)] < 0) return;
      rows.column.push_back(to[std::size_t(j)]);
      rows.value.push_back(v);
    });
    rows.close_row();
  }
  table.sparse = std::make_shared<const SparseRows>(std::move(rows));
  return table;
}

std::pair<Index, Index> ReadOptions::rows_to_read(Index rows) const {
  const RowPart part = in_parts ? RowPart::of_rank(rows) : RowPart::whole(rows);
  return {part.first, part.count};
}

namespace {

/// One number each, of a binary format. What is made of them takes `times` as much.
Vector read_label_numbers(ByteSource& source, Format format, ReadOptions options,
                          std::uint64_t times) {
  options.memory_limit = std::max<std::uint64_t>(1, options.memory_limit / times);
  Matrix x = (format == Format::npy ? parse_npy(source, options) : parse_idx(source, options)).x;
  if (x.cols() != 1) fail(source, "a file of labels has one column, but this has ", x.cols());
  return x.col(0);
}

std::vector<std::string> read_label_texts(ByteSource& source, Format format,
                                          const ReadOptions& options) {
  if (format == Format::libsvm) return parse_libsvm(source, options).labels;
  const bool header = options.header && extension(source.name()) == ".csv";
  return parse_csv_labels(source, header, options);
}

bool is_binary(Format format) { return format == Format::npy || format == Format::idx; }

}  // namespace

std::vector<std::string> read_labels(const std::filesystem::path& path, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  FileSource source(path);
  const Format format = format_of(path, source);
  if (!is_binary(format)) return read_label_texts(source, format, options);
  std::vector<std::string> labels;
  constexpr std::uint64_t text = 6;  // numbers' bytes
  for (const double value : read_label_numbers(source, format, options, text))
    labels.push_back(number_text(value));
  return labels;
}

Column read_label_column(const std::filesystem::path& path, const std::string& name,
                         const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  FileSource source(path);
  const Format format = format_of(path, source);
  if (!is_binary(format))
    return column_of_texts(name, read_label_texts(source, format, options), path.string());
  return {name, read_label_numbers(source, format, options, 2), {}, {}};
}

std::vector<std::string> names_of_columns(Index count, const ReadOptions& options,
                                          const std::string& where) {
  if (options.names.empty()) return numbered_names(count);
  if (Index(options.names.size()) != count)
    throw FileError(sentence(where, ": has ", count, " columns, but there are names for ",
                             options.names.size()));
  return options.names;
}

std::vector<std::string> numbered_names(Index count) {
  std::vector<std::string> names;
  names.reserve(std::size_t(count));
  for (Index j = 1; j <= count; ++j) names.push_back(sentence("f", j));
  return names;
}

void require_fits(const ByteSource& source, double rows, double columns, const ReadOptions& options,
                  Index line, double beside) {
  const double names = columns * sizeof(std::string),
               per_row = columns * sizeof(double) + beside / std::max(1.0, rows);
  if (names + rows * per_row <= double(options.memory_limit)) return;
  const double all_rows = std::ceil(rows / source.fraction_read());
  const std::string what =
      sentence("about ", std::uint64_t(all_rows), " rows and ", std::uint64_t(columns),
               " columns take ", gibibytes(names + all_rows * per_row), " as a dense matrix",
               beside > 0.0 ? " with labels" : "", ", more than the limit of ",
               gibibytes(double(options.memory_limit)));
  if (line > 0) fail_at(source, line, ": ", what);
  fail(source, what);
}

}  // namespace fisherman
