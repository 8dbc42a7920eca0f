// Where a column of the data lies and how wide it spreads, for standardising it.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

struct ColumnScale {
  double mean, sd, largest;  // `largest` in absolute value

  /// But for rounding.
  bool constant() const { return !(sd > 1e-14 * largest); }
};

/// Throws Misuse if the column's values are so large that their squares overflow: standardised, it would hold NaN.
inline void require_standardisable(const ColumnScale& column, const std::string& name) {
  require(std::isfinite(column.mean) && std::isfinite(column.sd), "column '", name,
          "' has values as large as ", column.largest,
          ", which cannot be standardised: their squares are beyond the range of a double");
}

/// Together: of a table of numbers, dense or sparse, wherever they are, over the rows of all ranks.
std::vector<ColumnScale> column_scales(const Table& table);

}  // namespace fisherman
