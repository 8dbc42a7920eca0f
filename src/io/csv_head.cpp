#include "csv_head.hpp"

#include <algorithm>
#include <map>

#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// Numbers instead of names, but for one word at most, as a class may be one: the file has no header, and reading on
/// would lose its first row. Names that merely count, as some programs write them, are names; and where the label's
/// own name is there, so are numbers beside it.
bool looks_like_data(const CsvRecords& header, const std::string& label) {
  bool counts_from_0 = true, counts_from_1 = true;
  std::size_t words = 0;
  for (std::size_t j = 0; j < header.size(); ++j) {
    if (!parse_number(header[j])) {
      if (header[j] == label || ++words > 1) return false;
      continue;
    }
    counts_from_0 &= header[j] == std::to_string(j);
    counts_from_1 &= header[j] == std::to_string(j + 1);
  }
  return words < header.size() && !(header.size() > 1 && (counts_from_0 || counts_from_1));
}

std::string label_name_in(const ReadOptions& options) {
  return options.label.empty() ? "label" : options.label;
}

std::optional<std::size_t> label_column(const ByteSource& source,
                                        const std::vector<std::string>& names,
                                        const ReadOptions& options) {
  if (!options.has_label) return std::nullopt;
  const std::string wanted = label_name_in(options);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return std::size_t(found - names.begin());
  if (options.label_optional) return std::nullopt;
  if (options.label.empty()) {  // the last that is not left out
    for (std::size_t j = names.size(); j-- > 0;)
      if (std::find(options.dropped.begin(), options.dropped.end(), names[j]) ==
          options.dropped.end())
        return j;
  }
  std::string known;
  for (std::size_t j = 0; j < std::min<std::size_t>(names.size(), 8); ++j)
    known += (j > 0 ? ", " : "") + shown(names[j]);
  fail(source, "there is no column ", shown(wanted), "; the columns are ", known,
       names.size() > 8 ? ", …" : "");
}

/// Which columns to parse: all but the label, or those that are wanted.
std::vector<bool> features_among(const ByteSource& source, const std::vector<std::string>& columns,
                                 std::optional<std::size_t> label, const ReadOptions& options) {
  std::vector<bool> chosen(columns.size(), !options.header || options.wanted.empty());
  if (label) chosen[*label] = false;
  for (const std::string& name : options.dropped) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) fail(source, "has no column ", shown(name), " to leave out");
    chosen[std::size_t(found - columns.begin())] = false;
  }
  if (!options.header || options.wanted.empty()) return chosen;
  std::map<std::string_view, std::size_t> column_of;
  for (std::size_t j = 0; j < columns.size(); ++j) column_of.emplace(columns[j], j);
  for (const std::string& name : options.wanted) {
    const auto found = column_of.find(name);
    if (found == column_of.end())
      fail(source, "has no column ", shown(name), ", which the fit was made with");
    if (found->second != label) chosen[found->second] = true;
  }
  for (const std::string& name : options.welcome)
    if (const auto found = column_of.find(name); found != column_of.end() && found->second != label)
      chosen[found->second] = true;
  return chosen;
}

}  // namespace

bool next_row(const ByteSource& source, CsvRecords& records, std::size_t width) {
  Index blank_line = 0;
  while (records.next()) {
    if (!records.blank()) {
      if (blank_line != 0 && width == 1)
        fail_at(source, blank_line, ": the line is blank, but there are more rows after it");
      return true;
    }
    if (blank_line == 0) blank_line = records.line();
    if (records.line() - blank_line >
        most_blank_lines)  // a small gzip file may hold them without end
      fail_at(source, blank_line, ": more than ", most_blank_lines, " blank lines begin here");
  }
  return false;
}

bool has_row(const ByteSource& source, CsvRecords& records, std::size_t width,
             const ReadOptions& options) {
  const bool is_at_row = !options.header && !source.has_borrowed_head();
  return is_at_row || next_row(source, records, width);
}

std::vector<std::string> header_names(const ByteSource& source, const CsvRecords& header,
                                      const ReadOptions& options) {
  if (looks_like_data(header, label_name_in(options)))
    fail_at(source, header.line(), ": the header holds numbers (", shown(header[0]),
            "), not names; if there is no header, say so with --no-header");
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

void require_no_header(const ByteSource& source, Index line, std::string_view header,
                       std::string_view label) {
  if (label == header && !parse_number(header))
    fail_at(source, line, ": the label ", shown(label),
            " is also the header of its column; if there is no header, say so with --no-header");
}

void require_width(const ByteSource& source, const CsvRecords& row, std::size_t width,
                   bool header) {
  if (row.size() != width)
    fail_at(source, row.line(), ": the row has ", row.size(),
            row.size() == 1 ? " field" : " fields", ", but the ", header ? "header" : "first row",
            " has ", width);
}

CsvHead CsvHead::read(const ByteSource& source, CsvRecords& record, const ReadOptions& options) {
  CsvHead head;
  if (!next_row(source, record, 0)) fail(source, "the file is empty");
  head.columns =
      options.header ? header_names(source, record, options) : numbered_names(Index(record.size()));
  head.label = label_column(source, head.columns, options);
  head.chosen = features_among(source, head.columns, head.label, options);
  const bool none = std::find(head.chosen.begin(), head.chosen.end(), true) == head.chosen.end();
  if (none && (!options.mixed || head.columns.size() == 1))
    fail(source, "there is one column only, ", shown(head.columns[0]), ", and that is the label ",
         "(are the fields separated by commas, semicolons or tabs?)");
  return head;
}

}  // namespace fisherman
