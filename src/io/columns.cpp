#include "fisherman/io/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "csv_head.hpp"
#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/text.hpp"
#include "growing_column.hpp"

namespace fisherman {

bool Column::is_missing(Index row) const {
  if (is_stored()) return false;
  return is_words() ? codes[std::size_t(row)] < 0 : std::isnan(numbers(row));
}

Index Column::missing() const {
  if (is_words())
    return std::count_if(codes.begin(), codes.end(), [](std::int32_t code) { return code < 0; });
  return numbers.array().isNaN().count();
}

std::string Column::text(Index row) const {
  if (is_missing(row)) return "";
  return is_words() ? levels[std::size_t(codes[std::size_t(row)])]
                    : number_text(numbers(row) + 0.0);
}

Column Column::at(const std::vector<Index>& chosen) const {
  Column out{name, {}, {}, {}, refusal, stored};
  if (is_stored()) return out;
  if (!is_words()) {
    out.numbers = numbers(chosen);
    return out;
  }
  std::vector<std::int32_t> to(levels.size(), -1);
  for (const Index i : chosen)
    if (const std::int32_t code = codes[std::size_t(i)]; code >= 0) to[std::size_t(code)] = 0;
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (to[k] == 0) {
      to[k] = std::int32_t(out.levels.size());
      out.levels.push_back(levels[k]);
    }
  out.codes.reserve(chosen.size());
  for (const Index i : chosen) {
    const std::int32_t code = codes[std::size_t(i)];
    out.codes.push_back(code < 0 ? -1 : to[std::size_t(code)]);
  }
  return out;
}

const Column* Columns::find(const std::string& name) const {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

ColumnsByName::ColumnsByName(const Columns& columns) {
  columns_.reserve(columns.all.size());
  for (const Column& column : columns.all) columns_.emplace(column.name, &column);
}

const Column* ColumnsByName::find(const std::string& name) const {
  const auto found = columns_.find(name);
  return found == columns_.end() ? nullptr : found->second;
}

std::vector<std::string> Columns::names() const {
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const Column& column : all) out.push_back(column.name);
  return out;
}

std::string level_text(std::string_view cell) {
  const auto number = parse_number(cell);
  return number ? number_text(*number + 0.0) : std::string(trim(cell));  // -0 is 0
}

Column column_of_texts(std::string name, const std::vector<std::string>& cells,
                       const std::string& where) {
  GrowingColumn column(std::move(name),
                       [where](Index line) { return sentence(where, ", line ", line); });
  std::vector<double> values;
  values.reserve(cells.size());
  for (const std::string& cell : cells)
    values.push_back(column.add(cell, Index(values.size()) + 1));
  column.begin(Index(cells.size()));
  for (const double value : values) column.put(value);
  return column.end();
}

std::string Columns::place(Index row, const std::string& where) const {
  if (lines.empty()) return sentence(where, ", row ", part.first + row + 1);
  const Index line = lines[std::size_t(row)];
  return files ? files->place(line) : sentence(where, ", line ", line);
}

Columns parse_columns(ByteSource& source, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  CsvRecords record(source, options.memory_limit, separator_of(source, options.header));
  CsvHead head = CsvHead::read(source, record, options);
  const std::size_t width = head.columns.size();
  if (head.label) head.chosen[*head.label] = true;
  std::vector<std::size_t> chosen;
  std::vector<GrowingColumn> growing;
  for (std::size_t j = 0; j < width; ++j)
    if (head.chosen[j]) {
      chosen.push_back(j);
      growing.emplace_back(head.columns[j],
                           [&source](Index line) { return source.place_in_file(line); });
    }
  if (chosen.empty()) fail(source, "no column is left");

  BlockQueue<double> values;
  Columns out;
  double words = 0.0;  // bytes
  const double fixed = double(sizeof(GrowingColumn)) * double(chosen.size());
  for (bool more = has_row(source, record, width, options); more;
       more = next_row(source, record, width)) {
    require_width(source, record, width, options.header);
    if (head.label && options.header && !is_missing(record[*head.label]))
      require_no_header(source, record.line(), head.columns[*head.label], record[*head.label]);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const double before = growing[k].bytes();
      values.push(growing[k].add(record[chosen[k]], source.line_in_file(record.line())));
      words += growing[k].bytes() - before;
    }
    out.lines.push_back(source.line_in_file(record.line()));
    ++out.rows;
    require_fits(source, double(out.rows), double(chosen.size()), options, record.line(),
                 fixed + words + double(sizeof(Index)) * double(out.rows));
  }
  if (out.rows == 0 && !source.is_part()) fail(source, "there is a header, but no row after it");

  for (GrowingColumn& column : growing) column.begin(out.rows);
  for (Index i = 0; i < out.rows; ++i)
    for (GrowingColumn& column : growing) {
      const double before = column.bytes();
      column.put(values.pop());
      words += column.bytes() - before;
      if (words > double(options.memory_limit))
        fail(source, "the different words of column ", shown(column.name()),
             " take more than the limit of ", gibibytes(double(options.memory_limit)));
    }
  for (GrowingColumn& column : growing) out.all.push_back(column.end());
  if (head.label) out.label = head.columns[*head.label];
  out.files = source.files();
  return out;
}

Columns columns_of_table(Table table) {
  Columns out;
  if (table.mixed) return *table.mixed;
  out.rows = table.rows();
  out.part = table.part;
  if (table.stored) {
    out.stored = table.stored;
    for (Index j = 0; j < table.stored->columns(); ++j)
      out.all.push_back({table.names[std::size_t(j)], {}, {}, {}, {}, j});
    return out;
  }
  if (table.sparse) {
    table.x = Matrix::Zero(out.rows, table.sparse->columns);
    for (Index i = 0; i < out.rows; ++i)
      table.sparse->each(i, [&](Index j, double v) { table.x(i, j) = v; });
  }
  for (Index j = 0; j < table.x.cols(); ++j)
    out.all.push_back({table.names[std::size_t(j)], table.x.col(j), {}, {}});
  table.x.resize(0, 0);
  if (table.label_name.empty() && table.labels.empty()) return out;
  out.label = table.label_name.empty() ? "label" : table.label_name;
  require(out.find(out.label) == nullptr, "there are two columns '", out.label,
          "': one of the data, and one of the labels");
  out.all.push_back(column_of_texts(out.label, table.labels, "the labels"));
  return out;
}

namespace {

void require_one_each(Index labels, const Table& table, const std::string& where) {
  if (labels != table.all_rows())
    throw FileError(sentence(where, ": has ", labels, " labels, but the data have ",
                             table.all_rows(), " rows"));
}

}  // namespace

Table with_label_column(const Table& table, Column labels, const std::string& where) {
  require_one_each(labels.rows(), table, where);
  if (table.mixed->find(labels.name) != nullptr)
    throw FileError(sentence(where, ": has the labels, but the data have a column ",
                             shown(labels.name), " too; leave that out (--drop)"));
  if (const RowPart here = table.rows_here(); !here.is_whole()) {
    std::vector<Index> ours(static_cast<std::size_t>(here.count));
    std::iota(ours.begin(), ours.end(), here.first);
    labels = labels.at(ours);
  }
  Columns columns = *table.mixed;
  columns.label = labels.name;
  columns.all.push_back(std::move(labels));
  if (columns.part.all > 0) columns = shared(std::move(columns));
  Table out = table_of_columns(std::move(columns));
  out.checksum = table.checksum;
  out.images = table.images;
  return out;
}

Table with_labels(Table table, const std::filesystem::path& file, const std::string& name,
                  const ReadOptions& options) {
  if (table.mixed)
    return with_label_column(
        table, together([&] { return read_label_column(file, name, options); }), file.string());
  std::vector<std::string> labels = together([&] { return read_labels(file, options); });
  require_one_each(Index(labels.size()), table, file.string());
  if (const RowPart here = table.rows_here(); !here.is_whole())
    labels = {labels.begin() + here.first, labels.begin() + here.first + here.count};
  table.label_name = name;
  table.labels = std::move(labels);
  return table;
}

Table table_of_columns(Columns columns) {
  Table out;
  out.names = columns.names();
  out.label_name = columns.label;
  out.part = columns.part;
  out.mixed = std::make_shared<const Columns>(std::move(columns));
  return out;
}

bool stays_on_disk(const Table& table) {
  return table.stored != nullptr || (table.mixed && table.mixed->stored);
}

Table read_rows(const Table& table, Index first, Index count) {
  if (!table.mixed) {
    Table out;
    out.names = table.names;
    out.x = table.stored->block(first, count);
    return out;
  }
  const Columns& from = *table.mixed;
  const Matrix x = from.stored->block(first, count);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  Columns out;
  out.rows = count;
  out.label = from.label;
  for (const Column& column : from.all)
    out.all.push_back(column.is_stored() ? Column{column.name, x.col(column.stored), {}, {}}
                                         : column.at(rows));
  return table_of_columns(std::move(out));
}

}  // namespace fisherman
