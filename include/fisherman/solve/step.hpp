// One iteration of the paper's Algorithm 1 (alg:riemannian-if-ngd): the heart of the library. Lay
// it beside the paper.
#pragma once

#include <utility>

#include "fisherman/model/model.hpp"
#include "fisherman/solve/state.hpp"
#include "fisherman/solve/step_rule.hpp"

namespace fisherman {

/// What a step tells of itself.
struct StepReport {
  double predicted;  // ½gᵀ𝐇⁻¹g: the decrease, in nats, that a full natural step promises
  double step;       // τ, all caps applied
  double kl;         // ½τ²gᵀ𝐇⁻¹g: how far q moves
  double gradient_norm;
  double step_norm;  // ‖v‖
};

/// Takes from the model what the approximation learns from: scores, unless it says otherwise.
template <FisherApproximation H, class M, Frame F>
void learn(H& fisher, M& model, const F& frame, const Draws& draws) {
  if constexpr (requires { fisher.learn(model, frame, draws); })
    fisher.learn(model, frame, draws);
  else
    fisher.absorb(model.scores(frame, draws));
}

/// eq:fisher-transport. By the frame, coordinates carry over and there is nothing to do.
template <FisherApproximation H, Frame F>
void carry(H& fisher, const F& frame, const F& next, Carry how) {
  if (how == Carry::frame) return;
  if constexpr (HasTransport<F> && requires { fisher.carry(Transport{}, Transport{}); })
    fisher.carry(frame.transport_to(next), next.transport_to(frame));
  else
    throw Misuse("this manifold and Fisher approximation have no transport but the frame's own");
}

/// Throws NotFinite when a score, a gradient or a step is not finite; the point is then as before.
///
/// The paper transports at the start of an iteration; carrying at its end is the same order
/// shifted, and keeps the operator at the state's point.
template <Frame F, FisherApproximation H, Model<F> M>
StepReport advance(State<F, H>& s, M& model, const StepRule& rule, Carry how = Carry::frame) {
  const Draws draws(s.seed, std::uint64_t(s.iteration));
  learn(s.fisher, model, s.frame, draws);           // eq:fisher-inversefree-update
  const Vector g = model.gradient(s.frame, draws);  // eq:stochastic-gradient
  require_finite(g, "the gradient");
  const Vector natural = s.fisher.solve(g);  // 𝐇⁻¹g
  require_finite(natural, "the natural gradient");
  const double slope = g.dot(natural);
  double tau = s.caution * rule.length(s.iteration, slope, natural.norm());
  if (rule.guard) tau *= reach(s.frame, -tau * natural);
  const Vector v = -tau * natural;
  F next = s.frame.retract(v);          // eq:approx-ngd-update
  carry(s.fisher, s.frame, next, how);  // eq:fisher-transport
  s.frame = std::move(next);
  s.average.follow(s.frame, s.iteration);
  return {0.5 * slope, tau, 0.5 * tau * tau * slope, g.norm(), v.norm()};
}

}  // namespace fisherman
