// A design matrix whose rows are made of a file's when somebody asks for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fisherman/core/row_blocks.hpp"
#include "fisherman/fit/design.hpp"

namespace fisherman {

/// The columns of a plan's terms, as they are before they are standardised. All its sources are of numbers that stay in a
/// file.
class TermBlocks {
 public:
  TermBlocks(const DesignPlan& plan, const Columns& data);

  Index columns() const { return Index(plan_.terms_.size()); }
  /// Rows of the file, those of all ranks counted.
  Matrix block(Index first, Index count) const { return terms(stored_->block(first, count)); }
  Matrix chosen(const std::vector<Index>& rows) const { return terms(stored_->chosen(rows)); }
  Index rows() const { return stored_->rows(); }

 private:
  Matrix terms(const Matrix& file_rows) const;

  DesignPlan plan_;
  std::shared_ptr<const RowBlocks> stored_;
  std::vector<Index> places_;  // of the sources in the file
};

/// The same standardised, with the intercept if there is one.
class DesignBlocks final : public RowBlocks {
 public:
  DesignBlocks(const DesignPlan& plan, const Columns& data, std::string where);
  Index rows() const override { return terms_.rows(); }
  Index columns() const override { return terms_.columns() + (intercept_ ? 1 : 0); }
  Matrix block(Index first, Index count) const override {
    return standardised(terms_.block(first, count));
  }
  Matrix chosen(const std::vector<Index>& rows) const override {
    return standardised(terms_.chosen(rows));
  }

 private:
  Matrix standardised(Matrix x) const;

  TermBlocks terms_;
  Vector shift_, scale_;
  bool intercept_;
  std::vector<std::string> names_;
  std::string where_;
};

}  // namespace fisherman
