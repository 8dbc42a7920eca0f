// Polyak-Ruppert averaging on the manifold, without logarithms.
//
// The average is kept as the tangent vector w at the current point that leads to it: θ̄ = R_θ(w).
// When the point moves by v, the average seen from the new point lies at w − v, and taking the new
// point in shrinks that by the weight of the old ones. In coordinates of a frame this is the whole
// update; on ℝⁿ it is the ordinary average.
#pragma once

#include <cstdint>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

struct AveragingOptions {
  bool on = false;
  std::int64_t start = 0;  // iterations to leave out
  double power = 0.0;      // the k-th point counts k^power: more weight to late ones
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

  /// The point moved by the step v of iteration s.
  void follow(const Vector& v, std::int64_t s) {
    if (!options_.on || s < options_.start) return;
    ++count_;
    const double share = std::min(1.0, (1.0 + options_.power) / (double(count_) + options_.power));
    if (w_.size() == 0) w_ = Vector::Zero(v.size());
    w_ = (1.0 - share) * (w_ - v);
  }

  bool empty() const { return count_ == 0; }
  /// From the current point to the average.
  const Vector& offset() const { return w_; }

  void save(Writer& out) const {
    out.put(w_);
    out.put(count_);
  }
  void load(Reader& in) {
    w_ = in.get_vector();
    count_ = in.get<std::int64_t>();
  }

 private:
  AveragingOptions options_;
  Vector w_;
  std::int64_t count_ = 0;
};

}  // namespace fisherman
