// Where a fit that goes to the optimum begins. With fewer directions than classes less one, the likelihood has local optima:
// they differ in how the directions arrange the classes. A discriminant analysis tells in which K−1 directions the classes
// differ at all, and in so few features a fit to some thousand rows takes milliseconds. So several are made, and the best
// shows where to begin in all features.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "blas.hpp"
#include "class_means.hpp"
#include "defaults.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {

using namespace reduced_rank_defaults;  // NOLINT: constants of this folder

namespace {

/// Discriminants, p×d, in which the features have variances of at most one. Their variances are damped like those of the
/// stochastic phase: a feature that is rarely seen tells little.
Matrix discriminants(const ClassMeans& classes, const FeatureMoments& features) {
  constexpr double damping = 0.27, least = 1e-8;
  const Vector share = classes.count / classes.count.sum();
  const Matrix between = classes.means * share.cwiseSqrt().asDiagonal();
  const double more = damping * features.variance.mean();
  const auto telling = [](const Svd& of) -> Matrix {
    Index d = 0;
    while (d < of.s.size() && of.s(d) > least * of.s(0)) ++d;
    return of.U.leftCols(d);
  };
  if (features.covariance.size() == 0) {
    const Vector root = (features.variance.array() + more).sqrt().inverse();
    return root.asDiagonal() * telling(svd(root.asDiagonal() * between));
  }
  Matrix L = features.covariance.cast<double>();
  L.diagonal().array() += more;
  if (!blas::cholesky(blas::view(L)))
    throw NotFinite("the covariance of the features is not positive definite");
  Matrix white = L.triangularView<Eigen::Lower>().solve(between);
  white = telling(svd(white));
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(white);
  return white;
}

/// The rows by these features, each with mean zero.
std::shared_ptr<const ClassData> in_directions(const ClassData& rows, const Matrix& W) {
  Matrix z = rows.design().project(rows.design().prepared(W), {0, rows.rows()});
  z.colwise() -= Vector(z.rowwise().mean());
  return std::make_shared<const ClassData>(std::move(z), rows.outcomes(), rows.classes());
}

}  // namespace

Index tried_starts(const ClassData& data, Index rank) {
  const bool full = rank == std::min(data.features(), data.classes() - 1);  // no other optimum
  return full ? 1 : searched_starts;
}

ReducedRank searched_start(const ClassData& data, Index rank, const FeatureMoments& features,
                           std::int64_t seed) {
  constexpr double share = 0.3;  // of the coefficients: what few rows say of many features is rough
  const ClassData some = data.subset(spread_rows(data.rows(), searched_rows));
  const ClassMeans classes = class_means(some);
  const Matrix W = discriminants(classes, features);
  if (W.cols() < rank) return means_start(data, rank);
  const auto small = in_directions(some, W);
  const auto moments = std::make_shared<const FeatureMoments>(feature_moments(small->design()));
  ReducedRankSettings brief;
  brief.seed = seed;
  brief.iterations = searched_iterations;
  const Index starts = tried_starts(data, rank);
  std::optional<ReducedRank> best;
  double least = std::numeric_limits<double>::infinity();
  for (Index start = 0; start < starts; ++start) {
    const Draws draws(std::uint64_t(seed), (std::uint64_t(7) << 60) + std::uint64_t(start));
    ErasedRun run = make_descent(
        small, brief, start == 0 ? means_start(*small, rank) : random_start(*small, rank, draws),
        moments, 0);
    const FitSummary end = PlainDriver().drive(run);
    if (best && !(end.objective < least)) continue;
    best = reduced_rank_point(run.state.estimate());
    least = end.objective;
  }
  const FixedRank& B = best->factor<0>();
  return as_fixed_rank(
      FactoredReducedRank(FactoredRank(share * W * (B.U() * B.S()), B.V()), best->factor<1>()));
}

}  // namespace fisherman
