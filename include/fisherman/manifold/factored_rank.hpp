// m×n matrices of rank r at most, X = L Rᵀ with RᵀR = I, as factors in a gauge that moves along.
//
// A tangent vector is D Rᵀ + L Eᵀ with RᵀE = 0: its coordinates are (D, E), full m×r and n×r matrices. FixedRank's
// coordinates are orthonormal in the metric of X; these are orthonormal in that of the factors, which suits an X whose
// rows have scales of their own: D is in the rows' own coordinates, whatever L is. Ambient numbers are (L, R), and a gradient
// with respect to them must belong to a function of L Rᵀ, as for Grassmann.
//
// R turns as little as it can: after a step it is the polar factor of R + E, and L takes up what is left, so that
// X = (L + D)(R + E)ᵀ exactly. Nothing is divided by singular values of X, which may come down to zero.
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

class FactoredRank {
 public:
  static std::string type_name() { return "factored-rank"; }
  static constexpr bool embedded = true;

  /// From any factors of X = L Rᵀ; R must have full column rank.
  FactoredRank(const Matrix& L, const Matrix& R);

  Index rows() const { return L_.rows(); }
  Index cols() const { return R_.rows(); }
  Index rank() const { return L_.cols(); }
  const Matrix& L() const { return L_; }
  const Matrix& R() const { return R_; }

  Index dimension() const { return (rows() + cols()) * rank(); }
  Vector point() const;
  Matrix pull(const ConstMatrixRef& E) const;
  /// For the gradient Z of a function of X, given by ZR and ZᵀL.
  Vector pull_products(const ConstMatrixRef& ZR, const ConstMatrixRef& ZtL) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const { return pull(U); }
  FactoredRank retract(const Vector& v) const;
  /// Keeps the angles that R turns by below a radian or so.
  double reach(const Vector& v) const;

  Vector state() const { return point(); }
  FactoredRank restored(const Vector& state) const;

 private:
  FactoredRank() = default;
  Matrix turned(const ConstVectorRef& v) const;  // E, projected
  Matrix L_, R_;
};

}  // namespace fisherman
