#include "fisherman/fit/fitted.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fisherman/core/error.hpp"

namespace fisherman {

ClassLabels FitData::class_labels() const {
  if (classes.empty()) return fisherman::class_labels(table.labels, labels_where);
  require(classes.size() >= 2, "there is one class only, but two are needed");
  return {codes, classes};
}

BinaryLabels FitData::binary_labels() const {
  if (classes.empty()) return fisherman::binary_labels(table.labels, labels_where);
  require(classes.size() == 2, "there are ", classes.size(), " classes, but must be two");
  Vector y{Index(codes.size())};
  for (std::size_t i = 0; i < codes.size(); ++i) y(Index(i)) = double(codes[i]);
  return {std::move(y), {classes[0], classes[1]}};
}

namespace {

[[noreturn]] void throw_no_column(const std::string& where, const std::string& name) {
  throw FileError(sentence(where, ": has no column '", name, "', which the fit was made with"));
}

std::vector<Index> places_of(const std::vector<std::string>& names, const Table& table,
                             const std::string& where) {
  std::vector<Index> out;
  for (const std::string& name : names) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found == table.names.end()) throw_no_column(where, name);
    out.push_back(found - table.names.begin());
  }
  return out;
}

}  // namespace

Matrix columns_of(const Table& table, const std::vector<std::string>& names,
                  const std::string& where) {
  const LentRows given = table.dense();
  if (table.names == names) return given;
  return given(Eigen::all, places_of(names, table, where));
}

Table with_columns(const Table& table, const std::vector<std::string>& names,
                   const std::string& where) {
  Table out;
  out.names = names;
  out.part = table.part;
  if (table.names == names) {
    out.x = table.x;
    out.sparse = table.sparse;
    out.lent = table.lent;
    out.stored = table.stored;
  } else if (table.stored) {
    out.stored = picked_columns(table.stored, places_of(names, table, where));
  } else if (!table.sparse) {
    out.x = columns_of(table, names, where);
  } else {
    std::unordered_map<std::string, std::int32_t> place;
    for (std::size_t k = 0; k < names.size(); ++k) place.emplace(names[k], std::int32_t(k));
    std::vector<std::int32_t> to(table.names.size(), -1);
    std::size_t found = 0;
    for (std::size_t j = 0; j < to.size(); ++j)
      if (const auto at = place.find(table.names[j]); at != place.end()) {
        to[j] = at->second;
        ++found;
      }
    for (const std::string& name : names)
      if (found < names.size() &&
          std::find(table.names.begin(), table.names.end(), name) == table.names.end())
        throw_no_column(where, name);
    SparseRows rows;
    rows.columns = Index(names.size());
    std::vector<std::pair<std::int32_t, double>> row;
    for (Index i = 0; i < table.rows(); ++i) {
      row.clear();
      table.sparse->each(i, [&](Index j, double v) {
        if (to[std::size_t(j)] >= 0) row.emplace_back(to[std::size_t(j)], v);
      });
      std::sort(row.begin(), row.end());
      for (const auto& [column, value] : row) {
        rows.column.push_back(column);
        rows.value.push_back(value);
      }
      rows.close_row();
    }
    out.sparse = std::make_shared<const SparseRows>(std::move(rows));
  }
  return out;
}

void Output::describe(Options& o) {
  o.add("draws", draws, "number of draws in draws.csv (needs --out)");
  describe_units(o, units, "units of the coefficients in tables and in draws.csv");
}

Matrix Fitted::transform(const Table& /*rows*/, const std::string& /*where*/) const {
  throw Misuse("a fit of this kind has no components");
}

FittedDraws Fitted::draws(Index /*count*/, std::uint64_t /*seed*/, Units /*units*/) const {
  throw Misuse("a fit of this kind has no draws");
}

}  // namespace fisherman
