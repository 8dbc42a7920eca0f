// A table as people have it: columns of numbers or of words, with values that are missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/joined_files.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// Of numbers, if every value that is not missing is one (or all are missing), otherwise of words.
struct Column {
  std::string name;
  Vector numbers;  ///< NaN: missing; empty for words
  std::vector<std::string>
      levels;  ///< the different words, in the order of labels: numbers by value, then the alphabet
  std::vector<std::int32_t> codes;  ///< the level of each row, -1: missing; empty for numbers
  /// Why it cannot be used: a sentence with the file, the line, the column and what to do. Empty if it can. Such columns
  /// (of dates, say) do no harm until somebody uses them.
  std::string refusal = {};
  /// Of numbers that stay in a file, none of them missing: which column of Columns::stored it is. Otherwise -1.
  Index stored = -1;

  bool is_stored() const { return stored >= 0; }
  bool is_words() const { return !codes.empty() || !levels.empty(); }
  /// Not of a stored one.
  Index rows() const { return is_words() ? Index(codes.size()) : numbers.size(); }
  bool is_missing(Index row) const;
  /// How many values are.
  Index missing() const;
  /// As level_text() has it; nothing for what is missing.
  std::string text(Index row) const;
  /// Some of the rows, with the levels that they have.
  Column at(const std::vector<Index>& rows) const;
};

struct Columns {
  std::vector<Column> all;  ///< under different names
  Index rows = 0;           ///< those that are here
  RowPart part = {};        ///< where they lie among those of all ranks, if these share them
  /// The rows of columns that stay in a file, those of other ranks among them.
  std::shared_ptr<const RowBlocks> stored = {};
  std::string label =
      {};  ///< the name of the label's column, by the rule of ReadOptions; empty without labels

  /// Where each row begins in the file, if it is one of text.
  std::vector<Index> lines = {};
  /// Those that the lines count through, if there are several.
  std::shared_ptr<const JoinedFiles> files = {};
  /// "WHERE, line 7", or "WHERE, row 6" where there are no lines: where a row is, counted from 1.
  std::string place(Index row, const std::string& where) const;

  RowPart rows_here() const { return part.all > 0 ? part : RowPart::whole(rows); }

  /// Nothing if there is none of this name.
  const Column* find(const std::string& name) const;
  std::vector<std::string> names() const;
};

/// Columns by their names, for those who ask for many of them. It refers to the columns.
class ColumnsByName {
 public:
  explicit ColumnsByName(const Columns& columns);
  /// Nothing if there is none of this name.
  const Column* find(const std::string& name) const;

 private:
  std::unordered_map<std::string_view, const Column*> columns_;
};

/// A cell as the name of a level: without spaces around it, and a number in its shortest spelling, so that 1, 1.0 and +1
/// are one level wherever they stand.
std::string level_text(std::string_view cell);

/// The cells of one column. In quotes or not makes no difference: "1" is a number and "NA" is missing. Errors name
/// `where`.
Column column_of_texts(std::string name, const std::vector<std::string>& cells,
                       const std::string& where);

/// The columns of a CSV file, those that `options` want. Throws FileError for whatever is no table. Memory: eight bytes a
/// cell while the file streams in, and twice that in the end; each different word is kept once.
Columns parse_columns(ByteSource& source, const ReadOptions& options = {});

/// The columns of a table of numbers, and its labels as one more.
Columns columns_of_table(Table table);

/// Together: columns that ranks have read parts of as one, as for tables.
Columns shared(Columns part);

/// What read_table() gives for columns.
Table table_of_columns(Columns columns);

/// Some rows of a table whose rows stay in their file, in memory; without labels, unless these are one of its columns.
Table read_rows(const Table& table, Index first, Index count);
/// Whether there is anything to read.
bool stays_on_disk(const Table& table);

/// Together: the table of columns with one more, which has the labels of all rows. Throws FileError, naming `where`, unless
/// there is one for each row, and if there is a column of that name already.
Table with_label_column(const Table& table, Column labels, const std::string& where);

/// Together: the table with labels from a file of their own; for columns, one more column. Throws FileError unless there is
/// one for each row, and if there is a column of that name already.
Table with_labels(Table table, const std::filesystem::path& file, const std::string& name,
                  const ReadOptions& options);

}  // namespace fisherman
