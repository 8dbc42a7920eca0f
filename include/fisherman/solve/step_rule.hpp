// How far to go: the paper's schedule, and caps that keep a step within what can be trusted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fisherman/core/error.hpp"

namespace fisherman {

struct StepRule {
  double step_size = 0.5;  // τ₀, the step at s = 0
  double delay = 100.0;    // c₁
  double decay = 0.75;  // α:  τ_s = τ₀ (c₁/(c₁+s))^α, the paper's c₀/(c₁+s)^α with c₀ = τ₀c₁^α
  double kl_radius = 1.0;  // a step may move q by this many nats, to second order; 0 = no limit
  double norm_cap = 0.0;   // ‖v‖ in the baseline metric; 0 = no limit
  bool guard = true;       // heed the frame's reach

  void check() const {
    require(step_size > 0.0 && std::isfinite(step_size), "step_size is ", step_size,
            ", but must be positive and finite");
    require(delay > 0.0 && std::isfinite(delay), "delay is ", delay,
            ", but must be positive and finite");
    require(decay >= 0.0 && decay <= 1.0, "decay is ", decay, ", but must lie between 0 and 1");
    require(kl_radius >= 0.0, "kl_radius is ", kl_radius, ", but must not be negative");
    require(norm_cap >= 0.0, "norm_cap is ", norm_cap, ", but must not be negative");
  }

  double schedule(std::int64_t s) const {
    return step_size * std::pow(delay / (delay + double(s)), decay);
  }

  /// τ for iteration s, given gᵀ𝐇⁻¹g and ‖𝐇⁻¹g‖. The KL of a step τ is ½τ²·gᵀ𝐇⁻¹g
  /// (eq:KL-second-order).
  double length(std::int64_t s, double slope, double norm) const {
    double tau = schedule(s);
    if (kl_radius > 0.0 && slope > 0.0) tau = std::min(tau, std::sqrt(2.0 * kl_radius / slope));
    if (norm_cap > 0.0 && norm > 0.0) tau = std::min(tau, norm_cap / norm);
    return tau;
  }
};

}  // namespace fisherman
