// Random points for the registry's examples.
#pragma once

#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  return Draws(seed, 0).normals(0, rows, cols);
}
inline Vector random_vector(Index n, std::uint64_t seed) { return random_matrix(n, 1, seed); }

/// A covariance with eigenvalues of about 0.1 to 5.
inline Matrix random_spd(Index n, std::uint64_t seed) {
  const Matrix A = Draws(seed, 1).normals(0, n, n + 2);
  return A * A.transpose() / double(n) + 0.1 * Matrix::Identity(n, n);
}

inline Matrix random_orthonormal(Index n, Index p, std::uint64_t seed) {
  require(p >= 1 && p <= n, "orthonormal columns are at most as many as their rows, not ", p,
          " of ", n);
  return thin_qr(random_matrix(n, p, seed)).Q;
}

}  // namespace fisherman
