#include "fisherman/model/target_rows.hpp"

#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"

namespace fisherman {

TargetRows::TargetRows(Matrix x, std::optional<RowPart> part)
    : x_(std::make_shared<const Matrix>(std::move(x))),
      part_(part.value_or(RowPart::whole(x_->rows()))) {
  require(x_->rows() == part_.count, "there are ", x_->rows(), " rows, but there should be ",
          part_.count);
  require(x_->allFinite(), "the design matrix holds a NaN or an infinity");
}

TargetRows::TargetRows(std::shared_ptr<const RowBlocks> blocks, std::optional<RowPart> part)
    : blocks_(std::move(blocks)), part_(part.value_or(RowPart::whole(blocks_->rows()))) {
  require(blocks_->rows() == part_.all, "there are ", blocks_->rows(),
          " rows, but there should be ", part_.all);
}

const Matrix& TargetRows::matrix() const {
  require(in_memory(), "the rows of this fit are not in memory");
  return *x_;
}

Matrix TargetRows::block(Index first, Index count) const {
  const Index here = part_.at(first, count);
  return x_ ? Matrix(x_->middleRows(here, count)) : blocks_->block(first, count);
}

Matrix TargetRows::chosen(const std::vector<Index>& rows) const {
  if (!x_) return blocks_->chosen(rows);
  if (part_.is_whole()) return (*x_)(rows, Eigen::all);
  return collected_by(part_, rows,
                      [&](const std::vector<Index>& ours) {
                        return Matrix((*x_)(ours, Eigen::all).transpose());
                      })
      .transpose();
}

}  // namespace fisherman
