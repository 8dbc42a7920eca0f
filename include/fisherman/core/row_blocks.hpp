// Rows of numbers that are read, or made, when somebody asks for them, so that they need not all be in memory at a time.
#pragma once

#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

class RowBlocks {
 public:
  virtual ~RowBlocks() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  /// `count` rows from `first` on. Several threads may ask at a time.
  virtual Matrix block(Index first, Index count) const = 0;
  /// Some rows, in any order.
  virtual Matrix chosen(const std::vector<Index>& rows) const = 0;
};

}  // namespace fisherman
