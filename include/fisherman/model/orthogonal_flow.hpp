// The paper's flow (eq:SylvesterNF): ε ~ N(0, I_d), z = σ(W₁ε + b₁), y = W₂(s∘z) + b₂ with W₁, W₂
// orthogonal. As printed s = 1; with s = e^λ free it is the `scaled` family.
//
// W₁ is not identifiable: W₁ε ~ N(0, I) whatever W₁ is, so q does not depend on it, its score is exactly 0
// and its gradient is nothing but noise. It is frozen at I unless `free_w1` asks to see that.
//
// With r = W₁ε, p = s∘z and a = ∂ log q/∂p = −(r + 1 − 2z)/(s z(1−z)) the scores are, in the left frame,
//     W₂: skew(p aᵀ)     b₁: r     b₂: −W₂a     λ: −1 − p∘a     W₁: 0,
// so a score is a few vectors, and never has to be written out (ScoreFactors).
#pragma once

#include "fisherman/fisher/fisher.hpp"
#include "fisherman/fisher/score_form.hpp"
#include "fisherman/fisher/score_store.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/power.hpp"
#include "fisherman/manifold/product.hpp"
#include "fisherman/manifold/stiefel.hpp"

namespace fisherman {

struct OrthogonalFlowOptions {
  bool scaled = true;
  bool free_w1 = false;
};

class OrthogonalFlow {
 public:
  /// (W₂, W₁ if free), then (b₁, b₂, λ if scaled).
  using Frame = Product<Power<Stiefel>, Euclidean>;
  using ScoreForms = Forms<ScoreFactors>;

  explicit OrthogonalFlow(Index dimension, OrthogonalFlowOptions options = {});

  Index dimension() const { return dimension_; }
  const OrthogonalFlowOptions& options() const { return options_; }

  /// The cube of side `side` (1 unless scaled) around `centre`, W₁ = W₂ = I.
  Frame start(const Vector& centre, double side = 1.0) const;
  /// Scaled: the member with these moments whose sides are along the covariance's axes.
  Frame start(const Vector& mean, const Matrix& covariance) const;

  struct Sample {
    Matrix eps, r, z, p, a, ys;
    Vector log_q;
  };
  Sample sample(const Frame& frame, const Matrix& normals) const;
  /// −∞ outside the rotated cube that is the family's support.
  Vector log_density(const Frame& frame, const Matrix& ys) const;
  Matrix scores(const Frame& frame, const Sample& sample) const {
    return scores(frame, sample, As<ScoreFactors>{}).dense();
  }
  ScoreFactors scores(const Frame& frame, const Sample& sample, As<ScoreFactors>) const;
  Vector gradient(const Frame& frame, const Sample& sample, const Matrix& slopes) const;
  /// The Fisher operator has a closed form: in the centre W₂(s∘E z) + b₂ instead of b₂ it is diagonal on
  /// rotations and has a small block for each coordinate. Singular if W₁ is free; throws Misuse then.
  FisherOperator fisher(const Frame& frame) const;

  FactoredScores::Shape score_shape() const;

  /// The parts of a point.
  struct Parts {
    Matrix W2;
    Vector b1, b2, s;
  };
  Parts parts(const Frame& frame) const;

 private:
  Index dimension_;
  OrthogonalFlowOptions options_;
};

}  // namespace fisherman
