// Multinomial logistic regression with a coefficient matrix of low rank (section 8 of the paper):
//     P(y = k | x) ∝ exp(α_k + (Bᵀx)_k),  k < K, and ∝ 1 for the last class,
// with B p×(K−1) of rank r and α in ℝ^(K−1): a point of FixedRank × Euclidean. The loss is the mean
// negative log-likelihood of the rows.
//
// Everything is a sum over rows of outer products x wᵀ, and is brought into the frame's coordinates as
// such: with r below K−1 the p×(K−1) gradient is never formed.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fisherman/core/random.hpp"
#include "fisherman/fisher/factor_moments.hpp"
#include "fisherman/fisher/outer_scores.hpp"
#include "fisherman/fisher/score_form.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/extrinsic.hpp"
#include "fisherman/manifold/factored_rank.hpp"
#include "fisherman/manifold/fixed_rank.hpp"
#include "fisherman/manifold/product.hpp"
#include "fisherman/model/design_rows.hpp"
#include "fisherman/model/model.hpp"

namespace fisherman {

/// Rows with a class each.
class ClassData {
 public:
  /// Dense rows are p×n, one *column* a row of the data; classes are 0 … K−1. Stored in the precision they come in; all
  /// sums are in double precision.
  ClassData(DesignRows x, std::vector<int> classes, Index class_count);
  ClassData(DesignRows::Body x, std::vector<int> classes, Index class_count)
      : ClassData(DesignRows(std::move(x)), std::move(classes), class_count) {}

  Index rows() const { return design_.rows(); }
  Index features() const { return design_.features(); }
  Index classes() const { return class_count_; }
  const DesignRows& design() const { return design_; }
  /// Of the rows that are here.
  const std::vector<int>& outcomes() const { return classes_; }
  int outcome(Index row) const { return classes_[std::size_t(design_.part().at(row))]; }
  /// Some rows, all of them here. Together, if the rows are a part of all.
  ClassData subset(const std::vector<Index>& rows) const;

 private:
  DesignRows design_;
  std::vector<int> classes_;
  Index class_count_;
};

/// η = right·leftᵀx + intercepts, K−1 numbers a row: any factorisation of B = left·rightᵀ.
struct LinearScores {
  Matrix left, right;
  Vector intercepts;
};

/// Sums over all rows.
struct ClassSums {
  double loss = 0.0;  // −log P(y|x)
  Index correct = 0;  // rows whose class is the likeliest
  // With e = p − e_y, K−1 numbers a row; empty if no basis was given.
  Matrix x_eb;  // Σ x (basisᵀe)ᵀ: p×r
  Matrix e_xl;  // Σ e (leftᵀx)ᵀ: (K−1)×r
  Vector e;     // Σ e

  ClassSums& operator+=(const ClassSums& other);
  auto fields() { return std::tie(loss, correct, x_eb, e_xl, e); }
};
ClassSums sums(const ClassData& data, const LinearScores& scores, const Matrix* basis = nullptr);

/// K×n class probabilities from η, (K−1)×n.
Matrix probabilities(const Matrix& eta);

using ReducedRank = Product<FixedRank, Euclidean>;
using ExtrinsicReducedRank = Extrinsic<ReducedRank>;
using FactoredReducedRank = Product<FactoredRank, Euclidean>;
ReducedRank as_fixed_rank(const FactoredReducedRank& point);
FactoredReducedRank as_factored(const ReducedRank& point);

struct MultinomialOptions {
  Index batch = 128;   // rows an iteration
  Index scores = 0;    // of them, how many get a sampled label and make a score; 0: all
  double ridge = 0.0;  // adds ridge/(2n)·|B̃|²: see penalty()
};

class Multinomial {
 public:
  using ScoreForms = Forms<OuterScores, FactorMoments, FactorInformation, SpreadInformation>;

  Multinomial(std::shared_ptr<const ClassData> data, MultinomialOptions options = {});

  const ClassData& data() const { return *data_; }

  /// The mean over a minibatch. Minibatches walk through the rows in an order that is shuffled anew for
  /// every pass: over a pass their noise cancels.
  template <class F>
  Vector gradient(const F& frame, const Draws& draws) {
    const Batch& batch = at(linear(base(frame)), draws);
    return pulled_sum(frame, batch.x, batch.residuals / double(batch.x.cols())) +
           penalty_gradient(frame);
  }
  Vector gradient(const FactoredReducedRank& frame, const Draws& draws);
  /// One label sampled from the model for each of the rows.
  template <class F>
  Matrix scores(const F& frame, const Draws& draws) {
    const Batch& batch = at(linear(base(frame)), draws);
    return pulled(frame, batch.x.leftCols(score_count()), sampled(batch, draws));
  }
  /// The same rows; the mean over the labels of what makes up U_p, one label sampled for the others.
  OuterScores scores(const ReducedRank& frame, const Draws& draws, As<OuterScores>);
  /// Of the minibatch; of all rows; of some thousand rows spread over all.
  FactorMoments scores(const FactoredReducedRank& frame, const Draws& draws, As<FactorMoments>);
  FactorInformation scores(const FactoredReducedRank& frame, const Draws& draws,
                           As<FactorInformation>);
  SpreadInformation scores(const FactoredReducedRank& frame, const Draws& draws,
                           As<SpreadInformation>);
  template <class F>
  double objective(const F& frame) const {
    return sums(*data_, linear(base(frame))).loss / double(data_->rows()) +
           penalty(linear(base(frame)));
  }
  /// ridge/(2n)·|B̃|², where B̃ has a column for each class, whose mean is zero: it does not matter which class is the
  /// last. A normal prior of variance 1/ridge for each coefficient has this density.
  double penalty(const LinearScores& scores) const;
  /// Over all rows: no noise.
  ValueAndGradient value_and_gradient(const ReducedRank& frame) const;
  ValueAndGradient value_and_gradient(const ExtrinsicReducedRank& frame) const;
  ValueAndGradient value_and_gradient(const FactoredReducedRank& frame) const;
  /// E[φφᵀ] over all rows and all labels, in the frame's coordinates.
  Matrix fisher_matrix(const ReducedRank& frame) const;

  static LinearScores linear(const ReducedRank& frame);
  static LinearScores linear(const FactoredReducedRank& frame);
  static const ReducedRank& base(const ReducedRank& frame) { return frame; }
  static const ReducedRank& base(const ExtrinsicReducedRank& frame) { return frame.base(); }
  static const FactoredReducedRank& base(const FactoredReducedRank& frame) { return frame; }

 private:
  struct Batch {
    std::uint64_t seed = 0, index = 0;
    Matrix x;  // p×b
    std::vector<int> classes;
    Matrix probabilities;  // K×b
    Matrix residuals;      // p − e_y, (K−1)×b
  };
  struct Order {
    std::uint64_t seed = 0, pass = 0;
    std::vector<Index> rows;
  };

  /// Of the minibatch, in the factored form: z = Lᵀx and the probabilities.
  struct FactoredBatch {
    std::uint64_t seed = 0, index = 0;
    Vector point;  // that it was made at
    std::shared_ptr<const ClassData> data;
    std::vector<Index> rows;  // of these data
    Matrix z, probabilities;  // r×b, K×b
  };

  Index score_count() const;
  std::vector<Index> batch_rows(const Draws& draws);
  const FactoredBatch& factored_batch(const FactoredReducedRank& frame, const Draws& draws);
  FactorInformation information(const FactoredReducedRank& frame, bool features) const;
  double ridge_share() const { return options_.ridge / double(data_->rows()); }
  Vector penalty_gradient(const ReducedRank& frame) const;
  Vector penalty_gradient(const ExtrinsicReducedRank& frame) const;
  Vector penalty_gradient(const FactoredReducedRank& frame) const;
  const Batch& at(const LinearScores& s, const Draws& draws);
  const std::vector<Index>& order(std::uint64_t seed, std::uint64_t pass);
  Matrix sampled(const Batch& batch, const Draws& draws) const;

  /// Coordinates of the covectors (x wᵀ, w), one a column; and of their sum.
  static Matrix pulled(const ReducedRank& frame, const ConstMatrixRef& x, const Matrix& w);
  static Matrix pulled(const ExtrinsicReducedRank& frame, const ConstMatrixRef& x, const Matrix& w);
  static Matrix pulled(const FactoredReducedRank& frame, const ConstMatrixRef& x, const Matrix& w);
  static Vector pulled_sum(const ReducedRank& frame, const ConstMatrixRef& x, const Matrix& w);
  static Vector pulled_sum(const ExtrinsicReducedRank& frame, const ConstMatrixRef& x,
                           const Matrix& w);

  std::shared_ptr<const ClassData> data_;
  MultinomialOptions options_;
  Batch batch_;  // the last minibatch: gradient and scores share it
  FactoredBatch factored_batch_;
  std::vector<Order> order_;  // of this pass and the one before
};

}  // namespace fisherman
