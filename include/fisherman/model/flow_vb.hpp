// Variational Bayes with a normalising flow: the NELBO E_q[log q(y) − log π̄(y)] of a family q_θ, y = T_θ(ε)
// with ε ~ N(0, I), for any Target.
//
// A family gives, at its frame:
//   dimension()                        of y
//   normals()                          the number of numbers of an ε, if that is not the dimension
//   sample(frame, normals)             y and log q, one column each, and what else follows from the normals
//   log_density(frame, ys)             log q at any points, by the inverse of T
//   scores(frame, sample)              ∇_θ log q(y) at fixed y, in the frame's coordinates
//   gradient(frame, sample, slopes)    the mean of ∇_θ[log q(T_θ(ε)) − log π̄(T_θ(ε))], in coordinates,
//                                      given slopes = ∇ log π̄(y)
//   scores(frame, sample, As<Form>)    the same in each of the family's ScoreForms (fisher/score_form.hpp)
//   fisher(frame)                      where it exists
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "fisherman/core/random.hpp"
#include "fisherman/model/model.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

template <class F>
concept FlowFamily = Frame<typename F::Frame> &&
    requires(const F& family, const typename F::Frame& frame, const typename F::Sample& sample,
             const Matrix& m) {
  { family.dimension() } -> std::convertible_to<Index>;
  { family.sample(frame, m) } -> std::same_as<typename F::Sample>;
  { sample.ys } -> std::convertible_to<Matrix>;
  { sample.log_q } -> std::convertible_to<Vector>;
  { family.log_density(frame, m) } -> std::convertible_to<Vector>;
  { family.scores(frame, sample) } -> std::convertible_to<Matrix>;
  { family.gradient(frame, sample, m) } -> std::convertible_to<Vector>;
};

template <FlowFamily F>
Index normals_of(const F& family) {
  if constexpr (requires { family.normals(); })
    return family.normals();
  else
    return family.dimension();
}

struct FlowVbOptions {
  Index draws = 10;   // for the gradient
  Index scores = 10;  // an iteration
  /// The gradient's first draws serve as scores too.
  bool reuse_draws = false;
  /// Subtracts the mean score, whose expectation is 0: sticking the landing. No noise where q = π̄.
  bool landing = false;
  Index minibatch = 0;          // rows of the data for each gradient; 0 = all
  Index objective_draws = 256;  // the same at every point: differences carry little noise
};

template <Target T, FlowFamily Family>
class FlowVb {
 public:
  using Frame = typename Family::Frame;
  using Sample = typename Family::Sample;
  using ScoreForms = ScoreFormsOf<Family>;

  FlowVb(T target, Family family, FlowVbOptions options = {})
      : target_(std::move(target)), family_(std::move(family)), options_(options) {
    require(target_.dimension() == family_.dimension(), "the target has dimension ",
            target_.dimension(), ", but the flow has ", family_.dimension());
    require(options.draws > 0, "draws is ", options.draws, ", but must be positive");
    require(options.scores > 0, "scores is ", options.scores, ", but must be positive");
    require(options.objective_draws > 0, "objective_draws is ", options.objective_draws,
            ", but must be positive");
    require(!options.reuse_draws || options.scores <= options.draws, "scores is ", options.scores,
            ", but only ", options.draws, " draws are there to be used again");
    require(options.minibatch >= 0, "minibatch is ", options.minibatch,
            ", but must not be negative");
    require(options.minibatch == 0 || HasSubset<T>,
            "minibatches need a target with rows() and subset()");
  }

  const T& target() const { return target_; }
  const Family& family() const { return family_; }

  Vector gradient(const Frame& frame, const Draws& draws) const {
    const Sample sample = drawn(frame, draws, for_gradient, options_.draws);
    Matrix slopes(family_.dimension(), options_.draws);
    with_rows(target_, options_.minibatch, draws,
              [&](const T& target) { return Vector(target.log_density(sample.ys, slopes)); });
    Vector g = family_.gradient(frame, sample, slopes);
    if (options_.landing) g -= family_.scores(frame, sample).rowwise().mean();
    return g;
  }

  Matrix scores(const Frame& frame, const Draws& draws) const {
    return family_.scores(frame, score_sample(frame, draws));
  }

  template <class Form>
  Form scores(const Frame& frame, const Draws& draws, As<Form>) const {
    return scores_as<Form>(family_, frame, score_sample(frame, draws));
  }

  /// The NELBO with all constants, over the whole data, by `objective_draws` draws.
  double objective(const Frame& frame) const { return nelbo(frame, Draws(0, 0)).mean; }

  struct Estimate {
    double mean, error;  // one standard error
  };
  /// The same from fresh draws, with its error.
  Estimate nelbo(const Frame& frame, const Draws& draws, Index count = 0) const {
    const Index n = count > 0 ? count : options_.objective_draws;
    const Sample sample = drawn(frame, draws, for_objective, n);
    Matrix slopes(family_.dimension(), n);
    const Vector values = sample.log_q - target_.log_density(sample.ys, slopes);
    const double mean = values.mean();
    return {mean, std::sqrt((values.array() - mean).square().sum() / double(n) / double(n))};
  }

  FisherOperator fisher(const Frame& frame) const requires requires(const Family& f) {
    f.fisher(frame);
  }
  { return family_.fisher(frame); }

 private:
  enum Stream : std::uint32_t { for_gradient, for_scores, for_objective };

  Sample drawn(const Frame& frame, const Draws& draws, Stream stream, Index count) const {
    return family_.sample(frame, draws.normals(stream, normals_of(family_), count));
  }
  Sample score_sample(const Frame& frame, const Draws& draws) const {
    return drawn(frame, draws, options_.reuse_draws ? for_gradient : for_scores, options_.scores);
  }

  T target_;
  Family family_;
  FlowVbOptions options_;
};

}  // namespace fisherman
