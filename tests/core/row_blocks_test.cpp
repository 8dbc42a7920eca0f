// Rows that are made of others' rows, and rows that are some of others, are those of the matrix.
#include "fisherman/core/row_blocks.hpp"

#include "memory_blocks.hpp"
#include "toy.hpp"

#include <gtest/gtest.h>

namespace fisherman::core_row_blocks_test {
namespace {

void expect_rows(const RowBlocks& blocks, const Matrix& x) {
  EXPECT_EQ(blocks.rows(), x.rows());
  EXPECT_EQ(blocks.columns(), x.cols());
  EXPECT_EQ(blocks.block(0, x.rows()), x);
  EXPECT_EQ(blocks.block(3, 5), x.middleRows(3, 5));
  EXPECT_EQ(blocks.block(3, 0).rows(), 0);
  const std::vector<Index> some = {7, 0, 7};
  EXPECT_EQ(blocks.chosen(some), x(some, Eigen::all));
}

TEST(RowBlocks, AreMadeOfOthers) {
  const Matrix x = toy::random_matrix(10, 4, 1);
  const auto from = std::make_shared<const MemoryBlocks>(x);
  expect_rows(MappedRows(from, 5,
                         [](const Matrix& rows) {
                           Matrix out(rows.rows(), 5);
                           out << 2.0 * rows, rows.col(1);
                           return out;
                         }),
              (Matrix(10, 5) << 2.0 * x, x.col(1)).finished());
  expect_rows(*picked_columns(from, {3, 0}), x(Eigen::all, std::vector<Index>{3, 0}));
}

/// Never asked for more rows at a time than there is room for.
class Guarded final : public RowBlocks {
 public:
  Index rows() const override { return 20000; }
  Index columns() const override { return 1; }
  Matrix block(Index first, Index count) const override {
    EXPECT_LE(count, 4096);
    return Vector::LinSpaced(count, double(first), double(first + count - 1));
  }
  Matrix chosen(const std::vector<Index>& rows) const override {
    Matrix out(Index(rows.size()), 1);
    for (std::size_t k = 0; k < rows.size(); ++k) out(Index(k)) = double(rows[k]);
    return out;
  }
};

TEST(RowBlocks, AreChosenOfOthers) {
  const auto from = std::make_shared<const Guarded>();
  for (const Index step : {1, 3, 4095, 4097}) {
    std::vector<Index> list;
    for (Index i = 17; i < 20000 && list.size() < 9000; i += step) list.push_back(i);
    if (list.size() < 8) list = {0, 1, 2, 3, 4096, 4097, 8192, 19999};
    const auto n = Index(list.size());
    Matrix x(n, 1);
    for (Index k = 0; k < n; ++k) x(k) = double(list[std::size_t(k)]);
    expect_rows(ChosenRows(from, list), x);
  }
}

}  // namespace
}  // namespace fisherman::core_row_blocks_test
