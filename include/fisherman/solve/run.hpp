// The driver: steps until a criterion says stop, watched by observers.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fisherman/solve/step.hpp"
#include "fisherman/solve/stop.hpp"

namespace fisherman {

struct RunOptions {
  StepRule rule = {};
  Carry carry = Carry::frame;
  std::int64_t evaluate_every = 1;  // iterations between evaluations of the objective; 0 = never
  std::int64_t patience = 8;        // rejected steps in a row before the run counts as diverged
  double smoothing = 0.9;           // weight of the past in the smoothed predicted improvement
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

/// A step, or its rejection: if anything is not finite, the point stays where it was and the next steps
/// are half as long; every good step gives that back.
template <Frame F, FisherApproximation H, Model<F> M>
void guarded_step(State<F, H>& s, M& model, const RunOptions& options, Record& record,
                  std::string& trouble) {
  const bool evaluate =
      options.evaluate_every > 0 && (s.iteration + 1) % options.evaluate_every == 0;
  std::optional<std::pair<F, Average>> before;  // to return to if the objective is not finite
  if (evaluate) before.emplace(s.frame, s.average);
  try {
    const StepReport report = advance(s, model, options.rule, options.carry);
    if (evaluate) {
      const std::optional<double> value = objective(model, s.estimate());
      if (value && !std::isfinite(*value)) throw NotFinite("the objective is not finite");
      record.objective = value.value_or(Record::unknown);
    }
    s.predicted = std::isnan(s.predicted) ? report.predicted
                                          : options.smoothing * s.predicted +
                                                (1.0 - options.smoothing) * report.predicted;
    s.caution = std::min(1.0, 2.0 * s.caution);
    s.rejected_in_a_row = 0;
    s.clips += clips(s.frame);
    record.step = report.step;
    record.kl = report.kl;
    record.gradient_norm = report.gradient_norm;
    record.step_norm = report.step_norm;
  } catch (const NotFinite& e) {
    if (before) std::tie(s.frame, s.average) = std::move(*before);
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
  options.rule.check();
  require(s.fisher.dimension() == s.frame.dimension(), "the Fisher approximation has dimension ",
          s.fisher.dimension(), ", but the frame has ", s.frame.dimension(), " coordinates");
  const auto began = Clock::now();
  const double before = s.seconds;
  std::string trouble;
  for (;;) {
    Record record;
    detail::guarded_step(s, model, options, record, trouble);
    record.iteration = s.iteration;
    record.predicted = s.predicted;
    record.rejected = s.rejected;
    record.clips = s.clips;
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    auto status = stop(record);
    if (!status && s.rejected_in_a_row >= options.patience) status = Status::diverged;
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, trouble};
  }
}

}  // namespace fisherman
