// A model is what is fitted: a loss whose gradient can be estimated at a frame, and a family of
// distributions whose scores can be sampled there.
//
//   gradient(frame, draws)   an unbiased estimate of the loss's gradient, in the frame's coordinates:
//                            usually frame.pull(E) of an ambient gradient E    (eq:stochastic-gradient)
//   scores(frame, draws)     b scores ∇ log q_θ(y), y ~ q_θ, as columns in the frame's coordinates.
//                            They must come from the model (the true Fisher information), not from
//                            the data. Only needed by approximations that learn from scores.
//   scores(frame, draws, As<Form>)  the same in another form, such as factors, for the approximations that
//                            learn from it (fisher/score_form.hpp)                          (optional)
//   objective(frame)         the loss itself, for traces                                    (optional)
//   fisher(frame)            the Fisher operator in closed form, for Exact                  (optional)
//   value_and_gradient(frame)  the loss and its gradient without noise, for descend(); otherwise objective()
//                            and gradient() are asked, whose gradient must have no noise then (optional)
//
// Randomness comes from `draws` alone: the same draws give the same numbers, on any thread.
#pragma once

#include <concepts>
#include <optional>

#include "fisherman/core/random.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/fisher/score_form.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

template <class M, class F>
concept Model = requires(M& model, const F& frame, const Draws& draws) {
  { model.gradient(frame, draws) } -> std::convertible_to<Vector>;
};

template <class M, class F>
concept HasScores = requires(M& model, const F& frame, const Draws& draws) {
  { model.scores(frame, draws) } -> std::convertible_to<Matrix>;
};

template <class M, class F>
concept HasObjective = requires(M& model, const F& frame) {
  { model.objective(frame) } -> std::convertible_to<double>;
};

template <class M, class F>
concept HasFisher = requires(M& model, const F& frame) {
  { model.fisher(frame) } -> std::convertible_to<FisherOperator>;
};

/// Without noise.
struct ValueAndGradient {
  double value;
  Vector gradient;
};

template <class M, class F>
concept HasValueAndGradient = requires(M& model, const F& frame) {
  { model.value_and_gradient(frame) } -> std::convertible_to<ValueAndGradient>;
};

/// The loss, from a model that can tell.
template <Frame F, Model<F> M>
std::optional<double> objective(M& model, const F& frame) {
  if constexpr (requires {
                  { model.objective(frame) } -> std::same_as<std::optional<double>>;
                })
    return model.objective(frame);
  else if constexpr (HasObjective<M, F>)
    return double(model.objective(frame));
  else
    return std::nullopt;
}

/// The loss and its gradient. Throws Misuse for a model that cannot tell the loss. The draws are those that a gradient is
/// asked with which ought to need none.
template <Frame F, Model<F> M>
ValueAndGradient exact_value_and_gradient(M& model, const F& frame, const Draws& draws) {
  if constexpr (requires { model.exact_value_and_gradient(frame, draws); }) {
    return model.exact_value_and_gradient(frame, draws);  // of a model that is type-erased
  } else if constexpr (HasValueAndGradient<M, F>) {
    return model.value_and_gradient(frame);
  } else {
    const std::optional<double> value = objective(model, frame);
    require(value.has_value(), "a descent needs a model with an objective");
    return {*value, model.gradient(frame, draws)};
  }
}

}  // namespace fisherman
