#include "fisherman/io/csv.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// The next record that is not a blank line. In a file of one column a blank line may be a missing
/// value, so there it is allowed at the end only.
bool next_row(const ByteSource& source, CsvRecords& records, std::size_t width) {
  Index blank_line = 0;
  while (records.next()) {
    if (!records.blank()) {
      if (blank_line != 0 && width == 1)
        fail_at(source, blank_line, ": the line is blank, but there are more rows after it");
      return true;
    }
    if (blank_line == 0) blank_line = records.line();
  }
  return false;
}

/// Numbers instead of names: the file has no header, and reading on would lose its first row. Names
/// that merely count, as some programs write them, are names.
bool looks_like_data(const CsvRecords& header) {
  bool counts_from_0 = true, counts_from_1 = true;
  for (std::size_t j = 0; j < header.size(); ++j) {
    if (!parse_number(header[j])) return false;
    counts_from_0 &= header[j] == std::to_string(j);
    counts_from_1 &= header[j] == std::to_string(j + 1);
  }
  return !(header.size() > 1 && (counts_from_0 || counts_from_1));
}

std::vector<std::string> header_names(const ByteSource& source, const CsvRecords& header) {
  if (looks_like_data(header))
    fail_at(source, header.line(), ": the header holds numbers (", shown(header[0]),
            "), not names; if there is no header, say so");
  std::vector<std::string> names;
  std::map<std::string_view, std::size_t> column_of;
  for (std::size_t j = 0; j < header.size(); ++j) {
    const std::string_view name = header[j];
    if (trim(name).empty())
      fail_at(source, header.line(), ": column ", j + 1,
              " has no name (if it holds row numbers, leave it out)");
    if (!is_utf8(name))
      fail_at(source, header.line(), ": the name of column ", j + 1, ", ", shown(name),
              ", is not UTF-8 text");
    const auto [first, is_new] = column_of.emplace(name, j);
    if (!is_new)
      fail_at(source, header.line(), ": columns ", first->second + 1, " and ", j + 1,
              " are both named ", shown(name));
    names.emplace_back(name);
  }
  return names;
}

std::optional<std::size_t> label_column(const ByteSource& source,
                                        const std::vector<std::string>& names,
                                        const ReadOptions& options) {
  if (!options.has_label) return std::nullopt;
  const std::string wanted = options.label.empty() ? "label" : options.label;
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return std::size_t(found - names.begin());
  if (options.label_optional) return std::nullopt;
  if (options.label.empty()) return names.size() - 1;
  std::string known;
  for (std::size_t j = 0; j < std::min<std::size_t>(names.size(), 8); ++j)
    known += (j > 0 ? ", " : "") + shown(names[j]);
  fail(source, "there is no column ", shown(wanted), "; the columns are ", known,
       names.size() > 8 ? ", …" : "");
}

std::string_view checked_label(const ByteSource& source, Index line, const std::string& column,
                               std::string_view text) {
  if (is_missing(text))
    fail_at(source, line, ", column ", shown(column), ": the label is missing",
            text.empty() ? "" : " (" + shown(text) + ")");
  if (!is_utf8(text))
    fail_at(source, line, ", column ", shown(column), ": the label ", shown(text),
            " is not UTF-8 text");
  return text;
}

void require_width(const ByteSource& source, const CsvRecords& row, std::size_t width,
                   bool header) {
  if (row.size() != width)
    fail_at(source, row.line(), ": the row has ", row.size(),
            row.size() == 1 ? " field" : " fields", ", but the ", header ? "header" : "first row",
            " has ", width);
}

}  // namespace

Table parse_csv(ByteSource& source, const ReadOptions& options) {
  CsvRecords record(source);
  if (!next_row(source, record, 0)) fail(source, "the file is empty");
  const std::vector<std::string> columns =
      options.header ? header_names(source, record) : numbered_names(Index(record.size()));
  const auto label = label_column(source, columns, options);
  const std::size_t width = columns.size();
  const Index features = Index(width) - (label ? 1 : 0);
  if (features == 0)
    fail(source, "there is one column only, ", shown(columns[0]),
         ", and that is the label (are the fields separated by commas?)");

  Table table;
  BlockQueue<double> values;
  TextQueue labels;
  Index rows = 0;
  for (bool more = !options.header || next_row(source, record, width); more;
       more = next_row(source, record, width)) {
    require_width(source, record, width, options.header);
    for (std::size_t j = 0; j < width; ++j) {
      if (j == label) {
        labels.push(checked_label(source, record.line(), columns[j], record[j]));
      } else if (const auto value = parse_number(record[j])) {
        values.push(*value);
      } else {
        fail_at(source, record.line(), ", column ", shown(columns[j]), ": ",
                number_trouble(record[j]));
      }
    }
    require_fits(source, double(++rows), double(features), options);
  }
  if (rows == 0) fail(source, "there is a header, but no row after it");

  table.x.resize(rows, features);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < features; ++j) table.x(i, j) = values.pop();
  if (label) {
    table.labels = labels.pop(std::size_t(rows));
    table.label_name = columns[*label];
  }
  for (std::size_t j = 0; j < width; ++j)
    if (j != label) table.names.push_back(columns[j]);
  return table;
}

std::vector<std::string> parse_csv_labels(ByteSource& source, bool header) {
  CsvRecords record(source);
  if (!next_row(source, record, 0)) fail(source, "the file is empty");
  if (record.size() != 1)
    fail_at(source, record.line(), ": a file of labels has one column, but this has ",
            record.size());
  const std::string name = header ? header_names(source, record)[0] : "label";
  std::vector<std::string> labels;
  for (bool more = !header || next_row(source, record, 1); more;
       more = next_row(source, record, 1)) {
    require_width(source, record, 1, header);
    labels.emplace_back(checked_label(source, record.line(), name, record[0]));
  }
  if (labels.empty()) fail(source, "there is a header, but no label after it");
  return labels;
}

}  // namespace fisherman
