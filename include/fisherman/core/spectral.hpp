// Factorisations and functions of matrices, by LAPACK: spectra, singular values, QR, rotations.
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

/// A = U diag(s) Vᵀ, thin, singular values descending. Throws NotFinite when A is not finite.
struct Svd {
  Matrix U;
  Vector s;
  Matrix V;
};
Svd svd(const ConstMatrixRef& A);

/// A = QR, thin, with the diagonal of R not negative: Q is a smooth function of A where A has full rank.
struct Qr {
  Matrix Q, R;
};
Qr thin_qr(const ConstMatrixRef& A);

/// exp of a skew matrix, a rotation; and its inverse for rotations by less than π.
Matrix rotation_exp(const ConstMatrixRef& skew);
Matrix rotation_log(const ConstMatrixRef& rotation);

}  // namespace fisherman
