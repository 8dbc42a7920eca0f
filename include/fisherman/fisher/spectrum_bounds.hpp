// How far 𝐇⁻¹ stretches and shrinks: the paper's assumption:eigenvalues asks that its largest
// eigenvalue grow slowly, and a run can report it.
#pragma once

#include <functional>

#include "fisherman/core/types.hpp"

namespace fisherman {

struct SpectrumBounds {
  double smallest = 0.0;
  double largest = 0.0;
};

/// Extreme eigenvalues of a symmetric operator of order n, by the Lanczos method with full
/// reorthogonalisation: `steps` products. Ritz values lie inside the spectrum, so the true interval
/// is at least this wide.
SpectrumBounds spectrum_bounds(Index n, const std::function<Vector(const Vector&)>& product,
                               Index steps = 40);

/// Of v ↦ solve(v).
template <class H>
SpectrumBounds spectrum_bounds(H& fisher, Index steps = 40) {
  return spectrum_bounds(
      fisher.dimension(), [&](const Vector& v) -> Vector { return fisher.solve(v); }, steps);
}

}  // namespace fisherman
