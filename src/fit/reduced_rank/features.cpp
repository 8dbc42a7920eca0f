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
FeatureMap FeatureMap::of(const Table& table, FeatureScale how, bool centred) {
  require(how != FeatureScale::automatic,
          "--scale is auto, but must have been decided: one of pixel|standardize|none");
  const bool pixel = how == FeatureScale::pixel, standardize = how == FeatureScale::standardize;
  FeatureMap map;
  map.names = table.names;
  const std::vector<ColumnScale> columns = column_scales(table);
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

/// Rows that stay in their file.
DesignRows stored_design(const FeatureMap& map, const Table& table, const std::vector<Index>& rows,
                         bool single) {
  const Vector factor = map.scale.cwiseInverse();
  std::shared_ptr<const RowBlocks> body = std::make_shared<const MappedRows>(
      table.stored, Index(map.kept.size()), [kept = map.kept, shift = map.shift, factor](Matrix x) {
        Matrix out = x(Eigen::all, kept);
        out.rowwise() -= shift.transpose();
        out.array().rowwise() *= factor.transpose().array();
        return out;
      });
  RowPart part = table.rows_here();
  const bool whole = part.is_whole();
  const Index number = whole ? Index(rows.size()) : sum_of_ranks(Index(rows.size()));
  if (number < part.all) {  // some are chosen, on each rank of its own
    std::vector<Index> ours(rows), all;
    for (Index& i : ours) i += part.first;
    if (whole)
      all = std::move(ours);
    else
      for (const std::vector<Index>& theirs : from_each_rank(ours))
        all.insert(all.end(), theirs.begin(), theirs.end());
    part = whole ? RowPart::whole(number) : RowPart::of_rank(number);
    body = std::make_shared<const ChosenRows>(std::move(body), std::move(all));
  }
  return DesignRows(DesignRows::Stored{std::move(body), single}, {}, part);
}

}  // namespace

DesignRows FeatureMap::design(const Table& table, const std::vector<Index>& rows,
                              bool single) const {
  require(table.columns() == Index(names.size()), "the data have ", table.columns(),
          " columns, but the fit was made with ", names.size());
  const bool part = !table.rows_here().is_whole();
  if (table.sparse) return sparse_design(*this, *table.sparse, rows, part);
  if (table.stored) return stored_design(*this, table, rows, single);
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
