// Tables of which ranks have read parts, as one.
#include <algorithm>
#include <map>
#include <set>

#include "fisherman/core/row_parts.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {
namespace {

/// Texts or whole numbers, one for each row, on the ranks that have the rows.
template <class T>
std::vector<T> dealt_values(const std::vector<T>& values, const RowPart& here) {
  if (rank_count() == 1) return values;
  std::vector<T> out;
  for (std::string& bytes : detail::dealt_messages(here, [&](Index first, Index count) {
         const auto from = values.begin() + (count > 0 ? first : 0);
         return as_message(std::vector<T>(from, from + count));
       }))
    for (T& value : from_message<std::vector<T>>(std::move(bytes))) out.push_back(std::move(value));
  return out;
}

/// A column of words on one rank is one on all, with the levels of all.
void unite(Column& column) {
  const bool words = largest_of_ranks(column.is_words() ? 1 : 0) > 0;
  if (!words) return;
  // A reason to refuse must be one for every rank that has words.
  const bool useful = largest_of_ranks(column.is_words() && column.refusal.empty() ? 1 : 0) > 0;
  std::string refusal;
  for (const std::string& one : from_each_rank(column.refusal))
    if (refusal.empty()) refusal = one;
  column.refusal = useful ? "" : refusal;
  std::vector<std::string> cells;  // numbers among words are words
  if (!column.is_words())
    for (Index i = 0; i < column.rows(); ++i) cells.push_back(column.text(i));
  const std::set<std::string> mine(column.is_words() ? column.levels.begin() : cells.begin(),
                                   column.is_words() ? column.levels.end() : cells.end());
  std::set<std::string> all;
  for (const auto& levels : from_each_rank(std::vector<std::string>(mine.begin(), mine.end())))
    all.insert(levels.begin(), levels.end());
  all.erase("");  // what is missing
  std::vector<std::string> levels(all.begin(), all.end());
  std::sort(levels.begin(), levels.end(), label_before);
  std::map<std::string, std::int32_t> code;
  for (std::size_t k = 0; k < levels.size(); ++k) code.emplace(levels[k], std::int32_t(k));
  if (column.is_words()) {
    for (std::int32_t& c : column.codes)
      if (c >= 0) c = code.at(column.levels[std::size_t(c)]);
  } else {
    for (const std::string& cell : cells) column.codes.push_back(cell.empty() ? -1 : code.at(cell));
    column.numbers.resize(0);
  }
  column.levels = std::move(levels);
}

}  // namespace

Columns shared(Columns columns) {
  const std::vector<std::string> names = from_first_rank(columns.names());
  columns.label = from_first_rank(columns.label);
  if (columns.all.empty())  // a rank that did not read
    for (const std::string& name : names) columns.all.push_back({name, {}, {}, {}});
  const RowPart here = rows_here(columns.rows);
  for (Column& column : columns.all) {
    if (column.is_stored()) continue;
    unite(column);
    if (column.is_words()) {
      column.codes = dealt_values(column.codes, here);
    } else {
      const Matrix row = column.numbers.transpose();
      column.numbers = dealt(Matrix(row)).transpose();
    }
  }
  if (largest_of_ranks(columns.lines.empty() ? 0 : 1) > 0)
    columns.lines = dealt_values(columns.lines, here);
  columns.part = RowPart::of_rank(here.all);
  columns.rows = columns.part.count;
  return columns;
}

Table shared(Table table, const ReadOptions& options) {
  table.names = from_first_rank(table.names);
  table.label_name = from_first_rank(table.label_name);
  table.checksum = from_first_rank(table.checksum);
  table.images = from_first_rank(int(table.images)) != 0;
  if (options.mixed) {
    Columns columns = shared(table.mixed ? *table.mixed : Columns());
    table.part = columns.part;
    table.mixed = std::make_shared<const Columns>(std::move(columns));
    return table;
  }
  const RowPart here = rows_here(table.rows());
  if (largest_of_ranks(table.sparse ? 1 : 0) > 0) {  // LIBSVM: as wide as the widest part
    SparseRows rows = table.sparse ? *table.sparse : SparseRows();
    table.sparse.reset();
    rows.columns = largest_of_ranks(rows.columns);
    table.names = numbered_names(rows.columns);
    double entries = 0.0;
    for (const std::int64_t some : from_each_rank(rows.entries())) entries += double(some);
    rows = dealt(std::move(rows));
    if (options.sparse && entries < 0.25 * double(here.all) * double(rows.columns))
      table.sparse = std::make_shared<const SparseRows>(std::move(rows));
    else
      table.x = rows.dense();
  } else {
    const Matrix rows = table.x.transpose();
    table.x.resize(0, 0);
    table.x =
        dealt(Matrix(rows.size() > 0 ? rows : Matrix(Index(table.names.size()), 0))).transpose();
  }
  if (largest_of_ranks(table.labels.empty() ? 0 : 1) > 0)
    table.labels = dealt_values(table.labels, here);
  table.part = RowPart::of_rank(here.all);
  return table;
}

}  // namespace fisherman
