#include "fisherman/io/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <optional>

#include "fisherman/core/memory.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/idx.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/part_source.hpp"
#include "fisherman/io/stored_rows.hpp"
#include "fisherman/io/table_folder.hpp"
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

namespace {

/// The largest N of the names fN: a LIBSVM file that is to have these columns is filled up to that width.
Index least_width(const std::vector<std::string>& names) {
  Index width = 0;
  for (const std::string& name : names)
    if (name.size() > 1 && name[0] == 'f')
      if (const auto number = parse_number(name.substr(1)); number && *number < 1e9)
        width = std::max(width, Index(*number));
  return width;
}

void require_columns(const ByteSource& source, Index found, const ReadOptions& options) {
  if (options.columns > 0 && found != options.columns)
    fail(source, "there are ", found, " features, but ", options.columns,
         " were asked for; only LIBSVM files are filled up");
}

Table read_numbers(ByteSource& source, Format format, const ReadOptions& options) {
  if (format == Format::libsvm)
    return without(source, parse_libsvm(source, options), options.dropped);
  if (format != Format::csv && options.has_label && !options.label.empty() &&
      !options.label_optional)
    fail(source, "the columns have no names, so there is no label column ", shown(options.label),
         "; give the labels in a file of their own");
  Table table = format == Format::csv   ? parse_csv(source, options)
                : format == Format::npy ? parse_npy(source, options)
                                        : parse_idx(source, options);
  require_columns(source,
                  table.x.cols() + (format == Format::csv ? Index(options.dropped.size()) : 0),
                  options);
  return format == Format::csv ? table : without(source, std::move(table), options.dropped);
}

/// How other formats than CSV are read to become columns.
ReadOptions as_numbers(ReadOptions options) {
  options.mixed = options.sparse = false;
  options.least_columns = least_width(options.wanted);
  return options;
}

Table read_mixed(ByteSource& source, Format format, const ReadOptions& options) {
  if (format == Format::csv) {
    Columns columns = parse_columns(source, options);
    require_columns(source,
                    Index(columns.all.size() + options.dropped.size()) - !columns.label.empty(),
                    options);
    return table_of_columns(std::move(columns));
  }
  Table numbers = read_numbers(source, format, as_numbers(options));
  const bool images = numbers.images;
  Table table = table_of_columns(columns_of_table(std::move(numbers)));
  table.images = images;
  return table;
}

}  // namespace

namespace {

Table read_from(ByteSource& source, Format format, const ReadOptions& options) {
  return options.mixed ? read_mixed(source, format, options)
                       : read_numbers(source, format, options);
}

/// Together: throws FileError unless all ranks have the same file, as far as its size, its beginning and its end tell. They may
/// have copies of it on disks of their own.
void require_same_file(const std::filesystem::path& path) {
  if (rank_count() == 1 || from_first_rank(int(can_be_cut(path))) == 0) return;
  const std::string mine = together([&] {
    constexpr std::uint64_t some = 1 << 16;
    FileSource source(path);  // says so if there is none
    const auto size = std::uint64_t(std::filesystem::file_size(path));
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::size_t(std::min(size, some)), '\0');
    in.read(bytes.data(), std::streamsize(bytes.size()));
    std::string end(bytes.size(), '\0');
    in.seekg(std::streamoff(size - end.size()));
    in.read(end.data(), std::streamsize(end.size()));
    bytes += end;
    MemorySource both(source.name(), bytes);
    return std::to_string(size) + " " + sha256(both);
  });
  const std::vector<std::string> all = from_each_rank(mine);
  for (const std::string& theirs : all)
    if (theirs != all[0])
      throw FileError(
          name_of_file(path) +
          ": is another file on some rank than on the first one; all must see the same");
}

/// Together. What cannot be cut is read by the first rank, and dealt.
Table read_part(const std::filesystem::path& path, Format format, const ReadOptions& options) {
  // A column to leave out may not occur in a part of a LIBSVM file.
  const bool cut = from_first_rank(int(can_be_cut(path))) != 0 &&
                   (format != Format::libsvm || options.dropped.empty());
  if (cut && (format == Format::csv || format == Format::libsvm)) {
    PartSource source({path}, name_of_file(path), format == Format::csv, format == Format::csv);
    return together([&] { return read_from(source, format, options); });
  }
  return together([&]() -> Table {
    if (!cut && this_rank() != 0) return {};
    FileSource source(path);
    ReadOptions mine = options;
    mine.in_parts = cut;
    Table table = read_from(source, format, mine);
    table.checksum = source.checksum();
    return table;
  });
}

/// Whether rows of .npy files are to stay there.
bool stay_on_disk(const RowBlocks& rows, const ReadOptions& options) {
  using FromDisk = ReadOptions::FromDisk;
  if (options.from_disk == FromDisk::never) return false;
  const double ranks = options.in_parts ? double(rank_count()) : 1.0;
  return options.from_disk == FromDisk::always ||
         double(rows.rows()) * double(rows.columns()) * double(sizeof(double)) / ranks >
             double(options.bounded().memory_limit);
}

Table stored_table(std::shared_ptr<const RowBlocks> rows, const std::string& name,
                   const ReadOptions& options) {
  Table table;
  table.stored = std::move(rows);
  table.names = names_of_columns(table.stored->columns(), options, name);
  if (options.in_parts && rank_count() > 1) table.part = RowPart::of_rank(table.stored->rows());
  const MemorySource source(name, "");
  require_columns(source, table.columns(), options);
  table = without(source, std::move(table), options.dropped);
  return options.mixed ? table_of_columns(columns_of_table(std::move(table))) : table;
}

/// As it stays on disk, if it does.
std::optional<Table> on_disk(const std::filesystem::path& path, const ReadOptions& options) {
  const auto stays = [&]() -> int {
    if (options.from_disk == ReadOptions::FromDisk::never || !can_be_cut(path)) return 0;
    FileSource source(path);
    return format_of(path, source) == Format::npy && stay_on_disk(StoredRows(path), options);
  };
  if (!options.in_parts)
    return stays() != 0 ? std::optional(stored_table(std::make_shared<const StoredRows>(path),
                                                     name_of_file(path), options))
                        : std::nullopt;
  if (from_first_rank(on_first_rank(stays)) == 0) return std::nullopt;
  return together([&] {
    return stored_table(std::make_shared<const StoredRows>(path), name_of_file(path), options);
  });
}

Table read_one(const std::filesystem::path& path, const ReadOptions& options) {
  if (std::filesystem::is_directory(path)) return read_table_folder(path, options);
  if (std::optional<Table> stored = on_disk(path, options)) return std::move(*stored);
  if (options.in_parts && rank_count() > 1) {
    const Format format = Format(from_first_rank(on_first_rank([&] {
      FileSource source(path);
      return int(format_of(path, source));
    })));
    if (!options.mixed || format == Format::csv)
      return shared(read_part(path, format, options), options);
    const ReadOptions numbers = as_numbers(options);
    return table_of_columns(
        shared(columns_of_table(shared(read_part(path, format, numbers), numbers))));
  }
  FileSource source(path);
  Table table = read_from(source, format_of(path, source), options);
  table.checksum = source.checksum();
  return table;
}

/// The format of several files.
Format common_format(const std::vector<std::filesystem::path>& files) {
  std::optional<Format> out;
  for (const std::filesystem::path& file : files) {
    FileSource source(file);
    if (!can_be_cut(file))
      fail(source,
           "is packed, or no regular file; of several files none may be (fisherman data "
           "convert makes one table of them)");
    const Format format = format_of(file, source);
    if (format == Format::idx) fail(source, "is an IDX file, of which there can only be one");
    if (out && *out != format) fail(source, "is of another format than ", name_of_file(files[0]));
    out = format;
  }
  return *out;
}

/// .npy files, read by rows.
Table read_several_arrays(const std::vector<std::filesystem::path>& files, const std::string& name,
                          const ReadOptions& options) {
  const auto rows = together([&] { return std::make_shared<const JoinedRows>(files); });
  if (from_first_rank(int(stay_on_disk(*rows, options))) != 0)
    return together([&] { return stored_table(rows, name, options); });
  const RowPart part =
      rank_count() > 1 ? RowPart::of_rank(rows->rows()) : RowPart::whole(rows->rows());
  Table table = together([&] {
    const MemorySource source(name, "");
    require_fits(source, double(part.count), double(rows->columns()), options.bounded());
    require_columns(source, rows->columns(), options);
    Table out;
    out.names = names_of_columns(rows->columns(), options, name);
    out.x = rows->block(part.first, part.count);
    return without(source, std::move(out), options.dropped);
  });
  if (rank_count() > 1) table.part = part;
  return options.mixed ? table_of_columns(columns_of_table(std::move(table))) : table;
}

/// Several files of one format, the rows of one behind those of another. Together, if ranks share the rows.
Table read_several(const std::vector<std::filesystem::path>& files, const std::string& name,
                   const ReadOptions& options) {
  std::optional<Alone> alone;
  if (!options.in_parts) alone.emplace();
  const Format format =
      Format(from_first_rank(on_first_rank([&] { return int(common_format(files)); })));
  if (format == Format::npy) return read_several_arrays(files, name, options);
  const bool csv = format == Format::csv;
  const bool whole = !csv && !options.dropped.empty();  // as in read_part()
  const ReadOptions given = options.mixed && !csv ? as_numbers(options) : options;
  const auto read = [&] {
    PartSource source(files, name, csv, csv);
    return together([&] { return read_from(source, format, given); });
  };
  const Table part = whole ? on_first_rank([&] {
    const Alone first;
    return read();
  })
                           : read();
  Table table = shared(part, given);
  return options.mixed && !csv ? table_of_columns(shared(columns_of_table(std::move(table))))
                               : table;
}

}  // namespace

Table read_table(const std::filesystem::path& path, const ReadOptions& options) {
  const auto named = [&] { return files_named(path); };
  const std::vector<std::filesystem::path> files = options.in_parts ? together(named) : named();
  if (options.in_parts) {
    for (const std::int64_t theirs : from_each_rank(std::int64_t(files.size())))
      if (theirs != std::int64_t(files.size()))
        throw FileError(path.string() + ": stands for more files on some ranks than on others");
    for (const std::filesystem::path& file : files) require_same_file(file);
  }
  return files.size() == 1 ? read_one(files[0], options)
                           : read_several(files, path.string(), options);
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
