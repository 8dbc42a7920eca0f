// One iteration of the paper's Algorithm 1 (alg:riemannian-if-ngd): the heart of the library. Lay
// it beside the paper.
#pragma once

#include <cmath>
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

/// Takes from the model what the approximation learns from: scores, unless it says otherwise. False if it has learnt nothing.
template <FisherApproximation H, class M, Frame F>
bool learn(H& fisher, M& model, const F& frame, const Draws& draws) {
  if constexpr (requires { bool(fisher.learn(model, frame, draws)); })
    return fisher.learn(model, frame, draws);
  else if constexpr (requires { fisher.learn(model, frame, draws); })
    fisher.learn(model, frame, draws);
  else
    fisher.absorb(model.scores(frame, draws));
  return true;
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

/// A step that has been worked out and not been taken.
template <Frame F>
struct Proposal {
  F next;
  StepReport report;
  Vector gradient, natural;  // g and 𝐇⁻¹g
};

/// The iteration up to the new point. Throws NotFinite when a score, a gradient or a step is not finite,
/// or when 𝐇⁻¹ points uphill.
template <Frame F, FisherApproximation H, Model<F> M>
Proposal<F> propose(State<F, H>& s, M& model, const StepRule& rule) {
  const Draws draws(s.seed, std::uint64_t(s.iteration));
  learn(s.fisher, model, s.frame, draws);     // eq:fisher-inversefree-update
  Vector g = model.gradient(s.frame, draws);  // eq:stochastic-gradient
  require_finite(g, "the gradient");
  Vector natural = s.fisher.solve(g);  // 𝐇⁻¹g
  const double slope = g.dot(natural);
  if (!std::isfinite(slope) || (slope < 0.0 && !has_momentum(s.fisher)))
    throw NotFinite("the natural gradient is not a descent");
  double tau = s.caution * rule.length(s.iteration, slope, natural.norm());
  if (rule.guard) tau *= reach(s.frame, -tau * natural);
  const Vector v = -tau * natural;
  return {s.frame.retract(v),  // eq:approx-ngd-update
          {0.5 * slope, tau, 0.5 * tau * tau * slope, g.norm(), v.norm()},
          std::move(g),
          std::move(natural)};
}

/// Moves there. The paper transports at the start of an iteration; carrying at its end is the same order
/// shifted, and keeps the operator at the state's point.
template <Frame F, FisherApproximation H>
void accept(State<F, H>& s, F next, Carry how) {
  carry(s.fisher, s.frame, next, how);  // eq:fisher-transport
  s.frame = std::move(next);
  s.average.follow(s.frame, s.iteration);
}

template <Frame F, FisherApproximation H, Model<F> M>
StepReport advance(State<F, H>& s, M& model, const StepRule& rule, Carry how = Carry::frame) {
  Proposal<F> step = propose(s, model, rule);
  accept(s, std::move(step.next), how);
  return step.report;
}

}  // namespace fisherman
