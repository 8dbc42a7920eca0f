// Reading a table: one file or several, whole or by ranks in parts, into memory or left on disk.
#include <algorithm>
#include <optional>

#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/file_bytes.hpp"
#include "fisherman/io/idx.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/part_source.hpp"
#include "fisherman/io/stored_rows.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/io/table_folder.hpp"
#include "fisherman/io/text.hpp"
#include "table_format.hpp"

namespace fisherman {
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

Table read_from(ByteSource& source, Format format, const ReadOptions& options) {
  return options.mixed ? read_mixed(source, format, options)
                       : read_numbers(source, format, options);
}

/// Together: throws FileError unless all ranks have the same file, as far as its size, its beginning and its end tell. They may
/// have copies of it on disks of their own.
void require_same_file(const std::filesystem::path& path) {
  if (rank_count() == 1 || from_first_rank(int(can_be_cut(path))) == 0) return;
  const std::string mine = together([&] {
    const FileBytes file(path);
    const auto some = std::size_t(std::min<std::uint64_t>(file.size(), 1 << 16));
    std::string bytes(2 * some, '\0');
    file.read_at(0, bytes.data(), some);
    file.read_at(file.size() - some, bytes.data() + some, some);
    MemorySource both(file.name(), bytes);
    return std::to_string(file.size()) + " " + sha256(both);
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

}  // namespace fisherman
