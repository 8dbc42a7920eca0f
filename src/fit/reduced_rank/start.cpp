// Where a reduced-rank fit begins.
#include <algorithm>
#include <vector>

#include "class_means.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {

ReducedRank diagonal_start(const ClassData& data, Index rank) {
  const Index p = data.features(), k = data.classes() - 1;
  return ReducedRank(
      FixedRank(Matrix::Identity(p, rank), Matrix::Identity(rank, rank), Matrix::Identity(k, rank)),
      Euclidean(Vector::Zero(k)));
}

ReducedRank random_start(const ClassData& data, Index rank, const Draws& draws) {
  const Index p = data.features(), k = data.classes() - 1;
  return ReducedRank(FixedRank(thin_qr(draws.normals(0, p, rank)).Q, Matrix::Identity(rank, rank),
                               thin_qr(draws.normals(1, k, rank)).Q),
                     Euclidean(Vector::Zero(k)));
}

ClassMeans class_means(const ClassData& rows) {
  const Index K = rows.classes();
  // Sums by class: each row has a one in its class and in the last row, which makes the mean.
  Matrix one = Matrix::Zero(K + 1, rows.rows());
  one.row(K).setOnes();
  for (Index i = 0; i < rows.rows(); ++i) one(rows.outcome(i), i) = 1.0;
  const Vector total = one.rowwise().sum();
  ClassMeans out{Matrix(rows.features(), K), total.head(K)};
  const Matrix sums = rows.design().gather(one, {0, rows.rows()});
  const Vector centre = sums.row(K).transpose() / double(rows.rows());
  for (Index k = 0; k < K; ++k)
    out.means.col(k) =
        (sums.row(k).transpose() - out.count(k) * centre) / std::max(out.count(k), 1.0);
  return out;
}

ReducedRank means_start(const ClassData& data, Index rank) {
  const ClassMeans classes = class_means(data.subset(spread_rows(data.rows(), 8192)));
  const Index K = data.classes();
  const Svd most = svd(classes.means * classes.count.cwiseSqrt().asDiagonal());
  if (!(most.s(rank - 1) > 1e-8 * most.s(0))) return diagonal_start(data, rank);
  const Matrix U = most.U.leftCols(rank), c = U.transpose() * classes.means;
  const Matrix differences = c.leftCols(K - 1).colwise() - c.col(K - 1);
  // So short that no class mean has a logit above a half. Longer ones, those of a discriminant analysis
  // say, start the stochastic methods from a lower loss and end at a higher one: what they get wrong about
  // features that are rarely seen takes long to unlearn.
  const double scale = 0.5 / (differences.transpose() * c).cwiseAbs().maxCoeff();
  const Vector share =
      (classes.count.array() + 0.5) / (classes.count.array() + 0.5).sum();  // none is zero
  return ReducedRank(FixedRank(scale * U * differences, rank),
                     Euclidean((share.head(K - 1).array() / share(K - 1)).log().matrix()));
}

ReducedRank first_point(const ClassData& data, const ReducedRankSettings& s, Index rank,
                        Index start, const FeatureMoments* features) {
  if (start > 0)
    return random_start(
        data, rank, Draws(std::uint64_t(s.seed), (std::uint64_t(1) << 62) + std::uint64_t(start)));
  switch (s.initial_choice()) {
    case ReducedRankStart::paper:
      return diagonal_start(data, rank);
    case ReducedRankStart::search:
      require(features != nullptr, "--initial search is for --method lbfgs");
      return searched_start(data, rank, *features, s.seed);
    default:
      return means_start(data, rank);
  }
}

}  // namespace fisherman
