// What is done to the features before a reduced-rank fit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../column_scale.hpp"
#include "defaults.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {
namespace {

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
  std::vector<ColumnScale> columns;
  if (table.sparse)
    columns = sparse_scales(*table.sparse, map.names);
  else
    for (Index j = 0; j < table.x.cols(); ++j)
      columns.push_back(column_scale(table.x.col(j), map.names[std::size_t(j)]));
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
                                                                   const Matrix& x,
                                                                   const std::vector<Index>& rows) {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> out(Index(map.kept.size()),
                                                            Index(rows.size()));
  constexpr std::size_t at_once = 64;  // both matrices are walked along their columns
  for (std::size_t first = 0; first < rows.size(); first += at_once)
    for (Index j = 0; j < out.rows(); ++j)
      for (std::size_t i = first; i < std::min(first + at_once, rows.size()); ++i)
        out(j, Index(i)) =
            Scalar((x(rows[i], map.kept[std::size_t(j)]) - map.shift(j)) / map.scale(j));
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
  if (single) return DesignRows(dense_design<float>(*this, table.x, rows));
  return DesignRows(dense_design<double>(*this, table.x, rows));
}

Matrix FeatureMap::restored(const Matrix& kept_rows) const {
  Matrix out = Matrix::Zero(Index(names.size()), kept_rows.cols());
  for (std::size_t j = 0; j < kept.size(); ++j) out.row(kept[j]) = kept_rows.row(Index(j));
  return out;
}

FeatureMoments feature_moments(const DesignRows& rows) {
  constexpr Index most_rows = 10000, at_once = 512;
  const Index n = rows.rows(), p = rows.features();
  struct Sums {
    Matrix squares, plain;
    Sums& operator+=(const Sums& other) {
      squares += other.squares;
      plain += other.plain;
      return *this;
    }
  };
  FeatureMoments out;
  const Index count = std::min(n, most_rows);
  const Sums sums = sum_over_rows<Sums>(n, [&](Index first, Index number) {
    const Matrix ones = Matrix::Ones(1, number);
    return Sums{rows.gather_squares(ones, {first, number}), rows.gather(ones, {first, number})};
  });
  out.variance =
      rows.centred_squares(sums.squares, sums.plain, Vector::Constant(1, double(n))).transpose() /
      double(n);
  out.variance = out.variance.cwiseMax(0.0);
  if (p > reduced_rank_defaults::most_correlated) return out;
  // In single precision: what it is for is rough.
  out.covariance = Eigen::MatrixXf::Zero(p, p);
  for (Index first = 0; first < count; first += at_once) {
    std::vector<Index> some;
    for (Index i = first; i < std::min(first + at_once, count); ++i) some.push_back(i * n / count);
    const Eigen::MatrixXf x = rows.columns(some).cast<float>();
    out.covariance.selfadjointView<Eigen::Lower>().rankUpdate(x, 1.0F / float(count));
  }
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
