// What a run tells about an iteration, and how it can end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "fisherman/fisher/spectrum_bounds.hpp"

namespace fisherman {

struct Record {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t iteration = 0;  // iterations done
  double seconds = 0.0;
  double objective = unknown;  // where it was evaluated
  double doubling = unknown;   // what the objective has gained since half as many evaluations
  double predicted =
      unknown;  // ½ḡᵀ𝐇⁻¹ḡ at the mean gradient: the decrease still to be had, in nats
                // (for RunOptions::measure_until, measured now and then)
  double step = unknown;
  double kl = unknown;
  double gradient_norm = unknown;
  double step_norm = unknown;
  std::int64_t evaluations = 0;  // of the objective so far
  std::int64_t rejected = 0;     // steps not taken: not finite, or uphill in a run that descends
  std::int64_t clips = 0;        // eigenvalues clipped so far
  std::optional<SpectrumBounds> spectrum = {};  // of 𝐇⁻¹, where it was asked for
  bool last = false;                            // the run ends here

  /// visit(name, value) for each column of a trace: files, Python and tables all list a record by this.
  template <class Visit>
  void for_each_column(Visit&& visit) const {
    visit("iteration", iteration);
    visit("seconds", seconds);
    visit("objective", objective);
    visit("predicted", predicted);
    visit("step", step);
    visit("kl", kl);
    visit("gradient_norm", gradient_norm);
    visit("step_norm", step_norm);
    visit("rejected", rejected);
    visit("clips", clips);
    visit("inverse_smallest", spectrum ? spectrum->smallest : unknown);
    visit("inverse_largest", spectrum ? spectrum->largest : unknown);
  }
};

/// `settled`: a noisy run that did what was planned, and estimates that little is left; nothing is known for sure.
enum class Status {
  converged,
  settled,
  iterations_done,
  time_is_up,
  interrupted,
  stalled,
  diverged,
  unbounded
};

/// One word, as it stands in files. An unbounded objective is one way to diverge.
constexpr std::string_view name(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::settled:
      return "settled";
    case Status::iterations_done:
      return "iterations_done";
    case Status::time_is_up:
      return "time_is_up";
    case Status::interrupted:
      return "interrupted";
    case Status::stalled:
      return "stalled";
    case Status::diverged:
    case Status::unbounded:
      return "diverged";
  }
  return "unknown";
}

/// A sentence that tells what to do.
constexpr std::string_view describe(Status status) {
  switch (status) {
    case Status::converged:
      return "Converged: the expected further gain is below the tolerance.";
    case Status::settled:
      return "Stopped as planned: the run estimates that less than the tolerance is still to be "
             "gained. "
             "This is an estimate, and the objective at the optimum may be lower by more than "
             "that.";
    case Status::iterations_done:
      return "Stopped at the iteration limit before converging.";
    case Status::time_is_up:
      return "Stopped at the time limit before converging. Resume the run to continue.";
    case Status::interrupted:
      return "Interrupted before converging. Resume the run to continue.";
    case Status::stalled:
      return "Stopped before converging: no step lowers the objective any further. This may be the "
             "limit of rounding, or a gradient that is not that of the objective.";
    case Status::diverged:
      return "Diverged: scores, gradients or steps were not finite several times in a row. The "
             "last good state is kept. Try a smaller step size or KL radius, or a larger epsilon.";
    case Status::unbounded:
      return "Diverged: the objective grows without limit, faster and faster. Check that the "
             "gradient has the right sign, and that the objective has a minimum (a density: that "
             "it can be normalised).";
  }
  return "";
}

}  // namespace fisherman
