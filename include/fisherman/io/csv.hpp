// Values separated by commas (RFC 4180), semicolons or tabs: records of fields, and the table that they make.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// A comma, a semicolon or a tab: the one that the first line with anything on it has most often outside quotes, and a
/// comma if there is none. Tabs around other separators do not count. Numbers with decimal commas have semicolons between
/// them, so without a header any semicolon decides. Nothing is consumed but a byte order mark.
char separator_of(ByteSource& source, bool header);

/// The records of a CSV file, one at a time. A field in quotes is kept to the letter and may hold
/// separators, line breaks and doubled quotes; other fields lose the spaces around them. Lines end with
/// LF, CRLF or CR.
class CsvRecords {
 public:
  /// A record that takes more bytes than `limit`, with what its fields become, is a FileError as soon as it does.
  CsvRecords(ByteSource& source, std::uint64_t limit, char separator = ',')
      : source_(source), limit_(limit), separator_(separator) {
    source_.skip_byte_order_mark();
  }

  /// Reads the next record; false at the end of the file.
  bool next();
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t field) const {
    const std::size_t begin = field == 0 ? 0 : ends_[field - 1];
    return std::string_view(text_).substr(begin, ends_[field] - begin);
  }
  /// A line with nothing on it.
  bool blank() const { return blank_; }
  /// The line on which the record begins.
  Index line() const { return record_line_; }

 private:
  bool ends_field(char c) const { return c == separator_ || c == '\n' || c == '\r'; }
  void skip_spaces();
  void read_quoted();
  void read_plain();
  /// Consumes the separator or line break after a field, and says whether it was a separator.
  bool another_field();

  ByteSource& source_;
  std::uint64_t limit_;
  char separator_;
  std::string text_;               // the fields, one after the other
  std::vector<std::size_t> ends_;  // where each of them ends
  Index line_ = 1, record_line_ = 1;
  bool blank_ = false;
};

/// What a CSV file of numbers says of its columns.
struct CsvNames {
  std::vector<std::string> features;
  std::string label;  // empty without labels
};

/// Goes through the rows of a CSV file of numbers: row(names, values of the features, label, line). Nothing is kept, so that a
/// file may have any length.
using CsvRow =
    std::function<void(const CsvNames&, const std::vector<double>&, std::string_view, Index)>;
CsvNames for_csv_rows(ByteSource& source, const ReadOptions& options, const CsvRow& row);

/// Throws FileError for whatever is not a table of finite numbers and labels.
Table parse_csv(ByteSource& source, const ReadOptions& options = {});

/// The labels of a file with one column.
std::vector<std::string> parse_csv_labels(ByteSource& source, bool header,
                                          const ReadOptions& options = {});

}  // namespace fisherman
