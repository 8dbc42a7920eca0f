#include "fisherman/core/row_blocks.hpp"

namespace fisherman {

std::shared_ptr<const RowBlocks> picked_columns(std::shared_ptr<const RowBlocks> from,
                                                std::vector<Index> columns) {
  const auto count = Index(columns.size());
  return std::make_shared<const MappedRows>(
      std::move(from), count,
      [columns = std::move(columns)](const Matrix& x) { return Matrix(x(Eigen::all, columns)); });
}

Matrix ChosenRows::block(Index first, Index count) const {
  constexpr Index most =
      4096;  // rows that are read at a time, however far the chosen ones lie apart
  Matrix out(count, columns());
  for (Index at = 0; at < count;) {
    const Index begin = rows_[std::size_t(first + at)];
    Index some = 1;
    while (at + some < count && rows_[std::size_t(first + at + some)] < begin + most) ++some;
    const Index last = rows_[std::size_t(first + at + some - 1)];
    const Matrix between = from_->block(begin, last + 1 - begin);
    for (Index k = 0; k < some; ++k)
      out.row(at + k) = between.row(rows_[std::size_t(first + at + k)] - begin);
    at += some;
  }
  return out;
}

Matrix ChosenRows::chosen(const std::vector<Index>& rows) const {
  std::vector<Index> there;
  there.reserve(rows.size());
  for (const Index i : rows) there.push_back(rows_[std::size_t(i)]);
  return from_->chosen(there);
}

}  // namespace fisherman
