// What is done to the features before a reduced-rank fit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../column_scale.hpp"
#include "defaults.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/fit/reduced_rank.hpp"
#include "skinny.hpp"

namespace fisherman {
namespace {

/// Rows as columns of p numbers: where they are if a row lies in one piece, otherwise copied.
template <class Use>
auto with_rows(const LentRows& x, Index first, Index count, Use use) {
  using Columns = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  if (x.outerStride() == 1)
    return use(Columns(x.data() + first * x.innerStride(), x.cols(), count,
                       Eigen::OuterStride<>(x.innerStride())));
  const Matrix some = x.middleRows(first, count).transpose();
  return use(Columns(some.data(), x.cols(), count, Eigen::OuterStride<>(x.cols())));
}

/// Of each column, about the first row: where it is far from the mean the variance is as large.
struct ColumnSums {
  Eigen::ArrayXd sum, squares, largest;
  ColumnSums& operator+=(const ColumnSums& other) {
    sum += other.sum;
    squares += other.squares;
    largest = largest.max(other.largest);
    return *this;
  }
};

/// Row by row, so that the order in which the numbers lie changes no bit.
std::vector<ColumnScale> dense_scales(const LentRows& x, const std::vector<std::string>& names) {
  const double n = double(x.rows());
  const Eigen::ArrayXd origin = x.row(0).transpose();
  const ColumnSums sums = sum_over_rows<ColumnSums>(x.rows(), [&](Index first, Index count) {
    return with_rows(x, first, count, [&](const auto& rows) {
      const Eigen::ArrayXd zero = Eigen::ArrayXd::Zero(x.cols());
      ColumnSums out{zero, zero, zero};
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
  for (Index j = 0; j < x.cols(); ++j) {
    const double away = sums.sum(j) / n, square = sums.squares(j) / n - away * away;
    // Not max(0, ·): a square that is not a number must stay so.
    out.push_back({origin(j) + away, square < 0.0 ? 0.0 : std::sqrt(square), sums.largest(j)});
    require_standardisable(out.back(), names[std::size_t(j)]);
  }
  return out;
}

std::vector<ColumnScale> sparse_scales(const SparseRows& x, const std::vector<std::string>& names) {
  const double n = double(x.rows());
  std::vector<ColumnScale> out(std::size_t(x.columns), ColumnScale{});
  std::vector<double> squares(out.size(), 0.0);
  std::vector<std::int64_t> entries(out.size(), 0);
  for (std::size_t at = 0; at < x.value.size(); ++at) {
    ColumnScale& column = out[std::size_t(x.column[at])];
    column.mean += x.value[at] / n;
    column.largest = std::max(column.largest, std::abs(x.value[at]));
  }
  for (std::size_t at = 0; at < x.value.size(); ++at) {
    const auto j = std::size_t(x.column[at]);
    const double away = x.value[at] - out[j].mean;
    squares[j] += away * away;
    ++entries[j];
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double zeros = n - double(entries[j]);
    out[j].sd = std::sqrt((squares[j] + zeros * out[j].mean * out[j].mean) / n);
    require_standardisable(out[j], names[j]);
  }
  return out;
}

}  // namespace

FeatureMap FeatureMap::of(const Table& table, FeatureScale how, bool centred) {
  require(how != FeatureScale::automatic,
          "--scale is auto, but must have been decided: one of pixel|standardize|none");
  const bool pixel = how == FeatureScale::pixel, standardize = how == FeatureScale::standardize;
  FeatureMap map;
  map.names = table.names;
  const std::vector<ColumnScale> columns = table.sparse ? sparse_scales(*table.sparse, map.names)
                                                        : dense_scales(table.dense(), map.names);
  std::vector<double> shifts, scales;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const ColumnScale& column = columns[j];
    if (standardize || centred ? column.constant() : column.largest == 0.0) continue;
    shifts.push_back(standardize || centred ? column.mean : 0.0);
    scales.push_back(standardize ? column.sd : pixel ? 255.0 : 1.0);
    map.kept.push_back(Index(j));
  }
  require(!map.kept.empty(), "all features are constant: there is nothing to fit");
  map.shift = Eigen::Map<const Vector>(shifts.data(), Index(shifts.size()));
  map.scale = Eigen::Map<const Vector>(scales.data(), Index(scales.size()));
  return map;
}

namespace {

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> dense_design(const FeatureMap& map,
                                                                   const LentRows& x,
                                                                   const std::vector<Index>& rows) {
  const Index p = Index(map.kept.size());
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> out(p, Index(rows.size()));
  const Vector factor = map.scale.cwiseInverse();
  for_row_groups(out.cols(), [&](Index first, Index count) {
    Vector row(p);
    for (Index i = first; i < first + count; ++i) {
      const double* const from = x.data() + rows[std::size_t(i)] * x.innerStride();
      for (Index j = 0; j < p; ++j) row(j) = from[map.kept[std::size_t(j)] * x.outerStride()];
      out.col(i) = (row - map.shift).cwiseProduct(factor).template cast<Scalar>();
    }
  });
  return out;
}

DesignRows sparse_design(const FeatureMap& map, const SparseRows& x,
                         const std::vector<Index>& rows) {
  std::vector<std::int32_t> place(std::size_t(x.columns), -1);
  for (std::size_t j = 0; j < map.kept.size(); ++j)
    place[std::size_t(map.kept[j])] = std::int32_t(j);
  SparseRows out;
  out.columns = Index(map.kept.size());
  for (const Index i : rows) {
    x.each(i, [&](Index j, double v) {
      const std::int32_t to = place[std::size_t(j)];
      if (to < 0) return;
      out.column.push_back(to);
      out.value.push_back(v / map.scale(to));
    });
    out.close_row();
  }
  const Vector centre = map.shift.array() / map.scale.array();
  return DesignRows(std::move(out), (centre.array() == 0.0).all() ? Vector() : centre);
}

}  // namespace

DesignRows FeatureMap::design(const Table& table, const std::vector<Index>& rows,
                              bool single) const {
  require(table.columns() == Index(names.size()), "the data have ", table.columns(),
          " columns, but the fit was made with ", names.size());
  if (table.sparse) return sparse_design(*this, *table.sparse, rows);
  if (single) return DesignRows(dense_design<float>(*this, table.dense(), rows));
  return DesignRows(dense_design<double>(*this, table.dense(), rows));
}

Matrix FeatureMap::restored(const Matrix& kept_rows) const {
  Matrix out = Matrix::Zero(Index(names.size()), kept_rows.cols());
  for (std::size_t j = 0; j < kept.size(); ++j) out.row(kept[j]) = kept_rows.row(Index(j));
  return out;
}

FeatureMoments feature_moments(const DesignRows& rows) {
  constexpr Index most_rows = 10000, at_once = 512, columns_at_once = 32;
  const Index n = rows.rows(), p = rows.features();
  const bool centred = rows.centre().size() > 0;
  struct Sums {
    Matrix squares, plain;
    Sums& operator+=(const Sums& other) {
      squares += other.squares;
      if (plain.size() > 0) plain += other.plain;
      return *this;
    }
  };
  FeatureMoments out;
  const Sums sums = sum_over_rows<Sums>(n, [&](Index first, Index number) {
    const Matrix ones = Matrix::Ones(1, number);
    return Sums{rows.gather_squares(ones, {first, number}),
                centred ? rows.gather(ones, {first, number}) : Matrix()};
  });
  out.variance =
      rows.centred_squares(sums.squares, sums.plain, Vector::Constant(1, double(n))).transpose() /
      double(n);
  out.variance = out.variance.cwiseMax(0.0);
  if (p > reduced_rank_defaults::most_correlated) return out;
  // In single precision: what it is for is rough. The lower triangle, in strips of few columns.
  const std::vector<Index> some = spread_rows(n, most_rows);
  out.covariance = Eigen::MatrixXf::Zero(p, p);
  for (std::size_t first = 0; first < some.size(); first += at_once) {
    const auto begin = some.begin() + std::ptrdiff_t(first);
    const std::vector<Index> these(begin,
                                   begin + std::min(std::ptrdiff_t(at_once), some.end() - begin));
    const Eigen::MatrixXf x = rows.columns(these).transpose().cast<float>();
    parallel_for(std::size_t((p + columns_at_once - 1) / columns_at_once), [&](std::size_t strip) {
      const Index j = Index(strip) * columns_at_once, wide = std::min(columns_at_once, p - j);
      out.covariance.block(j, j, p - j, wide) +=
          skinny_project(x.middleCols(j, wide), x.rightCols(p - j)).transpose();
    });
  }
  out.covariance /= float(some.size());
  return out;
}

std::vector<Index> one_class_features(const ClassData& data) {
  const Index p = data.features(), n = data.rows();
  constexpr Index at_once = 512;
  constexpr int none = -1, several = -2;
  Vector least = Vector::Constant(p, std::numeric_limits<double>::infinity()), most = -least;
  const auto each = [&](auto body) {
    for (Index first = 0; first < n; first += at_once) {
      const Index count = std::min(at_once, n - first);
      const Matrix x = data.design().columns(RowSet(first, count));
      for (Index i = 0; i < count; ++i) body(x.col(i), data.outcomes()[std::size_t(first + i)]);
    }
  };
  each([&](const auto& x, int) {
    least = least.cwiseMin(x);
    most = most.cwiseMax(x);
  });
  std::vector<int> above(std::size_t(p), none), below(std::size_t(p), none);
  each([&](const auto& x, int k) {
    for (Index j = 0; j < p; ++j) {
      const auto note = [&](int& seen) { seen = seen == none || seen == k ? k : several; };
      if (x(j) > least(j)) note(above[std::size_t(j)]);
      if (x(j) < most(j)) note(below[std::size_t(j)]);
    }
  });
  std::vector<Index> out;
  for (Index j = 0; j < p; ++j)
    if (above[std::size_t(j)] >= 0 || below[std::size_t(j)] >= 0) out.push_back(j);
  return out;
}

}  // namespace fisherman
