// Rows of numbers that are read, or made, when somebody asks for them, so that they need not all be in memory at a time.
#pragma once

#include <functional>
#include <memory>
#include <utility>
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

/// Rows of which each is made of one of others.
class MappedRows final : public RowBlocks {
 public:
  /// From some rows to as many.
  using Map = std::function<Matrix(Matrix)>;
  MappedRows(std::shared_ptr<const RowBlocks> from, Index columns, Map map)
      : from_(std::move(from)), columns_(columns), map_(std::move(map)) {}

  Index rows() const override { return from_->rows(); }
  Index columns() const override { return columns_; }
  Matrix block(Index first, Index count) const override { return map_(from_->block(first, count)); }
  Matrix chosen(const std::vector<Index>& rows) const override { return map_(from_->chosen(rows)); }

 private:
  std::shared_ptr<const RowBlocks> from_;
  Index columns_;
  Map map_;
};

/// Some of others' columns.
std::shared_ptr<const RowBlocks> picked_columns(std::shared_ptr<const RowBlocks> from,
                                                std::vector<Index> columns);

/// Some of others' rows, in ascending order. A block is picked out of the rows from its first to its last.
class ChosenRows final : public RowBlocks {
 public:
  ChosenRows(std::shared_ptr<const RowBlocks> from, std::vector<Index> rows)
      : from_(std::move(from)), rows_(std::move(rows)) {}

  Index rows() const override { return Index(rows_.size()); }
  Index columns() const override { return from_->columns(); }
  Matrix block(Index first, Index count) const override;
  Matrix chosen(const std::vector<Index>& rows) const override;

 private:
  std::shared_ptr<const RowBlocks> from_;
  std::vector<Index> rows_;
};

}  // namespace fisherman
