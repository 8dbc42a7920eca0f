// A table of numbers with named columns, and a label for each row: what every reader returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/core/row_blocks.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/sparse_rows.hpp"
#include "fisherman/core/types.hpp"
#include "fisherman/io/byte_source.hpp"

namespace fisherman {

struct Column;
struct Columns;

/// Numbers that somebody else keeps, in either order.
using LentRows = Eigen::Map<const Matrix, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

struct Table {
  Matrix x;  ///< one row an observation, one column a feature; all finite
  std::shared_ptr<const SparseRows> sparse = {};  ///< in place of x, where that was welcome
  std::shared_ptr<const Columns> mixed = {};  ///< likewise, the label among them (io/columns.hpp)
  std::shared_ptr<const LentRows> lent = {};  ///< likewise, where a caller keeps the rows
  std::shared_ptr<const RowBlocks> stored = {};  ///< likewise, where rows stay in their file
  std::vector<std::string> names;                ///< one a column
  std::vector<std::string> labels;  ///< one a row, as the file spells it; empty without labels
  std::string label_name;           ///< empty without labels
  std::string checksum;             ///< of standard input, if it comes from there (FileSource)
  bool images = false;              ///< an IDX file of three dimensions: bytes that are pixels
  RowPart part = {};  ///< where its rows lie among those of all ranks; see shared_part()

  /// The numbers of a table that is neither sparse nor mixed, wherever they are.
  LentRows dense() const {
    return lent ? *lent : LentRows(x.data(), x.rows(), x.cols(), {x.rows(), 1});
  }
  /// Those that are here.
  Index rows() const;
  Index columns() const;
  /// Of all ranks.
  Index all_rows() const { return part.all > 0 ? part.all : rows(); }
  RowPart rows_here() const { return part.all > 0 ? part : RowPart::whole(rows()); }
};

struct ReadOptions {
  /// The label column. Empty: the one named `label` if there is one, otherwise the last.
  std::string label = {};
  /// Without a label every column is a feature.
  bool has_label = true;
  /// A CSV file that has no column of the label's name is read without labels, as for prediction.
  bool label_optional = false;
  /// The first row of a CSV file holds the names. Without it the columns are f1, f2, …
  bool header = true;
  /// LIBSVM files leave out zeros, so the last columns may not occur: the width to fill up to.
  /// 0: the largest index. Files of other formats must have just this many features.
  Index columns = 0;
  /// The same, but more columns are welcome; other formats take no notice. For prediction.
  Index least_columns = 0;
  /// The columns of a CSV file with a header that are wanted, in any order; others are not even parsed. Empty: all.
  std::vector<std::string> wanted = {};
  /// Of an .npy file: the names of its columns. Empty: f1, f2, …
  std::vector<std::string> names = {};
  /// Columns to leave out; those of a CSV file are not even parsed.
  std::vector<std::string> dropped = {};
  /// LIBSVM files of which less than a quarter is not zero are left sparse.
  bool sparse = false;
  /// Columns of words and missing values are welcome: the table is `mixed`, and the label a column like the others.
  bool mixed = false;
  /// With `wanted`: columns of a CSV file that are read if they are there.
  std::vector<std::string> welcome = {};
  /// The rows of an .npy file stay there if they go beyond the limit, or whenever they can.
  enum class FromDisk { never, beyond_limit, always } from_disk = FromDisk::never;
  /// Refuse a table that takes more bytes than this, as soon as it does. 0: what the memory there is now has room for,
  /// that is, two fifths of it (see read_table).
  std::uint64_t memory_limit = 0;
  /// Together: each rank reads its part of the rows only; see Table::part.
  bool in_parts = false;
  /// Of a binary format: the first row to read, and how many.
  std::pair<Index, Index> rows_to_read(Index rows) const;

  /// With a limit: that of the memory there is, unless one was given.
  ReadOptions bounded() const;
};

/// Reads CSV (with commas, semicolons or tabs), LIBSVM, NumPy .npy or IDX, each packed with gzip or not. The format is
/// told by the first bytes, otherwise by the extension, otherwise by the look of the first line. A folder is one that
/// convert_table() has made (io/table_folder.hpp). The path "-" is standard input. Throws FileError, with the line and column, for whatever is not a finite number in a full table.
///
///     const Table table = read_table("wdbc.csv");
///     const auto [y, classes] = binary_labels(table.labels, "wdbc.csv");
///
/// Memory: text is parsed as it streams in and kept in blocks that are given back while the matrix
/// is filled, so the peak is at most 2 (CSV) or 2.5 (LIBSVM) times the matrix. The labels take their
/// final form, 32 bytes a row, when the blocks have gone. Binary formats are read straight into the
/// matrix.
Table read_table(const std::filesystem::path& path, const ReadOptions& options = {});

/// Together: tables that ranks have read parts of as one, with the rows on the ranks that sum over them (RowPart::of_rank).
Table shared(Table part, const ReadOptions& options);

/// Labels from a file of their own: .npy or IDX with one value a row, CSV with one column (and a
/// header, unless the options say otherwise), or text with one label a line.
std::vector<std::string> read_labels(const std::filesystem::path& path,
                                     const ReadOptions& options = {});

/// The same as a column, in which numbers do not become texts on the way.
Column read_label_column(const std::filesystem::path& path, const std::string& name,
                         const ReadOptions& options = {});

/// f1, f2, …: the names of columns that have none.
std::vector<std::string> numbered_names(Index count);

/// Throws FileError, foretelling the size, if that many rows and columns, with the columns' names and `beside` bytes of
/// labels, go beyond the limit. `source` has delivered `rows` so far, the last of them from `line` (0: it has no lines).
void require_fits(const ByteSource& source, double rows, double columns, const ReadOptions& options,
                  Index line = 0, double beside = 0.0);

/// Bytes that the label of a row takes, in the queue and then as a string.
double label_bytes(std::string_view label);

/// As in "more than the limit of 1.5 GiB".
std::string gibibytes(double bytes);

}  // namespace fisherman
