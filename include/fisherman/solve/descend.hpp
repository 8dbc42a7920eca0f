// The deterministic driver: Riemannian L-BFGS in the coordinates of moving frames, for gradients without noise. The pairs
// need no transport, and the first matrix is any Fisher approximation: exact, or as a stochastic run has learnt it. State,
// criteria, observers and checkpoints are those of run().
//
// A model gives the loss and its gradient together, value_and_gradient(frame), or each by itself: objective(frame), and
// gradient(frame, draws), which then must not depend on the draws.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/solve/run.hpp"

namespace fisherman {

struct DescentOptions {
  Index memory = 20;          // pairs of differences kept
  double decrease = 1e-4;     // Wolfe's conditions: of what the slope promises, and
  double curvature = 0.9;     // of the slope itself
  int most_evaluations = 40;  // of one line search
  /// Where positive, this multiple of what is still to fall if the last falls go on (secant.hpp) counts as still to gain, if
  /// it is more than ½gᵀ𝐇⁻¹g: few pairs know little of the directions in which the objective is nearly flat.
  double distrust = 0.0;

  double rounding = 1e-14;  // what the objective cannot tell apart, as a share of it

  std::int64_t learn_every =
      0;  // iterations between those that the first matrix learns in; 0: it stays as it is

  void check() const {
    require(learn_every >= 0, "learn_every is ", learn_every, ", but must not be negative");
    require(memory >= 1, "the memory is ", memory, " pairs, but must be at least 1");
    require(decrease > 0.0 && decrease < curvature && curvature < 1.0,
            "Wolfe's conditions need 0 < decrease < curvature < 1, but are ", decrease, " and ",
            curvature);
    require(most_evaluations >= 1, "a line search needs at least one evaluation");
    require(distrust >= 0.0, "distrust is ", distrust, ", but must not be negative");
    require(rounding > 0.0 && rounding < 1e-3, "rounding is ", rounding,
            ", but must be a small positive share");
  }
};

namespace detail {

template <Frame F, class M>
ValueAndGradient evaluated(M& model, const F& frame, std::uint64_t seed) {
  ValueAndGradient out = exact_value_and_gradient(model, frame, Draws(seed, 0));
  require_finite(out.gradient, "the gradient");
  if (!std::isfinite(out.value)) throw NotFinite("the objective is not finite");
  return out;
}

template <Frame F>
struct Found {
  F frame;
  ValueAndGradient at;
  double length;
};

/// Bisection to the weak Wolfe conditions (Lewis and Overton 2013): enough decrease, and a slope that has risen. The slope
/// at the new point is taken along v, which the frame has carried there. Where the objective cannot tell two points apart
/// for rounding, the slope alone decides. Nothing if the interval shrinks to nothing first.
template <Frame F, class M>
std::optional<Found<F>> search(M& model, const F& frame, const ValueAndGradient& here,
                               const Vector& v, double first, std::uint64_t seed,
                               const DescentOptions& options) {
  const double slope = here.gradient.dot(v), rounding = options.rounding * std::abs(here.value);
  double low = 0.0, high = std::numeric_limits<double>::infinity(), t = first;
  std::optional<Found<F>> lower;  // the best that is at least lower
  for (int k = 0; k < options.most_evaluations; ++k) {
    bool enough = false, flat = false;
    try {
      F next = frame.retract(t * v);
      ValueAndGradient there = evaluated(model, next, seed);
      enough = there.value <= here.value + options.decrease * t * slope + rounding;
      flat = there.gradient.dot(v) >= options.curvature * slope;
      const bool best = enough && (!lower || there.value < lower->at.value);
      if (best) lower.emplace(Found<F>{std::move(next), std::move(there), t});
    } catch (const NotFinite&) {  // beyond where the model is defined
    }
    if (enough && flat) return lower;
    (enough ? low : high) = t;
    t = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * t;
    if (std::isfinite(high) && high - low < 1e-12 * high) break;
  }
  return lower;
}

/// 𝐇⁻¹g at the state's point, and what is still to gain by it.
template <Frame F, FisherApproximation H>
void foresee(State<F, H>& s, const DescentOptions& options) {
  s.mean_natural = s.secants.times(s.mean_gradient,
                                   [&](const Vector& g) -> Vector { return s.fisher.solve(g); });
  s.predicted = std::max(
      0.5 * s.mean_gradient.dot(s.mean_natural),
      options.distrust > 0.0
          ? options.distrust * s.secants.falls_to_come(options.rounding * std::abs(s.objective))
          : 0.0);
}

}  // namespace detail

/// Until a criterion says stop. Ends as `stalled` where no step lowers the objective, though some ought to.
template <Frame F, FisherApproximation H, Model<F> M>
Outcome descend(State<F, H>& s, M& model, const DescentOptions& options, const Stop& stop,
                const std::vector<Observer<State<F, H>>>& observers = {}) {
  using Clock = std::chrono::steady_clock;
  options.check();
  detail::require_same_dimension(s);
  const auto began = Clock::now();
  const double before = s.seconds;
  if (!s.descending) {  // whatever ran before, its means are not gradients
    ValueAndGradient start = detail::evaluated(model, s.frame, s.seed);
    s.objective = start.value;
    s.mean_gradient = std::move(start.gradient);
    s.secants = {};
    s.predicted = Record::unknown;
    s.descending = 1;
    if (!detail::due(options.learn_every, s.iteration)) detail::foresee(s, options);
  }
  Record record = detail::record_of(s);
  if (const auto status = stop(record)) return {*status, record, {}};
  for (;;) {
    if (detail::due(options.learn_every, s.iteration) &&  // as in propose(): first learn, then go
        learn(s.fisher, model, s.frame, Draws(s.seed, std::uint64_t(s.iteration))))
      detail::foresee(s, options);
    Vector v = -s.mean_natural;
    const double slope = s.mean_gradient.dot(v);
    std::optional<detail::Found<F>> found;
    if (slope < 0.0) {
      v *= reach(s.frame, v);
      found =
          detail::search(model, s.frame, {s.objective, s.mean_gradient}, v, 1.0, s.seed, options);
    }
    record = {};
    if (found) {
      const Vector step = found->length * v;
      record.step = found->length;
      record.kl = -0.5 * found->length * found->length * slope;
      record.step_norm = step.norm();
      s.secants.remember(step, found->at.gradient - s.mean_gradient, s.objective - found->at.value,
                         options.memory,
                         [&](const Vector& g) -> Vector { return s.fisher.solve(g); });
      s.frame = std::move(found->frame);
      s.objective = found->at.value;
      s.mean_gradient = std::move(found->at.gradient);
      s.clips += clips(s.frame);
    } else {
      ++s.rejected;
    }
    const bool stalled = !found && s.secants.empty();
    if (!found) s.secants.forget();  // once more by the first matrix alone
    s.history.add(s.objective);
    ++s.iteration;
    detail::foresee(s, options);
    record.iteration = s.iteration;
    record.objective = s.objective;
    record.predicted = s.predicted;
    record.gradient_norm = s.mean_gradient.norm();
    record.evaluations = s.history.count();
    record.doubling = s.history.gained_by_doubling();
    record.rejected = s.rejected;
    record.clips = s.clips;
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    auto status = stop(record);
    if (!status && stalled) status = Status::stalled;
    record.last = status.has_value();
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, {}};
  }
}

}  // namespace fisherman
