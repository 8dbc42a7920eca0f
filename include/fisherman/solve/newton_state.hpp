// What newton() remembers beside the frame.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

struct NewtonState {
  enum Phase : std::int64_t { not_begun, steps, averaging, settling };

  std::int64_t phase = not_begun;
  std::int64_t start = 0;      // which of the points to begin at led here
  std::int64_t soundings = 0;  // so far: each has random numbers of its own
  std::int64_t index = 0;      // of the sounding at the present point
  std::int64_t counted = 0;    // soundings whose gradients are counted below
  std::int64_t gradients = 0;  // of the log density, so far
  std::int64_t failed = 0;     // pairs of points at which it was not finite
  std::int64_t quiet = 0;      // steps since the NELBO has fallen by more than its error
  std::int64_t rounds = 0;     // averaged
  std::int64_t check_at = 0;   // the round after which the average is looked at
  std::int64_t stalled = 0;    // 1 if the present point is the end of a search that got stuck
  double radius = 0.0;         // of the trust region
  double length = 1.0;         // of steps: 1 is Newton's
  double noise = 0.0;          // nats, summed over the rounds
  double value = std::numeric_limits<double>::quiet_NaN();  // the NELBO of the last rounds
  double left = std::numeric_limits<double>::quiet_NaN();   // nats to be gained, when settling
  Vector shapes = {};  // Hessians that the mean curvature is like, packed; empty unless settling
  // The best Gaussian of earlier starts, empty if there is none, its NELBO and whether its search got stuck.
  Vector kept = {};
  double kept_value = std::numeric_limits<double>::quiet_NaN();
  std::int64_t kept_stalled = 0;
  Vector others = {};  // NELBOs of Gaussians elsewhere that were not better

  static auto numbers(auto& s) {
    return std::tie(s.phase, s.start, s.soundings, s.index, s.counted, s.gradients, s.failed,
                    s.quiet, s.rounds, s.check_at, s.stalled, s.kept_stalled, s.radius, s.length,
                    s.noise, s.value, s.left, s.shapes, s.kept_value, s.kept, s.others);
  }

  void save(Writer& out) const {
    std::apply([&](const auto&... field) { (out.put(field), ...); }, numbers(*this));
  }
  void load(Reader& in) {
    NewtonState read;
    const auto get = [&](auto& field) {
      using T = std::remove_reference_t<decltype(field)>;
      if constexpr (std::is_same_v<T, std::int64_t>)
        field = in.get_count();
      else if constexpr (std::is_same_v<T, double>)
        field = in.get<double>();
      else
        field = in.get_vector();
    };
    std::apply([&](auto&... field) { (get(field), ...); }, numbers(read));
    Reader::expect(read.phase <= settling && std::isfinite(read.radius) && read.radius >= 0.0 &&
                   read.length > 0.0 && read.length <= 1.0 && read.kept.allFinite() &&
                   read.shapes.allFinite());
    *this = std::move(read);
  }
};

}  // namespace fisherman
