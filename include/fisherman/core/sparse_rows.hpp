// A table of which most entries are zero: of each row the others, with their columns in ascending order (CSR).
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

struct SparseRows {
  Index columns = 0;
  std::vector<std::int64_t> begin = {
      0};  // where a row begins among the entries, and where the last one ends
  std::vector<std::int32_t> column;  // of each entry
  std::vector<double> value;

  Index rows() const { return Index(begin.size()) - 1; }
  std::int64_t entries() const { return std::int64_t(value.size()); }
  double bytes() const {
    return double(sizeof(std::int32_t) + sizeof(double)) * double(entries()) +
           double(sizeof(std::int64_t)) * double(begin.size());
  }
  /// body(column, value) for each entry of a row.
  template <class Body>
  void each(Index row, Body body) const {
    for (auto at = std::size_t(begin[std::size_t(row)]);
         at < std::size_t(begin[std::size_t(row) + 1]); ++at)
      body(Index(column[at]), value[at]);
  }
  void close_row() { begin.push_back(entries()); }
  /// One more row, which another table has.
  void append(const SparseRows& from, Index row) {
    const auto first = from.begin[std::size_t(row)], end = from.begin[std::size_t(row) + 1];
    column.insert(column.end(), from.column.begin() + first, from.column.begin() + end);
    value.insert(value.end(), from.value.begin() + first, from.value.begin() + end);
    close_row();
  }
  auto fields() { return std::tie(columns, begin, column, value); }  // for core/ranks.hpp

  Matrix dense() const {
    Matrix out = Matrix::Zero(rows(), columns);
    for (Index i = 0; i < rows(); ++i) each(i, [&](Index j, double v) { out(i, j) = v; });
    return out;
  }

  /// Throws Misuse unless it is what the comments above say.
  void check() const {
    require(!begin.empty() && begin.front() == 0 && begin.back() == entries() &&
                column.size() == value.size(),
            "the rows of a sparse table do not fit its entries");
    for (Index i = 0; i < rows(); ++i) {
      const std::int64_t first = begin[std::size_t(i)], end = begin[std::size_t(i) + 1];
      require(first <= end && end <= entries(), "row ", i + 1,
              " of a sparse table ends before it begins");
      for (std::int64_t at = first; at < end; ++at) {
        const Index j = column[std::size_t(at)];
        require(j >= 0 && j < columns, "row ", i + 1, " of a sparse table has an entry in column ",
                j + 1, " of ", columns);
        require(at == first || column[std::size_t(at) - 1] < j, "row ", i + 1,
                " of a sparse table has columns that do not ascend");
      }
    }
  }
};

}  // namespace fisherman
