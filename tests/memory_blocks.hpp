// Rows in memory that are seen through blocks, as if they stayed in a file.
#pragma once

#include <utility>

#include "fisherman/core/row_blocks.hpp"

namespace fisherman {

class MemoryBlocks final : public RowBlocks {
 public:
  explicit MemoryBlocks(Matrix x) : x_(std::move(x)) {}
  Index rows() const override { return x_.rows(); }
  Index columns() const override { return x_.cols(); }
  Matrix block(Index first, Index count) const override { return x_.middleRows(first, count); }
  Matrix chosen(const std::vector<Index>& rows) const override { return x_(rows, Eigen::all); }

 private:
  Matrix x_;
};

}  // namespace fisherman
