// A Gaussian near a density to start from: quasi-Newton steps towards a mode, and of the points on the way the one whose
// Gaussian is nearest. The last is not always the best: the mode of a hierarchical model may be nowhere near its mass.
#pragma once

#include <cstdint>

#include "fisherman/model/target.hpp"

namespace fisherman {

struct GaussianStart {
  Vector mean;
  Matrix covariance;
  double nelbo;       // roughly, from a few draws; +∞ if the density was not finite anywhere near
  Index evaluations;  // of the density
};

/// From the point `from`. Takes some tens of evaluations. Throws NotFinite if the density has no value there.
GaussianStart gaussian_start(const FunctionTarget& target, const Vector& from, std::uint64_t seed);

/// The n-th point to begin at: 0, then points uniform in (−2, 2)ᵈ.
Vector start_point(Index dimension, std::uint64_t seed, Index n);

/// Throws Misuse if the density or its gradient is not finite at any of the first `starts` points to begin at. One
/// evaluation, mostly.
void require_a_start(const FunctionTarget& target, std::uint64_t seed, Index starts);

}  // namespace fisherman
