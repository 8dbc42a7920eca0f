// The values of the objective on the way, as far as stopping needs them: a bounded number of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "fisherman/core/archive.hpp"

namespace fisherman {

class ObjectiveHistory {
 public:
  /// Keeps every value at first. Each time that `most` are kept, every second one is dropped, and from then
  /// on every second new one is not kept.
  void add(double value) {
    latest_ = value;
    if (count_++ % stride_ != 0) return;
    kept_.push_back(value);
    if (kept_.size() < most) return;
    for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
    kept_.resize((kept_.size() + 1) / 2);
    stride_ *= 2;
  }
  std::int64_t count() const { return count_; }

  /// What the objective has gained since half as many evaluations as there are; NaN if there are none.
  double gained_by_doubling() const {
    if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
    return kept_[std::size_t((count_ - 1) / 2 / stride_)] - latest_;
  }

  /// Whether the values run away: in one direction for the last half of the run, by more than in the first half,
  /// and by a million times what they were. Or down, by so much that this does not matter. None that converges does that.
  bool runs_away() const {
    std::vector<double> values = kept_;
    if ((count_ - 1) % stride_ != 0) values.push_back(latest_);
    const std::size_t n = values.size(), half = n / 2;
    if (n < 4) return false;
    if (latest_ < -1e12 * (1.0 + std::abs(values[0]))) return true;
    const double late = values[n - 1] - values[half], early = values[half] - values[0];
    for (std::size_t k = half + 1; k < n; ++k)
      if ((values[k] - values[k - 1]) * late <= 0.0) return false;
    return std::abs(late) > std::abs(early) && std::abs(late) > 1e6 * (1.0 + std::abs(values[0]));
  }

  void save(Writer& out) const {
    out.put(count_);
    out.put(stride_);
    out.put(latest_);
    out.put(Vector(Eigen::Map<const Vector>(kept_.data(), Index(kept_.size()))));
  }
  void load(Reader& in) {
    const auto count = in.get_count(), stride = in.get_count();
    const auto latest = in.get<double>();
    const Vector kept = in.get_vector();
    Reader::expect(count >= 0 && stride >= 1 && kept.size() < Index(most) &&
                   kept.size() == count / stride + (count % stride == 0 ? 0 : 1));
    count_ = count;
    stride_ = stride;
    latest_ = latest;
    kept_.assign(kept.data(), kept.data() + kept.size());
  }

 private:
  static constexpr std::size_t most = 4096;
  std::int64_t count_ = 0, stride_ = 1;
  double latest_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> kept_;
};

}  // namespace fisherman
