// Symmetric matrices through their eigenvalues: functions of them, and Lyapunov equations.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// S = P diag(values) Pᵀ with ascending values.
struct Spectrum {
  Matrix P;
  Vector values;

  /// P diag(f(values)) Pᵀ
  template <class F>
  Matrix map(F f) const {
    return P * values.unaryExpr(f).asDiagonal() * P.transpose();
  }
};

/// Throws NotFinite when S is not finite. Only the lower triangle of S is read.
Spectrum spectrum(const ConstMatrixRef& S);

/// L_Σ(U): the symmetric X with ΣX + XΣ = U, Σ given by its spectrum.
Matrix lyapunov(const Spectrum& sigma, const ConstMatrixRef& U);

/// The matrix geometric mean A # B = A^½ (A^-½ B A^-½)^½ A^½.
Matrix geometric_mean(const ConstMatrixRef& A, const ConstMatrixRef& B);

/// The nearest matrix with orthonormal columns, the polar factor of A (A must have full column
/// rank).
Matrix polar_factor(const ConstMatrixRef& A);

/// A basis with orthonormal columns of A's columns, by Gram-Schmidt: R of A = QR has a positive
/// diagonal, so that Q is a smooth function of A.
Matrix orthonormalised(const ConstMatrixRef& A);

}  // namespace fisherman
