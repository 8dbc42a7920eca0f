// The paper's vector transports, as linear maps between the coordinates of two frames. Transport by
// the frame itself is the identity in coordinates and needs no object.
#pragma once

#include <functional>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// How an operator gets from one tangent space to the next: by the frame (nothing to do), or by the
/// transport that the paper names for the manifold.
enum class Carry { frame, paper };

/// A transport T in coordinates. Each map takes the columns of a matrix.
struct Transport {
  using Map = std::function<Matrix(const ConstMatrixRef&)>;

  Map apply;            // T
  Map adjoint;          // Tᵀ
  Map inverse_adjoint;  // T⁻ᵀ; equal to T for an isometry. May be empty if T has no inverse.
  enum class Kind {
    general,
    isometry,
    identity
  } kind = Kind::general;  // from least to most special

  static Transport identity() {
    const Map same = [](const ConstMatrixRef& m) { return Matrix(m); };
    return {same, same, same, Kind::identity};
  }

  static Transport isometry(const Map& apply, const Map& adjoint) {
    return {apply, adjoint, apply, Kind::isometry};
  }

  /// The diagonal block of T on `size` coordinates from `offset` on, out of `total`.
  Transport block(Index offset, Index size, Index total) const {
    const auto cut = [=](const Map& map) -> Map {
      if (!map) return {};
      return [=](const ConstMatrixRef& m) {
        Matrix whole = Matrix::Zero(total, m.cols());
        whole.middleRows(offset, size) = m;
        return Matrix(map(whole).middleRows(offset, size));
      };
    };
    // A block of an isometry need not be one; a block of the identity is the identity.
    if (kind == Kind::identity) return identity();
    return {cut(apply), cut(adjoint), cut(inverse_adjoint)};
  }
};

}  // namespace fisherman
