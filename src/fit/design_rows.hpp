// Rows of a table as a plan sees them: which are kept, and the columns that it takes, without gaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "column_scale.hpp"
#include "design_columns.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/fit/design.hpp"

namespace fisherman {

class RowMaker {
 public:
  /// Throws FileError for a value that is missing where it must not be.
  RowMaker(const DesignPlan& plan, const Columns& data, const std::string& where, RowsFor purpose);

  const std::vector<Index>& kept() const { return kept_; }
  Index rows() const { return Index(kept_.size()); }
  /// Number of rows that were left out, on all ranks.
  Index dropped() const { return dropped_; }

  /// The sum of leaf(first, count) over the rows that are kept, those of a group of the table's rows at a time.
  template <class T, class Leaf>
  T sum(const Leaf& leaf) const {
    const RowPart part = data_.rows_here();
    const auto place = [&](Index row) {
      return std::lower_bound(kept_.begin(), kept_.end(), row) - kept_.begin();
    };
    return sum_over_rows<T>(part.all, [&](Index first, Index count) {
      const Index from = place(part.at(first, count)), end = place(part.at(first, count) + count);
      return leaf(from, end - from);
    });
  }
  /// For standardising: of some columns, by the rows' weights, if there are any. block(first, count) has their numbers in
  /// some of the rows that are kept, one column each.
  std::vector<ColumnScale> scales_of(const std::vector<std::string>& names, const Vector& weights,
                                     const std::function<Matrix(Index, Index)>& block) const;
  /// Of one number for each row.
  ColumnScale scale_of(const Vector& values, const Vector& weights, const std::string& name) const;
  /// Rows stay in their file. None of them can be left out then.
  bool stored() const { return data_.stored != nullptr; }
  /// Where a row that is kept is in the file.
  Index in_file(Index row) const { return data_.rows_here().first + row; }

  const Column& column(const std::string& name) const;
  /// Throw FileError, with the row, for words and levels that the plan does not know.
  ReadySource ready(const DesignPlan::Source& source) const;
  std::vector<ReadySource> ready_sources() const;
  /// -1 for a level that the plan does not know.
  std::vector<std::int32_t> places(const DesignPlan::Group& group) const;
  /// Numbers, none of them missing.
  Vector numbers(const std::string& name) const;
  Vector weights() const;
  Vector trials() const;

 private:
  bool fills() const;
  Vector numbers_here(const std::string& name) const;
  void keep_all_but_missing();
  void require_values() const;
  std::vector<std::string> strict_columns() const;
  std::vector<std::int32_t> places(const Column& column,
                                   const std::vector<std::string>& levels) const;
  template <class... Parts>
  [[noreturn]] void fail_in_row(Index row, const std::string& column, const Parts&... what) const;

  const DesignPlan& plan_;
  const Columns& data_;
  ColumnsByName by_name_;
  const std::string& where_;
  RowsFor purpose_;
  std::vector<Index> kept_;
  Index dropped_ = 0;
};

/// Throws Misuse if a matrix of that size has no room beside the data.
void require_room_for_design(double rows, double coefficients, const Columns& data);

}  // namespace fisherman
