// A Gaussian near a density to start from: quasi-Newton steps towards a mode, and of the points on the way the one whose
// Gaussian is nearest. The last is not always the best: the mode of a hierarchical model may be nowhere near its mass.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdint>
#include <optional>

#include "fisherman/model/gaussian_blocks.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

struct GaussianStart {
  Vector mean;
  Matrix covariance;
  double nelbo;       // roughly, from a few draws; +∞ if the density was not finite anywhere near
  Index evaluations;  // of the density
};

/// From the point `from`. Takes some tens of evaluations. Throws NotFinite if the density has no value there.
GaussianStart gaussian_start(const FunctionTarget& target, const Vector& from, std::uint64_t seed);

/// The same with the covariance diag(s)² + FFᵀ, F of d×rank, and nothing of d×d. The precisions 1/s² are those of
/// the curvature that was learnt, and F is the best for them.
struct LowRankStart {
  Vector mean, s;
  Matrix F;
  double nelbo;
  Index evaluations;
};
LowRankStart low_rank_start(const FunctionTarget& target, const Vector& from, Index rank,
                            std::uint64_t seed);

/// The n-th point to begin at: 0, then points uniform in (−2, 2)ᵈ.
Vector start_point(Index dimension, std::uint64_t seed, Index n);

/// Throws Misuse if the density or its gradient is not finite at any of the first `starts` points to begin at. One
/// evaluation, mostly.
void require_a_start(const FunctionTarget& target, std::uint64_t seed, Index starts);

/// Gaussian variational Bayes from blocks of gradients, with places to start from: all that newton() asks of a model.
template <Target T>
class GaussianSearch : public GaussianBlocks<T> {
 public:
  using GaussianBlocks<T>::GaussianBlocks;

  /// A place to start from: a Gaussian near the density, from the n-th point to begin at. With one that is there already,
  /// `than`, nothing unless the new one is somewhere else, and may be better. `spent` grows by the evaluations.
  std::optional<GaussianAffine> start(std::uint64_t seed, Index n, const GaussianAffine* than,
                                      double value, std::int64_t& spent) const {
    const Index d = this->target().dimension();
    GaussianStart found;
    try {
      found = gaussian_start(this->target(), start_point(d, seed, n), seed);
    } catch (const NotFinite&) {  // the density has no value there
      return std::nullopt;
    }
    spent += found.evaluations;
    if (!std::isfinite(found.nelbo)) return std::nullopt;
    if (than != nullptr) {
      const Matrix L = Eigen::LLT<Matrix>(than->covariance()).matrixL();
      const Vector apart =
          L.triangularView<Eigen::Lower>().solve(Vector(found.mean - than->mean()));
      const double k = double(d);
      // Draws of q are at a squared distance of d, give or take √(2d).
      const bool elsewhere = apart.squaredNorm() > k + 4.0 * std::sqrt(2.0 * k) + 9.0;
      const bool hopeless =
          found.nelbo > value + 5.0 + k;  // a start may be a nat off per coordinate
      if (!elsewhere || hopeless) return std::nullopt;
    }
    return gaussian_affine(found.mean, found.covariance, SpdRetraction::exponential);
  }
};

template <Target T>
GaussianSearch(T) -> GaussianSearch<T>;

}  // namespace fisherman
