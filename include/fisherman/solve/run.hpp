// The driver: steps until a criterion says stop, watched by observers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/fisher/spectrum_bounds.hpp"
#include "fisherman/solve/acceptance.hpp"
#include "fisherman/solve/remaining.hpp"
#include "fisherman/solve/step.hpp"
#include "fisherman/solve/stop.hpp"

namespace fisherman {

struct RunOptions {
  StepRule rule = {};
  Carry carry = Carry::frame;
  std::int64_t evaluate_every = 10;  // iterations between evaluations of the objective; 0 = never
  std::int64_t spectrum_every = 0;   // the same for the spectrum of 𝐇⁻¹, at 40 products each
  std::int64_t patience = 8;         // rejected steps in a row before the run counts as diverged
  double smoothing = 0.98;           // weight of the past in the predicted improvement; 0: no noise
  Acceptance accept = accept_all();  // which steps are taken
  /// Where positive, the predicted improvement is measured every now and then, up to this many nats: what
  /// the noise of the gradients costs is added. And if 𝐇 is no Fisher information, so that ½ḡᵀ𝐇⁻¹ḡ is not in
  /// nats, differences of gradients take its place (remaining.hpp).
  double measure_until = 0.0;
  bool in_nats = true;

  void check() const {
    rule.check();
    require(evaluate_every >= 0, "evaluate_every is ", evaluate_every,
            ", but must not be negative");
    require(spectrum_every >= 0, "spectrum_every is ", spectrum_every,
            ", but must not be negative");
    require(patience >= 1, "patience is ", patience, ", but must be at least 1");
    require(smoothing >= 0.0 && smoothing < 1.0, "smoothing is ", smoothing,
            ", but must lie between 0 and 1");
    require(measure_until >= 0.0, "measure_until is ", measure_until, ", but must not be negative");
  }
};

/// Sees every iteration: the record, and the state after it.
template <class S>
using Observer = std::function<void(const Record&, const S&)>;

struct Outcome {
  Status status;
  Record last;
  std::string trouble;  // what was not finite, the last time a step was rejected
};

namespace detail {

constexpr std::int64_t measure_every = 20;  // iterations; a gradient or two each time, mostly

inline bool due(std::int64_t every, std::int64_t iteration) {
  return every > 0 && iteration % every == 0;
}

template <Frame F, FisherApproximation H>
void require_same_dimension(const State<F, H>& s) {
  require(s.fisher.dimension() == s.frame.dimension(), "the Fisher approximation has dimension ",
          s.fisher.dimension(), ", but the frame has ", s.frame.dimension(), " coordinates");
}

/// What is known before the first iteration, or before the first after a resume.
template <Frame F, FisherApproximation H>
Record record_of(const State<F, H>& s) {
  return {.iteration = s.iteration,
          .seconds = s.seconds,
          .doubling = s.history.gained_by_doubling(),
          .predicted = s.predicted,
          .evaluations = s.history.count()};
}

/// What is still to be had is ½gᵀ𝐇⁻¹g at the mean gradient: noise cancels in ḡ, but not in a mean of
/// ½gᵀ𝐇⁻¹g. The mean of 𝐇⁻¹g stands for 𝐇⁻¹ḡ, which would cost another product. Early on the past counts
/// for less, so that the long way down is soon forgotten.
template <Frame F, FisherApproximation H>
void foresee(State<F, H>& s, const Proposal<F>& step, double smoothing) {
  const double k = double(s.iteration), past = std::min(smoothing, k / (k + 5.0));
  if (s.mean_gradient.size() == 0)
    s.mean_gradient = s.mean_natural = Vector::Zero(step.gradient.size());
  s.mean_gradient = past * s.mean_gradient + (1.0 - past) * step.gradient;
  s.mean_natural = past * s.mean_natural + (1.0 - past) * step.natural;
  // While 𝐇 is young the product of the two means may be negative, which says nothing about what is left.
  const double gain = 0.5 * s.mean_gradient.dot(s.mean_natural);
  s.predicted = gain > 0.0 || s.mean_gradient.isZero(0.0) ? gain : Record::unknown;
}

/// A step, or its rejection: if anything is not finite, the point stays where it was and the next steps
/// are half as long. So it does if the acceptance policy refuses the step.
template <Frame F, FisherApproximation H, Model<F> M>
void guarded_step(State<F, H>& s, M& model, const RunOptions& options, Record& record,
                  std::string& trouble) {
  const bool evaluate = due(options.evaluate_every, s.iteration + 1);
  try {
    Proposal<F> step = propose(s, model, options.rule);
    std::optional<double> value;
    if (evaluate || options.accept.compares()) {
      value = objective(model, s.estimate_at(step.next));
      if (value && !std::isfinite(*value)) throw NotFinite("the objective is not finite");
    }
    const auto verdict =
        options.accept({s.objective, value.value_or(Record::unknown), step.report, s.caution});
    s.caution = verdict.caution;
    if (verdict.take) {
      accept(s, std::move(step.next), options.carry);
      foresee(s, step, options.smoothing);
      if (options.measure_until > 0.0)
        s.predicted = due(measure_every, s.iteration + 1)
                          ? measured_gain(s, model, step.report, options.smoothing,
                                          options.measure_until, options.in_nats)
                          : Record::unknown;
      if (options.accept.compares()) s.objective = *value;
      s.clips += clips(s.frame);
      record.predicted = s.predicted;
      record.step = step.report.step;
      record.kl = step.report.kl;
      record.gradient_norm = step.report.gradient_norm;
      record.step_norm = step.report.step_norm;
    } else {
      ++s.rejected;
      value = s.objective;
    }
    s.rejected_in_a_row = 0;
    if (evaluate && value) {
      s.history.add(*value);
      record.objective = *value;
    }
  } catch (const NotFinite& e) {
    trouble = e.what();
    s.caution *= 0.5;
    ++s.rejected_in_a_row;
    ++s.rejected;
  }
  ++s.iteration;
}

}  // namespace detail

template <Frame F, FisherApproximation H, Model<F> M>
Outcome run(State<F, H>& s, M& model, const RunOptions& options, const Stop& stop,
            const std::vector<Observer<State<F, H>>>& observers = {}) {
  using Clock = std::chrono::steady_clock;
  options.check();
  detail::require_same_dimension(s);
  const auto began = Clock::now();
  const double before = s.seconds;
  std::string trouble;
  Record record = detail::record_of(s);
  if (const auto status = stop(record)) return {*status, record, trouble};  // resumed at its end
  if (options.accept.compares() && std::isnan(s.objective)) {
    const std::optional<double> start = objective(model, s.frame);
    require(start.has_value(), "a run whose steps are compared needs a model with an objective");
    s.objective = *start;
  }
  for (;;) {
    record = {};
    detail::guarded_step(s, model, options, record, trouble);
    record.iteration = s.iteration;
    record.evaluations = s.history.count();
    record.doubling = s.history.gained_by_doubling();
    record.rejected = s.rejected;
    record.clips = s.clips;
    if (detail::due(options.spectrum_every, s.iteration))
      record.spectrum = spectrum_bounds(s.fisher);
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    auto status = stop(record);
    if (!status && s.rejected_in_a_row >= options.patience) status = Status::diverged;
    if (status && *status != Status::interrupted && s.history.runs_away())
      status = Status::unbounded;
    record.last = status.has_value();
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, trouble};
  }
}

}  // namespace fisherman
