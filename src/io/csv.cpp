#include "fisherman/io/csv.hpp"

#include <algorithm>

#include "csv_head.hpp"
#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

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

}  // namespace

CsvNames for_csv_rows(ByteSource& source, const ReadOptions& given, const CsvRow& row) {
  const ReadOptions options = given.bounded();
  CsvRecords record(source, options.memory_limit, separator_of(source, options.header));
  const auto [columns, label, is_feature] = CsvHead::read(source, record, options);
  const std::size_t width = columns.size();
  CsvNames names{{}, label ? columns[*label] : ""};
  for (std::size_t j = 0; j < width; ++j)
    if (is_feature[j]) names.features.push_back(columns[j]);
  std::vector<double> values;
  bool any = false;
  for (bool more = has_row(source, record, width, options); more;
       more = next_row(source, record, width)) {
    require_width(source, record, width, options.header);
    values.clear();
    std::string_view text;
    for (std::size_t j = 0; j < width; ++j) {
      if (j == label) {
        text = checked_label(source, record.line(), columns[j], record[j]);
        if (options.header) require_no_header(source, record.line(), columns[j], record[j]);
      } else if (!is_feature[j]) {
        continue;
      } else if (const auto value = parse_number(record[j])) {
        values.push_back(*value);
      } else {
        fail_at(source, record.line(), ", column ", shown(columns[j]), ": ",
                number_trouble(record[j]));
      }
    }
    row(names, values, text, record.line());
    any = true;
  }
  if (!any && !source.is_part()) fail(source, "there is a header, but no row after it");
  return names;
}

Table parse_csv(ByteSource& source, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  BlockQueue<double> values;
  TextQueue labels;
  Index rows = 0;
  double beside = 0.0;  // bytes of labels
  CsvNames names = for_csv_rows(
      source, options,
      [&](const CsvNames& of, const std::vector<double>& row, std::string_view label, Index line) {
        for (const double value : row) values.push(value);
        if (!of.label.empty()) {
          labels.push(label);
          beside += label_bytes(label);
        }
        require_fits(source, double(++rows), double(row.size()), options, line, beside);
      });
  Table table;
  table.names = std::move(names.features);
  table.x.resize(rows, Index(table.names.size()));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < table.x.cols(); ++j) table.x(i, j) = values.pop();
  table.label_name = std::move(names.label);
  if (!table.label_name.empty()) table.labels = labels.pop(std::size_t(rows));
  return table;
}

std::vector<std::string> parse_csv_labels(ByteSource& source, bool header,
                                          const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  CsvRecords record(source, options.memory_limit);
  if (!next_row(source, record, 0)) fail(source, "the file is empty");
  if (record.size() != 1)
    fail_at(source, record.line(), ": a file of labels has one column, but this has ",
            record.size());
  const std::string name = header ? header_names(source, record, options)[0] : "label";
  std::vector<std::string> labels;
  double bytes = 0.0;
  for (bool more = !header || next_row(source, record, 1); more;
       more = next_row(source, record, 1)) {
    require_width(source, record, 1, header);
    labels.emplace_back(checked_label(source, record.line(), name, record[0]));
    if (header) require_no_header(source, record.line(), name, record[0]);
    bytes += label_bytes(record[0]);  // and twice that while the list grows
    if (2.0 * bytes > double(options.memory_limit))
      fail_at(source, record.line(), ": ", labels.size(), " labels take more than the limit of ",
              gibibytes(double(options.memory_limit)));
  }
  if (labels.empty()) fail(source, "there is a header, but no label after it");
  return labels;
}

}  // namespace fisherman
