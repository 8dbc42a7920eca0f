// Symmetric and skew matrices as vectors, such that the dot product of two packed vectors is the
// trace inner product of the matrices: off-diagonal entries carry a √2 and stand once.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

inline Index svec_size(Index n) { return n * (n + 1) / 2; }
inline Index skew_size(Index n) { return n * (n - 1) / 2; }

/// Symmetric matrix → vector, lower triangle column by column. An unsymmetric S counts as its
/// symmetric part.
Vector svec(const ConstMatrixRef& S);
/// Its inverse: vector → n×n symmetric matrix.
Matrix smat(const ConstVectorRef& v, Index n);

/// Skew matrix → vector, strictly lower triangle column by column. A general A counts as its skew
/// part (A − Aᵀ)/2.
Vector skew_vec(const ConstMatrixRef& A);
Matrix skew_mat(const ConstVectorRef& v, Index n);

}  // namespace fisherman
