// Polyak-Ruppert averaging on the manifold, which the paper leaves to future work.
//
// The average is taken of the points in ambient numbers, where it cannot drift, and brought to the
// manifold when it is asked for: the nearest point, found from the current one. Iterates scatter by
// O(√τ), so bending the chart costs O(τ) = O(s^-α), less than the O(s^-½) of the average itself. (Adding
// up steps in the moving frame costs O(s^(1-2α)), which is not.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

struct AveragingOptions {
  bool on = false;
  std::int64_t start = 0;  // iterations to leave out
  double power = 0.0;      // the k-th point counts about k^power: more weight to late ones
};

class Average {
 public:
  Average() = default;
  explicit Average(AveragingOptions options) : options_(options) {
    require(options.start >= 0, "averaging starts at iteration ", options.start,
            ", but that must not be negative");
    require(options.power >= 0.0, "the averaging power is ", options.power,
            ", but must not be negative");
  }

  /// Takes in the frame that iteration s led to.
  template <class F>
  void follow(const F& frame, std::int64_t s) {
    if (!options_.on || s < options_.start) return;
    ++count_;
    const double share = std::min(1.0, (1.0 + options_.power) / (double(count_) + options_.power));
    if (count_ == 1)
      mean_ = frame.point();
    else
      mean_ += share * (Vector(frame.point()) - mean_);
  }

  bool empty() const { return count_ == 0; }
  /// For a run that goes on by another rule.
  void forget() {
    mean_.resize(0);
    count_ = 0;
  }
  /// As many points of equal weight would have as little noise.
  double effective_count() const {
    const double p = options_.power;
    return double(count_) * (2.0 * p + 1.0) / ((p + 1.0) * (p + 1.0));
  }
  /// In ambient numbers; in general not on the manifold.
  const Vector& mean() const { return mean_; }

  void save(Writer& out) const {
    out.put(std::uint8_t(options_.on));
    out.put(options_.start);
    out.put(options_.power);
    out.put(mean_);
    out.put(count_);
  }
  void load(Reader& in) {
    Reader::expect(in.get<std::uint8_t>() == std::uint8_t(options_.on) &&
                   in.get<std::int64_t>() == options_.start && in.get<double>() == options_.power);
    mean_ = in.get_vector();
    count_ = in.get_count();
    Reader::expect(mean_.allFinite() && (count_ == 0) == (mean_.size() == 0));
  }

 private:
  AveragingOptions options_;
  Vector mean_;
  std::int64_t count_ = 0;
};

}  // namespace fisherman
