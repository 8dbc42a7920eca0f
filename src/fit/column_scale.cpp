#include "column_scale.hpp"

#include <algorithm>
#include <tuple>

#include "fisherman/core/row_parts.hpp"

namespace fisherman {
namespace {

/// use(columns) for rows of a table as columns of p numbers: where they are if a row lies in one piece, otherwise copied.
template <class Use>
auto with_rows(const Table& table, Index first, Index count, Use use) {
  using Columns = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  const auto copied = [&](const Matrix& x) {
    return use(Columns(x.data(), x.rows(), count, Eigen::OuterStride<>(x.rows())));
  };
  if (table.stored) return copied(table.stored->block(first, count).transpose());
  const LentRows x = table.dense();
  const Index here = table.rows_here().at(first, count);
  if (x.outerStride() == 1)
    return use(Columns(x.data() + here * x.innerStride(), x.cols(), count,
                       Eigen::OuterStride<>(x.innerStride())));
  return copied(x.middleRows(here, count).transpose());
}

/// Of each column, about the first row: where it is far from the mean the variance is as large.
struct ColumnSums {
  Eigen::ArrayXd sum, squares, largest;
  explicit ColumnSums(Index columns = 0)
      : sum(Eigen::ArrayXd::Zero(columns)), squares(sum), largest(sum) {}
  ColumnSums& operator+=(const ColumnSums& other) {
    sum += other.sum;
    squares += other.squares;
    largest = largest.max(other.largest);
    return *this;
  }
  auto fields() { return std::tie(sum, squares, largest); }
};

/// The first row of all.
Eigen::ArrayXd first_row(const Table& table) {
  const RowPart part = table.rows_here();
  const Matrix here = part.has(0) ? with_rows(table, 0, 1, [](const auto& x) { return Matrix(x); })
                                  : Matrix(table.columns(), 0);
  return collected(here, part, {0});
}

/// Row by row, so that the order in which the numbers lie changes no bit.
std::vector<ColumnScale> dense_scales(const Table& table) {
  const double n = double(table.all_rows());
  const Index p = table.columns();
  const Eigen::ArrayXd origin = first_row(table);
  const auto sums = sum_over_rows<ColumnSums>(table.all_rows(), [&](Index first, Index count) {
    return with_rows(table, first, count, [&](const auto& rows) {
      ColumnSums out(p);
      for (Index i = 0; i < count; ++i) {
        const auto row = rows.col(i).array();
        out.sum += row - origin;
        out.squares += (row - origin).square();
        out.largest = out.largest.max(row.abs());
      }
      return out;
    });
  });
  std::vector<ColumnScale> out;
  for (Index j = 0; j < p; ++j) {
    const double away = sums.sum(j) / n, square = sums.squares(j) / n - away * away;
    // Not max(0, ·): a square that is not a number must stay so.
    out.push_back({origin(j) + away, square < 0.0 ? 0.0 : std::sqrt(square), sums.largest(j)});
  }
  return out;
}

std::vector<ColumnScale> sparse_scales(const SparseRows& x, const RowPart& part) {
  const double n = double(part.all);
  const auto sum = [&](const auto& add) {
    return sum_over_rows<ColumnSums>(part.all, [&](Index first, Index count) {
      ColumnSums out(x.columns);
      const Index here = part.at(first, count);
      for (Index i = here; i < here + count; ++i)
        x.each(i, [&](Index j, double v) { add(out, j, v); });
      return out;
    });
  };
  const ColumnSums plain = sum([](ColumnSums& out, Index j, double v) {
    out.sum(j) += v;
    out.squares(j) += 1.0;  // entries
    out.largest(j) = std::max(out.largest(j), std::abs(v));
  });
  const Eigen::ArrayXd mean = plain.sum / n;
  const ColumnSums about = sum(
      [&](ColumnSums& out, Index j, double v) { out.squares(j) += (v - mean(j)) * (v - mean(j)); });
  std::vector<ColumnScale> out;
  for (Index j = 0; j < x.columns; ++j) {
    const double zeros = n - plain.squares(j);
    out.push_back(
        {mean(j), std::sqrt((about.squares(j) + zeros * mean(j) * mean(j)) / n), plain.largest(j)});
  }
  return out;
}

}  // namespace

std::vector<ColumnScale> column_scales(const Table& table) {
  std::vector<ColumnScale> out =
      table.sparse ? sparse_scales(*table.sparse, table.rows_here()) : dense_scales(table);
  for (std::size_t j = 0; j < out.size(); ++j) require_standardisable(out[j], table.names[j]);
  return out;
}

}  // namespace fisherman
