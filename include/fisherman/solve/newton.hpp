// Newton's steps for a Gaussian from soundings (model/sounding.hpp), which have hardly any noise, in a trust region. Steps are
// taken or refused by the NELBO's own estimates. Once noise is as large as what is still to be gained, the points are
// averaged; if it is large, and the mean curvature is like a sum of a few Hessians, steps follow these instead. At the end
// other starts are tried, and the best Gaussian is kept. State, criteria, observers and checkpoints are those of run().
//
// A model has sound(frame, draws), hessian(frame, share, spent) and start(seed, n, than, value, spent), as GaussianSearch has.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "fisherman/core/packing.hpp"
#include "fisherman/model/sounding.hpp"
#include "fisherman/solve/run.hpp"

namespace fisherman {

struct NewtonOptions {
  double tolerance = 0.05;  // nats that may be left to be gained
  std::int64_t starts = 4;  // points to begin at

  void check() const {
    require(tolerance > 0.0, "the tolerance is ", tolerance, " nats, but must be positive");
    require(starts >= 1, "the number of starts is ", starts, ", but must be at least 1");
  }
};

template <Frame F, FisherApproximation H, class M>
class NewtonRun {
 public:
  NewtonRun(State<F, H>& state, M& model, const NewtonOptions& options)
      : s_(state), n_(state.newton), model_(model), options_(options) {}

  /// One iteration. Nothing to do any more: how it ended.
  std::optional<Status> iterate(Record& record) {
    bool ended = false;
    if (n_.phase == NewtonState::not_begun)
      begin();
    else if (n_.phase == NewtonState::steps)
      ended = step(record);
    else if (n_.phase == NewtonState::averaging)
      ended = average(record);
    else
      ended = settle(record);
    record.gradient_norm = gradient_norm_;
    if (!ended || another_start()) return std::nullopt;
    return n_.stalled != 0 ? Status::stalled : Status::converged;
  }

 private:
  static constexpr double slack =
      0.05;  // nats by which a step may raise the NELBO beyond its errors
  static constexpr double first_radius = 5.0;  // times √d
  static constexpr double much_noise = 5.0;    // times the tolerance
  static constexpr Index large_order = 12;     // at which a single sounding tells its own noise
  static constexpr std::int64_t patience = 12, most_quiet = 3, first_check = 6;

  Sounding sound(const F& frame, std::int64_t index) {
    Sounding out = model_.sound(frame, Draws(s_.seed, std::uint64_t(index)));
    if (index >= n_.counted) {  // after a resume the last one is taken again
      n_.gradients += out.gradients;
      n_.failed += out.failed;
      n_.counted = index + 1;
    }
    return out;
  }

  void begin() {
    std::optional<F> found;
    for (; !found && n_.start < options_.starts; ++n_.start)
      found = model_.start(s_.seed, n_.start, nullptr, 0.0, n_.gradients);
    if (!found)
      throw Misuse(sentence("the log density, or its gradient, is not finite near any of the ",
                            options_.starts, " points that were tried to start from"));
    start_from(*found);
  }

  void start_from(const F& frame) {
    s_.frame = frame;
    s_.average.forget();
    n_.phase = NewtonState::steps;
    n_.radius = 0.0;
    n_.length = 1.0;
    n_.quiet = n_.rounds = n_.stalled = 0;
    n_.shapes.resize(0);
    value_ = std::numeric_limits<double>::infinity();
    n_.index = n_.soundings++;
    s_.rejected_in_a_row = 0;
    here_.reset();
  }

  /// By one sounding: taken, or refused, which makes the trust region smaller.
  bool step(Record& record) {
    if (!here_) {
      try {
        here_ = sound(s_.frame, n_.index);
      } catch (const NotFinite&) {  // too wide a start
        ++s_.rejected;
        if (++s_.rejected_in_a_row >= patience) {
          n_.stalled = 1;
          return true;
        }
        s_.frame = narrowed(s_.frame);
        n_.index = n_.soundings++;
        return false;
      }
    }
    const double noise = here_->noise(), half = half_square(*here_);
    if (n_.radius == 0.0) n_.radius = first_radius * std::sqrt(double(here_->slope.size()));
    double t = n_.length;
    const Vector v = here_->step(t, n_.radius);
    const bool capped = t < n_.length;
    record.objective = here_->value;
    record.predicted = half;
    record.step = t;
    record.step_norm = v.norm();
    if (half < 0.25 * options_.tolerance) {  // with the noise in it
      s_.frame = s_.frame.retract(v);
      value_ = here_->value;
      return true;
    }
    if (!capped && (half < 2.5 * noise || n_.quiet >= most_quiet)) {
      if (noise > much_noise * options_.tolerance && order() >= large_order && has_shapes()) {
        n_.phase = NewtonState::settling;
        n_.left = half - noise;
        s_.frame = s_.frame.retract(without_noise({*here_}, n_.shapes).step(t, n_.radius));
      } else {
        n_.phase = NewtonState::averaging;
        restart_average(here_->value);
      }
      return false;
    }
    try {
      F next = s_.frame.retract(v);
      const std::int64_t index = n_.soundings++;
      Sounding there = sound(next, index);
      const double error =
          std::min(2.0 * std::hypot(here_->error, there.error), 1.0 + 0.1 * double(order())) +
          slack;
      if (there.value > here_->value + error) throw NotFinite("the NELBO has not fallen");
      n_.quiet = capped || there.value < here_->value - error ? 0 : n_.quiet + 1;
      if (capped) n_.radius *= 3.0;
      // A gradient that has turned round tells of steps that are too long: the curvature follows the covariance.
      const bool turned = here_->gradient().dot(there.gradient()) < 0.0;
      n_.length = turned ? 0.5 * n_.length : std::min(1.0, 2.0 * n_.length);
      s_.frame = std::move(next);
      s_.rejected_in_a_row = 0;
      n_.index = index;
      here_ = std::move(there);
    } catch (const NotFinite&) {
      n_.radius = 0.25 * std::min(n_.radius, v.norm());
      ++s_.rejected;
      if (++s_.rejected_in_a_row >= patience) {
        n_.stalled = 1;
        value_ = here_->value;
        return true;
      }
    }
    return false;
  }

  /// With a quarter of the covariance.
  F narrowed(const F& frame) const {
    const Index d = order();
    Vector v = Vector::Zero(frame.dimension());
    v.tail(svec_size(d)) =
        svec(-std::log(4.0) * Matrix::Identity(d, d)) * (0.5 * std::numbers::sqrt2);
    return frame.retract(v);
  }

  void restart_average(double value) {
    s_.average.forget();
    n_.rounds = 0;
    n_.noise = 0.0;
    n_.check_at = first_check;
    n_.value = value;
  }

  /// A round of averaging: a step by the mean of a few soundings, shorter and shorter ones.
  bool average(Record& record) {
    try {
      const Index d = order();
      const std::vector<Sounding> many = soundings(s_.frame, (11 + d) / d);
      const Sounding a = mean(many);
      const double noise = noise_of(many), half = half_square(a);
      record.objective = a.value;
      if (a.value < n_.value - 2.0 * a.error - 0.5) restart_average(a.value);  // it was too early
      n_.value += (a.value - n_.value) / 3.0;
      if (half > 6.0 * noise + 1.0) {
        n_.phase = NewtonState::steps;
        n_.index = n_.soundings++;
        n_.quiet = 0;
        s_.average.forget();
        here_.reset();
        return false;
      }
      ++n_.rounds;
      n_.noise += noise;
      record.step = 1.0 / std::sqrt(double(n_.rounds));
      double t = record.step;
      const Vector v = a.step(t, n_.radius);
      record.step_norm = v.norm();
      s_.frame = s_.frame.retract(v);
      s_.average.follow(s_.frame, s_.iteration);
      // Soft directions, in which the curvature follows the covariance, amplify noise: by 2 where that was measured.
      const double left = 2.0 * n_.noise / double(n_.rounds) / s_.average.effective_count();
      record.predicted = left;
      s_.rejected_in_a_row = 0;
      return n_.rounds >= n_.check_at && left < options_.tolerance && checked(record);
    } catch (const NotFinite&) {
      ++s_.rejected;
      if (!s_.average.empty()) s_.frame = s_.estimate();
      if (++s_.rejected_in_a_row > 2) n_.radius *= 0.5;  // before that, other draws may do
      n_.stalled = s_.rejected_in_a_row >= patience ? 1 : 0;
      value_ = n_.value;
      return n_.stalled != 0;
    }
  }

  /// Fresh soundings at the average: what they say is still to be gained is not biased by their noise.
  bool checked(Record& record) {
    const F average = s_.estimate();
    const Index d = order();
    const std::vector<Sounding> fresh = soundings(average, std::max<Index>(3, (11 + d) / d));
    const GainEstimate found = gain_of(fresh);
    record.predicted = std::max(found.gain, 0.0);
    value_ = mean(fresh).value;
    s_.frame = average;
    if (is_small(found)) return true;
    n_.check_at = n_.rounds + n_.rounds / 2 + 1;
    return false;
  }

  /// Whether the mean curvature is like Hessians at a few points, which have no noise. That at half of the mean stands for the
  /// flatter curvature of a wide Gaussian.
  bool has_shapes() {
    const Vector at = model_.hessian(s_.frame, 1.0, n_.gradients),
                 half = model_.hessian(s_.frame, 0.5, n_.gradients);
    if (!at.allFinite() || !half.allFinite()) return false;
    n_.shapes.resize(2 * at.size());
    n_.shapes << at, half;
    if (unlike_share(*here_, n_.shapes) < 0.5) return true;
    n_.shapes.resize(0);
    return false;
  }

  /// A round of steps by one sounding, as far as it is no noise.
  bool settle(Record& record) {
    try {
      std::vector<Sounding> many = soundings(s_.frame, 1);
      GainEstimate found = gain_of(many);
      if (is_small(found)) {  // what fresh ones say is not biased by their noise
        many = soundings(s_.frame, 3);
        found = gain_of(many);
      }
      const Sounding a = mean(many);
      half_square(a);
      record.objective = value_ = a.value;
      record.predicted = std::max(found.gain, 0.0);
      n_.length = found.gain > n_.left ? 0.5 * n_.length : std::min(1.0, 2.0 * n_.length);
      n_.left = found.gain;
      double t = n_.length;
      const Vector v = without_noise(many, n_.shapes).step(t, n_.radius);
      record.step = t;
      record.step_norm = v.norm();
      s_.frame = s_.frame.retract(v);
      s_.rejected_in_a_row = 0;
      return many.size() > 1 && is_small(found);
    } catch (const NotFinite&) {
      ++s_.rejected;
      n_.radius *= 0.5;
      n_.stalled = ++s_.rejected_in_a_row >= patience ? 1 : 0;
      return n_.stalled != 0;
    }
  }

  bool is_small(const GainEstimate& found) const {
    const double d = double(order());
    return found.gain < options_.tolerance + found.noise / std::sqrt(0.5 * d * (d + 3.0));
  }

  /// With what is here kept, from the next point to begin at. False if no other may lead to a better Gaussian.
  bool another_start() {
    if (!s_.average.empty()) s_.frame = s_.estimate();
    s_.average.forget();
    if (n_.kept.size() > 0) keep_the_better();
    while (n_.start < options_.starts) {
      const std::optional<F> found =
          model_.start(s_.seed, n_.start++, &s_.frame, value_, n_.gradients);
      if (!found) continue;
      n_.kept = s_.frame.state();
      n_.kept_value = value_;
      n_.kept_stalled = n_.stalled;
      start_from(*found);
      return true;
    }
    return false;
  }

  void keep_the_better() {
    const bool old = !(value_ < n_.kept_value - slack);
    Vector others(n_.others.size() + 1);
    others << n_.others, (old ? value_ : n_.kept_value);
    n_.others = std::move(others);
    if (old) {
      s_.frame = s_.frame.restored(n_.kept);
      value_ = n_.kept_value;
      n_.stalled = n_.kept_stalled;
    }
    n_.kept.resize(0);
  }

  std::vector<Sounding> soundings(const F& frame, Index count) {
    std::vector<Sounding> out;
    for (Index k = 0; k < count; ++k) out.push_back(sound(frame, n_.soundings++));
    return out;
  }

  /// Of their mean, in nats.
  static double noise_of(const std::vector<Sounding>& many) {
    return many.size() > 1 ? gain_of(many).noise / double(many.size()) : many.front().noise();
  }

  double half_square(const Sounding& s) {
    gradient_norm_ = s.gradient().norm();
    return 0.5 * gradient_norm_ * gradient_norm_;
  }

  /// Of the Gaussian, from the number of its coordinates, d + d(d+1)/2.
  Index order() const {
    const double D = double(s_.frame.dimension());
    return Index(std::lround((std::sqrt(9.0 + 8.0 * D) - 3.0) / 2.0));
  }

  State<F, H>& s_;
  NewtonState& n_;
  M& model_;
  NewtonOptions options_;
  std::optional<Sounding>
      here_;  // at the present point; after a resume it is taken again, with the same draws
  double value_ = std::numeric_limits<double>::infinity();  // of a search that has ended
  double gradient_norm_ = Record::unknown;
};

/// Until it has converged, or a criterion says stop.
template <Frame F, FisherApproximation H, class M>
Outcome newton(State<F, H>& s, M& model, const NewtonOptions& options, const Stop& stop,
               const std::vector<Observer<State<F, H>>>& observers = {}) {
  using Clock = std::chrono::steady_clock;
  options.check();
  const auto began = Clock::now();
  const double before = s.seconds;
  Record record = detail::record_of(s);
  if (const auto status = stop(record)) return {*status, record, {}};
  NewtonRun<F, H, M> run(s, model, options);
  for (;;) {
    record = {};
    auto status = run.iterate(record);
    ++s.iteration;
    if (std::isfinite(record.objective)) s.history.add(record.objective);
    s.predicted = record.predicted;
    record.iteration = s.iteration;
    record.evaluations = s.newton.gradients;
    record.rejected = s.rejected;
    s.seconds = before + std::chrono::duration<double>(Clock::now() - began).count();
    record.seconds = s.seconds;
    if (!status) status = stop(record);
    const bool endless = record.objective == -std::numeric_limits<double>::infinity() ||
                         (s.history.count() >= 10 && s.history.runs_away());
    if (endless && status != Status::interrupted) status = Status::unbounded;
    record.last = status.has_value();
    for (const auto& observe : observers) observe(record, s);
    if (status) return {*status, record, {}};
  }
}

}  // namespace fisherman
