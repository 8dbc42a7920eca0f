// What is done to the features before a reduced-rank fit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../column_scale.hpp"
#include "blas.hpp"
#include "defaults.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/fit/reduced_rank.hpp"

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
  auto fields() { return std::tie(sum, squares, largest); }
};

/// Row by row, so that the order in which the numbers lie changes no bit.
std::vector<ColumnScale> dense_scales(const LentRows& x, const RowPart& part,
                                      const std::vector<std::string>& names) {
  const double n = double(part.all);
  const Matrix first_row = part.has(0) ? Matrix(x.row(0).transpose()) : Matrix(x.cols(), 0);
  const Eigen::ArrayXd origin = part.is_whole() ? first_row : collected(first_row, part, {0});
  const ColumnSums sums = sum_over_rows<ColumnSums>(part.all, [&](Index first, Index count) {
    return with_rows(x, part.at(first, count), count, [&](const auto& rows) {
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

std::vector<ColumnScale> sparse_scales(const SparseRows& x, const RowPart& part,
                                       const std::vector<std::string>& names) {
  const double n = double(part.all);
  const auto sum = [&](const auto& add) {
    return sum_over_rows<ColumnSums>(part.all, [&](Index first, Index count) {
      const Eigen::ArrayXd zero = Eigen::ArrayXd::Zero(x.columns);
      ColumnSums out{zero, zero, zero};
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
    require_standardisable(out.back(), names[std::size_t(j)]);
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
  const std::vector<ColumnScale> columns =
      table.sparse ? sparse_scales(*table.sparse, table.rows_here(), map.names)
                   : dense_scales(table.dense(), table.rows_here(), map.names);
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

/// Rows that were chosen from a rank's part of a table are dealt again.
template <class Body>
DesignRows as_design(Body body, bool part, const Vector& centre = {}) {
  if (!part) return DesignRows(std::move(body), centre);
  body = dealt(std::move(body));
  const Index here = [&] {
    if constexpr (std::is_same_v<Body, SparseRows>)
      return body.rows();
    else
      return body.cols();
  }();
  const RowPart of_all = RowPart::of_rank(sum_of_ranks(here));
  return together([&] { return DesignRows(std::move(body), centre, of_all); });
}

DesignRows sparse_design(const FeatureMap& map, const SparseRows& x, const std::vector<Index>& rows,
                         bool part) {
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
  return as_design(std::move(out), part, (centre.array() == 0.0).all() ? Vector() : centre);
}

}  // namespace

DesignRows FeatureMap::design(const Table& table, const std::vector<Index>& rows,
                              bool single) const {
  require(table.columns() == Index(names.size()), "the data have ", table.columns(),
          " columns, but the fit was made with ", names.size());
  const bool part = !table.rows_here().is_whole();
  if (table.sparse) return sparse_design(*this, *table.sparse, rows, part);
  if (single) return as_design(dense_design<float>(*this, table.dense(), rows), part);
  return as_design(dense_design<double>(*this, table.dense(), rows), part);
}

Matrix FeatureMap::restored(const Matrix& kept_rows) const {
  Matrix out = Matrix::Zero(Index(names.size()), kept_rows.cols());
  for (std::size_t j = 0; j < kept.size(); ++j) out.row(kept[j]) = kept_rows.row(Index(j));
  return out;
}

FeatureMoments feature_moments(const DesignRows& rows) {
  constexpr Index most_rows = 10000, at_once = 512, columns_at_once = 96;
  const Index n = rows.rows(), p = rows.features();
  const bool centred = rows.centre().size() > 0;
  struct Sums {
    Matrix squares, plain;
    Sums& operator+=(const Sums& other) {
      squares += other.squares;
      if (plain.size() > 0) plain += other.plain;
      return *this;
    }
    auto fields() { return std::tie(squares, plain); }
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
    const Eigen::MatrixXf x = rows.subset(these).columns({0, Index(these.size())}).cast<float>();
    parallel_for(std::size_t((p + columns_at_once - 1) / columns_at_once), [&](std::size_t strip) {
      const Index j = Index(strip) * columns_at_once, wide = std::min(columns_at_once, p - j);
      const auto from_j = [&](Index number) {
        return blas::View<const float>{x.data() + j, number, x.cols(), x.outerStride()};
      };
      blas::gemm(1.0F, blas::Op::plain, from_j(p - j), blas::Op::transposed, from_j(wide), 1.0F,
                 {out.covariance.data() + j * (p + 1), p - j, wide, p});
    });
  }
  out.covariance /= float(some.size());
  return out;
}

std::vector<Index> one_class_features(const ClassData& data) {
  const Index p = data.features();
  const RowPart& part = data.design().part();
  constexpr Index at_once = 512;
  constexpr int none = -1, several = -2;
  const auto each = [&](auto body) {
    for (Index first = part.first; first < part.first + part.count; first += at_once) {
      const Index count = std::min(at_once, part.first + part.count - first);
      const Matrix x = data.design().columns(RowSet(first, count));
      for (Index i = 0; i < count; ++i) body(x.col(i), data.outcome(first + i));
    }
  };
  // Least values, and the least of the negative ones.
  Matrix ends = Matrix::Constant(p, 2, std::numeric_limits<double>::infinity());
  each([&](const auto& x, int) {
    ends.col(0) = ends.col(0).cwiseMin(x);
    ends.col(1) = ends.col(1).cwiseMin(-x);
  });
  for (const Matrix& theirs : from_each_rank(ends)) ends = ends.cwiseMin(theirs);
  // The class of rows above the least, and of rows below the largest.
  Eigen::MatrixXi seen = Eigen::MatrixXi::Constant(p, 2, none);
  const auto note = [&](Index j, Index side, int k) {
    int& now = seen(j, side);
    now = k == none ? now : now == none || now == k ? k : several;
  };
  each([&](const auto& x, int k) {
    for (Index j = 0; j < p; ++j) {
      if (x(j) > ends(j, 0)) note(j, 0, k);
      if (-x(j) > ends(j, 1)) note(j, 1, k);
    }
  });
  for (const Eigen::MatrixXi& theirs : from_each_rank(Eigen::MatrixXi(seen)))
    for (Index j = 0; j < p; ++j)
      for (const Index side : {0, 1}) note(j, side, theirs(j, side));
  std::vector<Index> out;
  for (Index j = 0; j < p; ++j)
    if (seen(j, 0) >= 0 || seen(j, 1) >= 0) out.push_back(j);
  return out;
}

}  // namespace fisherman
