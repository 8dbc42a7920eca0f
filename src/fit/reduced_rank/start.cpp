// Where a reduced-rank fit begins.
#include <algorithm>
#include <vector>

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

ReducedRank means_start(const ClassData& data, Index rank) {
  const ClassData some = data.subset(spread_rows(data.rows(), 8192));
  const Index K = data.classes(), p = data.features();
  // Sums by class: each row has a one in its class and in the last row, which makes the mean.
  Matrix one = Matrix::Zero(K + 1, some.rows());
  one.row(K).setOnes();
  for (Index i = 0; i < some.rows(); ++i) one(some.outcome(i), i) = 1.0;
  const Vector total = one.rowwise().sum(), count = total.head(K);
  const Matrix sums = some.design().gather(one, {0, some.rows()});
  const Vector centre = sums.row(K).transpose() / double(some.rows());
  Matrix means(p, K);
  for (Index k = 0; k < K; ++k)
    means.col(k) = (sums.row(k).transpose() - count(k) * centre) / std::max(count(k), 1.0);
  const Vector share = (count.array() + 0.5) / (count.array() + 0.5).sum();  // none is zero

  const Svd most = svd(means * count.cwiseSqrt().asDiagonal());
  if (!(most.s(rank - 1) > 1e-8 * most.s(0))) return diagonal_start(data, rank);
  const Matrix U = most.U.leftCols(rank), c = U.transpose() * means;
  const Matrix differences = c.leftCols(K - 1).colwise() - c.col(K - 1);
  // So short that no class mean has a logit above a half. Longer ones, those of a discriminant analysis
  // say, start from a lower loss and end at a higher one: what they get wrong about features that are
  // rarely seen takes long to unlearn.
  const double scale = 0.5 / (differences.transpose() * c).cwiseAbs().maxCoeff();
  return ReducedRank(FixedRank(scale * U * differences, rank),
                     Euclidean((share.head(K - 1).array() / share(K - 1)).log().matrix()));
}

ReducedRank first_point(const ClassData& data, const ReducedRankSettings& s, Index rank,
                        Index start) {
  if (start > 0)
    return random_start(
        data, rank, Draws(std::uint64_t(s.seed), (std::uint64_t(1) << 62) + std::uint64_t(start)));
  return s.initial == ReducedRankStart::paper ? diagonal_start(data, rank)
                                              : means_start(data, rank);
}

}  // namespace fisherman
