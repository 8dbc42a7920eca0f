// A model for any manifold: the distance to a target in ambient space, with noise; and random
// starts.
#pragma once

#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman::toy {

/// ½‖point − target‖², its gradient with noise, and ambient normals as scores.
struct Attraction {
  Vector target;
  Index batch = 2;
  double noise = 0.1;

  template <Frame F>
  Vector gradient(const F& frame, const Draws& draws) const {
    const Vector E = Vector(frame.point()) - target + noise * draws.normals(0, target.size(), 1);
    return frame.pull(Matrix(E));
  }
  template <Frame F>
  Matrix scores(const F& frame, const Draws& draws) const {
    return frame.pull(draws.normals(1, target.size(), batch));
  }
  template <Frame F>
  double objective(const F& frame) const {
    return 0.5 * (Vector(frame.point()) - target).squaredNorm();
  }
};

inline Matrix random_spd(Index n, std::uint64_t seed) {
  const Matrix A = Draws(seed, 0).normals(0, n, n + 2);
  return A * A.transpose() / double(n) + 0.1 * Matrix::Identity(n, n);
}

inline Matrix random_orthonormal(Index n, Index p, std::uint64_t seed) {
  return thin_qr(Draws(seed, 0).normals(0, n, p)).Q;
}

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  return Draws(seed, 0).normals(0, rows, cols);
}

inline Vector random_vector(Index n, std::uint64_t seed) { return Draws(seed, 0).normals(0, n, 1); }

}  // namespace fisherman::toy
