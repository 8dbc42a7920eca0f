// A Fisher approximation is an estimate 𝐇⁻¹ of the inverse Fisher operator, in the coordinates of a
// frame. It learns from scores and turns gradients into natural gradients.
//
//   dimension()  the number of coordinates
//   absorb(Φ)    the columns of Φ are scores φ: H ← H + ΦΦᵀ          (eq:fisher-inversefree-update)
//   solve(g)     the natural gradient 𝐇⁻¹g with 𝐇⁻¹ = n·H⁻¹. What it returns may be a reference to a
//                buffer that the next call overwrites.
//
// n is the number of score vectors that H holds. The paper writes s+1, for one score an iteration;
// with b an iteration it must be b(s+1), and for a window of K at most K.
//
// What an approximation may offer besides:
//   learn(model, frame, draws)  takes from the model what it needs, instead of scores; for scores in another
//                               form, scores_as<Form>(model, frame, draws) (score_form.hpp). May return whether it
//                               has learnt anything.
//   carry(forward, backward)    moves along the paper's transport (eq:fisher-transport). Transport by
//                               the frame needs nothing.
//   save(writer), load(reader)  for checkpoints
//   is_spread()                 true if ranks have parts of it (spread.hpp): save() is then a call together
//   has_momentum()              true if solve() also goes by past gradients, so that it may point uphill
//
// Laws (fisherman/testing/fisher_laws.hpp): solve is linear, symmetric, positive definite, and equal to
// what a dense inverse of the same scores gives; absorbing b scores at once or one by one is the same
// (Kronecker and Decorrelated are no such inverse, and Decorrelated's order matters).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

template <class H>
concept FisherApproximation = requires(H& h, const H& constant, const Matrix& scores,
                                       const Vector& g) {
  { constant.dimension() } -> std::convertible_to<Index>;
  h.absorb(scores);
  { h.solve(g) } -> std::convertible_to<Vector>;
};

template <FisherApproximation H>
bool has_momentum(const H& h) {
  if constexpr (requires { h.has_momentum(); })
    return h.has_momentum();
  else
    return false;
}

template <FisherApproximation H>
bool is_spread(const H& h) {
  if constexpr (requires { h.is_spread(); })
    return h.is_spread();
  else
    return false;
}

/// Damping that does not fade as ε/n does: 𝐇 gains about level·n^-decay on its diagonal, in Fisher
/// units, n scores into the run. decay > 0 is the tapered noise of Godichon-Baggioni et al. (2024), which
/// the paper cites for its boundedness assumption; decay = 0 is plain damping. Window adds it exactly;
/// Dense brings it in one coordinate at a time, so it holds after each whole cycle of coordinates.
struct Floor {
  double level = 0.0;
  double decay = 0.0;

  void check() const {
    require(level >= 0.0, "the floor's level is ", level, ", but must not be negative");
    require(decay >= 0.0, "the floor's decay is ", decay, ", but must not be negative");
  }

  double at(Index n) const {
    return level == 0.0 ? 0.0 : level * std::pow(double(std::max<Index>(n, 1)), -decay);
  }
};

/// The Fisher operator itself, where it has a closed form, in coordinates.
struct FisherOperator {
  std::function<Vector(const Vector&)> apply;  // F v
  std::function<Vector(const Vector&)> solve;  // F⁻¹ g
};

}  // namespace fisherman
