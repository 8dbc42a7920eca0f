// Gaussians N(μ, diag(s)² + FFᵀ) with F of d×r, as a FlowFamily of model/flow_vb.hpp: y = μ + s∘z + Fw. Everything takes
// O(dr²), by the matrix determinant lemma and Woodbury's formula, and no d×d matrix is ever made.
#pragma once

#include <string>

#include "fisherman/core/types.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

/// A point is μ, log s and F, column by column. With G = diag(s)⁻¹F the coordinates (u, ℓ, Γ) are
///     dμ = s∘(I + GGᵀ)^½u,   d log s = ℓ/√2,   dF = s∘Γ(C + δI)^-½,   C = GᵀG(I + GᵀG)⁻¹,
/// in which the Fisher matrix is the identity for μ, and nearly so for s and F where no coordinate is but factors, and no
/// factor but one coordinate. δ keeps steps short along factors that hardly count, and which the density hardly knows.
class LowRankFrame {
 public:
  static std::string type_name() { return "low-rank-gaussian"; }

  /// Throws Misuse for sizes that do not go together, and unless all is finite and s positive.
  LowRankFrame(const Vector& mean, const Vector& s, const Matrix& F);

  Index order() const { return order_; }
  Index rank() const { return rank_; }
  Index dimension() const { return point_.size(); }
  const Vector& point() const { return point_; }
  Vector mean() const { return point_.head(order_); }
  const Vector& scale() const { return s_; }
  Matrix factor() const { return point_.tail(order_ * rank_).reshaped(order_, rank_); }
  /// Of each coordinate.
  Vector variances() const;

  Matrix pull(const ConstMatrixRef& E) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const;
  LowRankFrame retract(const Vector& v) const;
  Vector state() const { return point_; }
  LowRankFrame restored(const Vector& state) const;

  /// Σ⁻¹ times the columns.
  Matrix precision_times(const Matrix& columns) const;
  Vector precision_diagonal() const;
  double log_determinant() const;

 private:
  LowRankFrame(Vector point, Index order, Index rank);

  Vector point_;
  Index order_, rank_;
  Vector s_;
  Matrix G_, V_;     // GᵀG = V diag(squares) Vᵀ
  Vector squares_;   // not negative
  Matrix T_, undo_;  // (C + δI)^-½ and its inverse
};

class LowRankGaussian {
 public:
  using Frame = LowRankFrame;

  LowRankGaussian(Index dimension, Index rank);

  Index dimension() const { return dimension_; }
  Index rank() const { return rank_; }
  /// Number of standard normals of a draw: z, then w.
  Index normals() const { return dimension_ + rank_; }

  struct Sample {
    Matrix ys, z, w, a;  // a = Σ⁻¹(y − μ)
    Vector log_q;
  };
  Sample sample(const Frame& frame, const Matrix& normals) const;
  Vector log_density(const Frame& frame, const Matrix& ys) const;
  Matrix scores(const Frame& frame, const Sample& sample) const;
  Vector gradient(const Frame& frame, const Sample& sample, const Matrix& slopes) const;

 private:
  Index dimension_, rank_;
};

}  // namespace fisherman
