// Whether a step that has been worked out is taken: a policy beside the step rule, which says how long it
// is. A policy sees the objective before and after and what the step promised, and answers whether to
// take it and what the next steps are multiplied by.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "fisherman/solve/step.hpp"

namespace fisherman {

class Acceptance {
 public:
  struct Trial {
    double before, after;  // the objective; NaN where it was not evaluated
    const StepReport& step;
    double caution;  // what steps are multiplied by now; 1 in good times
  };
  struct Verdict {
    bool take;
    double caution;  // for the next step
  };
  using Judge = std::function<Verdict(const Trial&)>;

  /// `compares`: the objective is evaluated at every step, for the judge to compare.
  Acceptance(Judge judge, bool compares) : judge_(std::move(judge)), compares_(compares) {}

  Verdict operator()(const Trial& trial) const { return judge_(trial); }
  bool compares() const { return compares_; }

 private:
  Judge judge_;
  bool compares_;
};

/// Every finite step is taken, as in the paper, and gives back what trouble took from the steps' length.
inline Acceptance accept_all() {
  return {[](const Acceptance::Trial& t) {
            return Acceptance::Verdict{true, std::min(1.0, 2.0 * t.caution)};
          },
          false};
}

/// Only steps that lower the objective: for gradients without noise. Of the τ·gᵀ𝐇⁻¹g that the slope
/// promises, a quadratic gives 1 − ½τλ, λ its curvature in Fisher units: near 1 the step was short, near 0
/// almost too long.
inline Acceptance accept_descent() {
  return {[](const Acceptance::Trial& t) {
            const double rounding = 1e-12 * std::abs(t.before);
            const double promised = 2.0 * t.step.predicted * t.step.step;
            const double share = (t.before - t.after + rounding) / (promised + rounding);
            double caution = t.caution;
            if (share < 0.25) caution *= 0.5;
            if (share > 0.75) caution = std::min(1.0, 2.0 * caution);
            return Acceptance::Verdict{share >= 0.0, caution};
          },
          true};
}

}  // namespace fisherman
