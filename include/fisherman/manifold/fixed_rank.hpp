// m×n matrices of rank r, X = U S Vᵀ, with the embedded metric.
//
// A tangent vector is ξ = U M Vᵀ + U_p Vᵀ + U V_pᵀ with UᵀU_p = 0, VᵀV_p = 0
// (eq:fixedrank-coordinates). The frame is redundant: coordinates are (M, U_p, V_p) as full r×r,
// m×r and n×r matrices; pull projects (eq:fixedrank-proj-decompose) and so does push. An operator
// in these coordinates is carried by doing nothing, which is the paper's projection transport done
// lazily.
//
// The factors are aligned: after each step U and V are turned to lie closest to the old ones
// (Procrustes), and S is a full r×r matrix. Factors of a fresh SVD rotate arbitrarily where
// singular values tie, and an operator kept in them would be meaningless.
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

class FixedRank {
 public:
  static std::string type_name() { return "fixed-rank"; }
  static constexpr bool embedded = true;

  /// The nearest matrix of rank r; throws Misuse unless 1 ≤ r ≤ min(m, n) and X has rank r at
  /// least.
  FixedRank(const ConstMatrixRef& X, Index rank);
  /// From factors; U and V must have orthonormal columns.
  FixedRank(Matrix U, Matrix S, Matrix V);

  Index rows() const { return U_.rows(); }
  Index cols() const { return V_.rows(); }
  Index rank() const { return S_.rows(); }
  const Matrix& U() const { return U_; }
  const Matrix& S() const { return S_; }
  const Matrix& V() const { return V_; }
  Matrix matrix() const { return U_ * S_ * V_.transpose(); }

  Index dimension() const { return rank() * (rank() + rows() + cols()); }
  Vector point() const;
  Matrix pull(const ConstMatrixRef& E) const;
  /// The same for gradients x wᵀ, given by the columns of Xs and Ws: O((m+n)r) each.
  Matrix pull_outer(const ConstMatrixRef& Xs, const ConstMatrixRef& Ws) const;
  /// Into a place that the caller has: dimension() rows and a column for each.
  void pull_outer(const ConstMatrixRef& Xs, const ConstMatrixRef& Ws, Eigen::Ref<Matrix> out) const;
  /// The same for one gradient Z, given by ZV and ZᵀU: a sum of many x wᵀ never has to be formed.
  Vector pull_products(const ConstMatrixRef& ZV, const ConstMatrixRef& ZtU) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const { return pull(U); }
  /// The nearest matrix of rank r to X + ξ, in O((m+n)r²).
  FixedRank retract(const Vector& v) const;
  /// Steps no longer than half the norm of X.
  double reach(const Vector& v) const;

  /// The paper's projection transport, O((m+n)r²) a column. It contracts, and has no inverse
  /// adjoint.
  Transport transport_to(const FixedRank& next) const;

  Vector state() const;
  FixedRank restored(const Vector& state) const;

 private:
  struct Tangent {
    Matrix M, Up, Vp;
  };
  Tangent unpacked(const ConstVectorRef& v) const;  // as stored, not projected
  Tangent projected(Tangent t) const;
  Vector packed(const Tangent& t) const;

  Matrix U_, S_, V_;
};

}  // namespace fisherman
