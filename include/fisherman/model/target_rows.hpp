// The rows that a target sums over: a matrix in memory, or rows that are read again in every pass; all of them, or one rank's
// part. A target asks for blocks of them and need not know which it is.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fisherman/core/row_blocks.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

class TargetRows {
 public:
  /// One row an observation, all finite. They may be one rank's part of all, if they were dealt (core/row_parts.hpp). Copies
  /// share them.
  TargetRows(Matrix x, std::optional<RowPart> part = std::nullopt);  // NOLINT: it is one
  template <class Expression>
  TargetRows(const Eigen::EigenBase<Expression>& x)  // NOLINT
      : TargetRows(Matrix(x.derived())) {}
  /// All rows, of which a part may be summed over here.
  TargetRows(std::shared_ptr<const RowBlocks> blocks,  // NOLINT
             std::optional<RowPart> part = std::nullopt);

  Index columns() const { return x_ ? x_->cols() : blocks_->columns(); }
  /// Of all ranks; and those that are here.
  Index count() const { return part_.all; }
  const RowPart& part() const { return part_; }
  bool in_memory() const { return x_ != nullptr; }
  /// All that are here, unless they are read again in every pass: then this throws Misuse.
  const Matrix& matrix() const;
  /// Some of the rows that are here; they count from the first of all ranks.
  Matrix block(Index first, Index count) const;
  /// Together, if they are a part of all: some rows of all, in any order.
  Matrix chosen(const std::vector<Index>& rows) const;
  double bytes() const { return x_ ? double(x_->size()) * double(sizeof(double)) : 0.0; }

 private:
  std::shared_ptr<const Matrix> x_;
  std::shared_ptr<const RowBlocks> blocks_;  // in place of x_
  RowPart part_;
};

}  // namespace fisherman
