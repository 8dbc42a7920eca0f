// What is done to the features before a reduced-rank fit.
#include "../column_scale.hpp"
#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {

FeatureMap FeatureMap::of(const Matrix& x, std::vector<std::string> names, FeatureScale how) {
  require(how != FeatureScale::automatic,
          "--scale is auto, but must have been decided: one of pixel|standardize|none");
  const bool pixel = how == FeatureScale::pixel, standardize = how == FeatureScale::standardize;
  FeatureMap map;
  map.names = std::move(names);
  std::vector<double> shifts, scales;
  for (Index j = 0; j < x.cols(); ++j) {
    if (standardize) {
      const ColumnScale column = column_scale(x.col(j), map.names[std::size_t(j)]);
      if (column.constant()) continue;
      shifts.push_back(column.mean);
      scales.push_back(column.sd);
    } else {
      if ((x.col(j).array() == 0.0).all()) continue;
      shifts.push_back(0.0);
      scales.push_back(pixel ? 255.0 : 1.0);
    }
    map.kept.push_back(j);
  }
  require(!map.kept.empty(), "all features are constant: there is nothing to fit");
  map.shift = Eigen::Map<const Vector>(shifts.data(), Index(shifts.size()));
  map.scale = Eigen::Map<const Vector>(scales.data(), Index(scales.size()));
  return map;
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> FeatureMap::design(
    const Matrix& x, const std::vector<Index>& rows) const {
  require(x.cols() == Index(names.size()), "the data have ", x.cols(),
          " columns, but the fit was made with ", names.size());
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> out(Index(kept.size()), Index(rows.size()));
  constexpr std::size_t at_once = 64;  // both matrices are walked along their columns
  for (std::size_t first = 0; first < rows.size(); first += at_once)
    for (Index j = 0; j < out.rows(); ++j)
      for (std::size_t i = first; i < std::min(first + at_once, rows.size()); ++i)
        out(j, Index(i)) = Scalar((x(rows[i], kept[std::size_t(j)]) - shift(j)) / scale(j));
  return out;
}
template Eigen::MatrixXd FeatureMap::design<double>(const Matrix&, const std::vector<Index>&) const;
template Eigen::MatrixXf FeatureMap::design<float>(const Matrix&, const std::vector<Index>&) const;

Matrix FeatureMap::restored(const Matrix& kept_rows) const {
  Matrix out = Matrix::Zero(Index(names.size()), kept_rows.cols());
  for (std::size_t j = 0; j < kept.size(); ++j) out.row(kept[j]) = kept_rows.row(Index(j));
  return out;
}

}  // namespace fisherman
