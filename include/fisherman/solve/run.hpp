// The driver: steps until a criterion says stop, watched by observers.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
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

/// A step, or its rejection: on trouble the point stays and the next steps are shorter; every good
/// step gives half of the caution back.
template <Frame F, FisherApproximation H, Model<F> M>
void guarded_step(State<F, H>& s, M& model, const RunOptions& options, Record& record,
                  std::string& trouble) {
  try {
    const StepReport report = advance(s, model, options.rule, options.carry);
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
    trouble = e.what();
    s.caution *= 0.25;
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
    if (options.evaluate_every > 0 && s.iteration % options.evaluate_every == 0)
      record.objective = objective(model, s.estimate());
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    auto status = stop(record);
    if (!status && s.rejected_in_a_row >= options.patience) status = Status::diverged;
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, trouble};
  }
}

}  // namespace fisherman
