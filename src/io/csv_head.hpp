// The first line of a CSV file, and what the readers of tables do with the lines after it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fisherman/io/csv.hpp"

namespace fisherman {

struct CsvHead {
  std::vector<std::string> columns;
  std::optional<std::size_t> label;  // which of them is the label
  std::vector<bool> chosen;          // which are to be parsed; the label is not among them

  /// Reads it, unless the first row holds data; `record` is at that row then.
  static CsvHead read(const ByteSource& source, CsvRecords& record, const ReadOptions& options);
};

/// The names of the columns, from the record that the header is.
std::vector<std::string> header_names(const ByteSource& source, const CsvRecords& header,
                                      const ReadOptions& options);

/// The next record that is not a blank line. In a file of one column a blank line may be a missing
/// value, so there it is allowed at the end only.
bool next_row(const ByteSource& source, CsvRecords& records, std::size_t width);

/// The first of them after the head was read, which may be a row itself.
bool has_row(const ByteSource& source, CsvRecords& records, std::size_t width,
             const ReadOptions& options);

/// A word that heads the labels and is one of them is a row's: the file has no header.
void require_no_header(const ByteSource& source, Index line, std::string_view header,
                       std::string_view label);

void require_width(const ByteSource& source, const CsvRecords& row, std::size_t width, bool header);

}  // namespace fisherman
