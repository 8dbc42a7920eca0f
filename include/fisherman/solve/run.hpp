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
  bool descend = false;  // take only steps that lower the objective; for gradients without noise
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

inline bool due(std::int64_t every, std::int64_t iteration) {
  return every > 0 && iteration % every == 0;
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
  s.predicted = 0.5 * std::max(0.0, s.mean_gradient.dot(s.mean_natural));
}

/// Whether a step lowers the objective; and it says how long the next ones may be. Of the τ·gᵀ𝐇⁻¹g that
/// the slope promises, a quadratic gives 1 − ½τλ, λ its curvature in Fisher units: near 1 the step was
/// short, near 0 almost too long.
template <Frame F, FisherApproximation H>
bool lowers(State<F, H>& s, double value, const StepReport& report) {
  const double rounding = 1e-12 * std::abs(s.objective);
  const double promised = 2.0 * report.predicted * report.step;
  const double share = (s.objective - value + rounding) / (promised + rounding);
  if (share < 0.25) s.caution *= 0.5;
  if (share > 0.75) s.caution = std::min(1.0, 2.0 * s.caution);
  return share >= 0.0;
}

/// What the objective has gained since half as many evaluations as there are.
inline double gained_by_doubling(const std::vector<double>& objectives) {
  return objectives.empty() ? Record::unknown
                            : objectives[(objectives.size() - 1) / 2] - objectives.back();
}

/// How gradients at one point differ from their mean, one a column: none of it if there is no noise.
template <Frame F, FisherApproximation H, Model<F> M>
Matrix noise_at(const State<F, H>& s, M& model) {
  constexpr int several = 16;
  Matrix g(s.frame.dimension(), several);
  for (int k = 0; k < several; ++k)
    g.col(k) = model.gradient(s.frame, Draws(s.seed, std::uint64_t(s.iteration - k)));
  g.colwise() -= Vector(g.rowwise().mean());
  return g * std::sqrt(double(several) / double(several - 1));
}

/// What noise costs at the end, in nats. With N = tr 𝐇⁻¹Σ, steps of τ keep the iterates ¼τN above the
/// minimum, and an average of n of them is ½N/n above it.
template <Frame F, FisherApproximation H>
double cost_of_noise(const State<F, H>& s, const Matrix& noise, double tau) {
  double N = 0.0;
  for (Index k = 0; k < noise.cols(); ++k) {
    H fisher = s.fisher;
    Vector response = fisher.solve(noise.col(k));
    if (has_momentum(fisher))  // a gradient goes on to act for some tens of iterations
      for (int again = 0; again < 40; ++again) response = fisher.solve(noise.col(k));
    N += std::max(0.0, noise.col(k).dot(response)) / double(noise.cols());
  }
  return s.average.empty() ? 0.25 * tau * N : 0.5 * N / s.average.effective_count();
}

/// What is still to be gained, measured, if the Fisher approximation's word for it is not enough. The sum is
/// as long as it must be to pass `options.measure_until`.
template <Frame F, FisherApproximation H, Model<F> M>
double measured(const State<F, H>& s, M& model, const StepReport& step, const RunOptions& options) {
  const double enough = options.measure_until;
  const Draws draws(s.seed, std::uint64_t(s.iteration));
  const auto by_differences = [&](const Vector& g, double until) {
    return remaining(model, s.frame, g, draws, step.step_norm, until);
  };
  try {
    double left = options.in_nats ? s.predicted : by_differences(s.mean_gradient, enough);
    if (!(left < enough)) return left;
    const Matrix noise = noise_at(s, model);
    left += cost_of_noise(s, noise, step.step);
    if (options.in_nats) return left;
    // A direction of small curvature may hide in the noise that the mean gradient has still: twice what
    // that noise promises by itself, so that a lucky moment does not end the run.
    constexpr Index looks = 8;
    const double share = 2.0 * (1.0 - options.smoothing) / (1.0 + options.smoothing) / looks;
    for (Index k = 0; k < looks && left < enough; ++k)
      left += share * by_differences(noise.col(k), (enough - left) / share);
    return left;
  } catch (const NotFinite&) {
    return std::numeric_limits<double>::infinity();
  }
}

constexpr std::int64_t measure_every = 20;  // iterations; a gradient or two each time, mostly

/// Whether the objectives, latest last, run away: in one direction for the last half of the run, by more
/// than in the first half, and by a million times what they were. None that converges does that.
inline bool run_away(const std::vector<double>& values) {
  const std::size_t n = values.size(), half = n / 2;
  if (n < 4) return false;
  const double late = values[n - 1] - values[half], early = values[half] - values[0];
  for (std::size_t k = half + 1; k < n; ++k)
    if ((values[k] - values[k - 1]) * late <= 0.0) return false;
  return std::abs(late) > std::abs(early) && std::abs(late) > 1e6 * (1.0 + std::abs(values[0]));
}

/// A step, or its rejection: if anything is not finite, the point stays where it was and the next steps
/// are half as long; every good step gives that back. So it does where the objective would rise, if the
/// run descends.
template <Frame F, FisherApproximation H, Model<F> M>
void guarded_step(State<F, H>& s, M& model, const RunOptions& options, Record& record,
                  std::string& trouble) {
  const bool evaluate = due(options.evaluate_every, s.iteration + 1);
  try {
    Proposal<F> step = propose(s, model, options.rule);
    std::optional<double> value;
    if (evaluate || options.descend) {
      value = objective(model, s.estimate_at(step.next));
      if (value && !std::isfinite(*value)) throw NotFinite("the objective is not finite");
    }
    if (options.descend && !lowers(s, *value, step.report)) {
      ++s.rejected;
      value = s.objective;
    } else {
      accept(s, std::move(step.next), options.carry);
      foresee(s, step, options.smoothing);
      if (options.measure_until > 0.0)
        s.predicted = due(measure_every, s.iteration + 1) ? measured(s, model, step.report, options)
                                                          : Record::unknown;
      if (options.descend)
        s.objective = *value;
      else
        s.caution = std::min(1.0, 2.0 * s.caution);
      s.clips += clips(s.frame);
      record.predicted = s.predicted;
      record.step = step.report.step;
      record.kl = step.report.kl;
      record.gradient_norm = step.report.gradient_norm;
      record.step_norm = step.report.step_norm;
    }
    if (evaluate && value) s.objectives.push_back(*value);
    s.rejected_in_a_row = 0;
    if (evaluate) record.objective = value.value_or(Record::unknown);
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
  require(s.fisher.dimension() == s.frame.dimension(), "the Fisher approximation has dimension ",
          s.fisher.dimension(), ", but the frame has ", s.frame.dimension(), " coordinates");
  const auto began = Clock::now();
  const double before = s.seconds;
  std::string trouble;
  Record record{.iteration = s.iteration,
                .seconds = s.seconds,
                .doubling = detail::gained_by_doubling(s.objectives),
                .predicted = s.predicted,
                .evaluations = std::int64_t(s.objectives.size())};
  if (const auto status = stop(record)) return {*status, record, trouble};  // resumed at its end
  if (options.descend && std::isnan(s.objective)) {
    const std::optional<double> start = objective(model, s.frame);
    require(start.has_value(), "a run that descends needs a model with an objective");
    s.objective = *start;
  }
  for (;;) {
    record = {};
    detail::guarded_step(s, model, options, record, trouble);
    record.iteration = s.iteration;
    record.evaluations = std::int64_t(s.objectives.size());
    record.doubling = detail::gained_by_doubling(s.objectives);
    record.rejected = s.rejected;
    record.clips = s.clips;
    if (detail::due(options.spectrum_every, s.iteration))
      record.spectrum = spectrum_bounds(s.fisher);
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    auto status = stop(record);
    if (!status && s.rejected_in_a_row >= options.patience) status = Status::diverged;
    if (status && *status != Status::interrupted && detail::run_away(s.objectives))
      status = Status::unbounded;
    record.last = status.has_value();
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, trouble};
  }
}

}  // namespace fisherman
