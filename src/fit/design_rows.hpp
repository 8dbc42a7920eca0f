// Rows of a table as a plan sees them: which are kept, and the columns that it takes, without gaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design_columns.hpp"
#include "fisherman/fit/design.hpp"

namespace fisherman {

class RowMaker {
 public:
  /// Throws FileError for a value that is missing where it must not be.
  RowMaker(const DesignPlan& plan, const Columns& data, const std::string& where, RowsFor purpose);

  const std::vector<Index>& kept() const { return kept_; }
  Index rows() const { return Index(kept_.size()); }
  /// Rows were left out, so many of them.
  Index dropped() const { return data_.rows - rows(); }

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
};

/// Throws Misuse if a matrix of that size has no room beside the data.
void require_room_for_design(double rows, double coefficients, const Columns& data);

}  // namespace fisherman
