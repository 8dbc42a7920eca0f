// The Fisher information of a model that is linear in a matrix of low rank (factor_moments.hpp), in the coordinates (D, E, a)
// of FactoredRank × Euclidean, from few numbers:
//   D   features, p×r: T ρ T, with ρ the correlation of the features and T_j² a feature's own r×r information. At first
//       T_j² = a_j RᵀWR, with a_j the variance of the feature; what saturated rows take off that is learnt later.
//   E, a  classes: their own information of order (r+1)k, or W ⊗ zzᵀ where that is too large.
// It leaves out what D and E have in common. Nothing of it is a product over all rows but the refreshments, which are rare.
//
// It serves a stochastic phase of a given number of iterations, in which W, RᵀWR and zzᵀ are running means over minibatches; and
// after it a deterministic one, as the first matrix of quasi-Newton steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/factor_moments.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/fisher/score_form.hpp"

namespace fisherman {

/// Variances of features and, unless there are too many of them, their covariance.
struct FeatureMoments {
  Vector variance;
  Eigen::MatrixXf covariance;  // p×p, the lower triangle; empty: features count as uncorrelated

  Index features() const { return variance.size(); }
};

class FactoredFisher {
 public:
  static std::string type_name() { return "factored"; }

  struct Options {
    std::int64_t stochastic = 0;  // iterations that learn from minibatches
  };
  FactoredFisher(std::shared_ptr<const FeatureMoments> features, Index classes, Index rank,
                 Options options);

  Index dimension() const { return (p_ + k_) * r_ + k_; }

  template <class Model, class Frame, class Draws>
  bool learn(Model& model, const Frame& frame, const Draws& draws) {
    constexpr std::int64_t first_refreshment = 30, every = 50;
    const std::int64_t s = std::int64_t(draws.index()) - options_.stochastic;
    if (s < 0)
      absorb(scores_as<FactorMoments>(model, frame, draws));
    else if (s == 0)
      take(scores_as<SpreadInformation>(model, frame, draws));
    else if (s >= first_refreshment && (s - first_refreshment) % every == 0)
      take(scores_as<FactorInformation>(model, frame, draws));
    else
      return false;
    return true;
  }
  void absorb(const ConstMatrixRef& scores);  // throws Misuse: it learns from moments
  void absorb(const FactorMoments& minibatch);
  void take(const FactorInformation& information);

  Vector solve(const ConstVectorRef& g) const;

  /// What one takes, in bytes.
  static double memory(Index features, Index classes, Index rank, bool correlated);

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  enum class Stage : std::int64_t { nothing, minibatches, information };
  void follow();  // all that is worked out from what was learnt

  std::shared_ptr<const FeatureMoments> features_;
  Index p_, k_, r_;
  Options options_;
  // What was learnt.
  Stage stage_ = Stage::nothing;
  std::int64_t count_ = 0;  // minibatches
  FactorMoments means_;
  Matrix own_;      // r²×p: the information of each feature; empty: variance ⊗ RᵀWR
  Matrix classes_;  // of E and a; empty: W ⊗ zzᵀ
  Matrix ridge_;    // r×r
  Matrix gauge_;    // R
  // What follows from it.
  Vector scale_;   // a_j^-½, with
  Matrix common_;  // (RᵀWR)^-½, or
  Matrix each_;    // r²×p: T_j^-1
  std::shared_ptr<const Matrix>
      factor_;  // Cholesky factor of ρ; none if features count as uncorrelated
  Stage factored_ = Stage::nothing;        // the stage that it is of
  Matrix W_inverse_, zz_inverse_, turns_;  // turns_: Cholesky factor of classes_
};

}  // namespace fisherman
