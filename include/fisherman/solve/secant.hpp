// The steps of the last iterations and what they changed in the gradient: the memory of L-BFGS. In the coordinates of
// moving frames transport is the identity, so that pairs from earlier points simply stay.
#pragma once

#include <deque>
#include <vector>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

class SecantPairs {
 public:
  /// `lowered`: by how much the step has lowered the objective. A pair without curvature that could be inverted is not
  /// kept. `first` is F⁻¹, the first matrix, by which the pair is scaled.
  template <class First>
  void remember(const Vector& step, const Vector& change, double lowered, Index memory,
                First&& first) {
    falls_.push_back(lowered);
    if (falls_.size() > most_falls) falls_.pop_front();
    const double curvature = step.dot(change);
    if (!(curvature > least_cosine * step.norm() * change.norm())) return;
    // γF⁻¹ has the curvature of the last step, sᵀy = yᵀ(γF⁻¹)y, and is the better first matrix (Nocedal and Wright, 7.2).
    scale_ = curvature / change.dot(Vector(first(change)));
    pairs_.push_back({step, change, 1.0 / curvature});
    if (Index(pairs_.size()) > memory) pairs_.pop_front();
  }

  /// 𝐇⁻¹g by the two-loop recursion.
  template <class First>
  Vector times(Vector g, First&& first) const {
    std::vector<double> weights(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      weights[k] = pairs_[k].inverse * pairs_[k].step.dot(g);
      g -= weights[k] * pairs_[k].change;
    }
    Vector out = scale_ * Vector(first(g));
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      out += (weights[k] - pairs_[k].inverse * pairs_[k].change.dot(out)) * pairs_[k].step;
    return out;
  }

  bool empty() const { return pairs_.empty(); }
  void forget() {
    pairs_.clear();
    scale_ = 1.0;
  }
  /// By how much the last iterations, at most ten, have lowered the objective.
  double recent_fall() const {
    double sum = 0.0;
    for (const double fall : falls_) sum += fall;
    return sum;
  }

  void save(Writer& out) const {
    out.put(scale_);
    out.put(Vector(Eigen::Map<const Vector>(
        std::vector<double>(falls_.begin(), falls_.end()).data(), Index(falls_.size()))));
    out.put(std::int64_t(pairs_.size()));
    for (const Pair& pair : pairs_) {
      out.put(pair.step);
      out.put(pair.change);
    }
  }
  /// Throws FileError for what no run leaves; nothing has changed then.
  void load(Reader& in) {
    SecantPairs read;
    read.scale_ = in.get<double>();
    const Vector falls = in.get_vector();
    const auto count = in.get_count();
    Reader::expect(std::isfinite(read.scale_) && read.scale_ > 0.0 &&
                   falls.size() <= Index(most_falls));
    read.falls_.assign(falls.begin(), falls.end());
    for (std::int64_t k = 0; k < count; ++k) {
      Vector step = in.get_vector(), change = in.get_vector();
      Reader::expect(step.size() == change.size() && step.dot(change) > 0.0);
      const double inverse = 1.0 / step.dot(change);
      read.pairs_.push_back({std::move(step), std::move(change), inverse});
    }
    *this = std::move(read);
  }
  /// Of the pairs; 0 if there are none.
  Index dimension() const { return pairs_.empty() ? 0 : pairs_.front().step.size(); }

 private:
  static constexpr double least_cosine = 1e-10;
  static constexpr std::size_t most_falls = 10;
  struct Pair {
    Vector step, change;
    double inverse;  // 1/sᵀy
  };
  std::deque<Pair> pairs_;
  double scale_ = 1.0;
  std::deque<double> falls_;
};

}  // namespace fisherman
