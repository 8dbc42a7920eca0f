// The steps of the last iterations and what they changed in the gradient: the memory of L-BFGS. In the coordinates of
// moving frames transport is the identity, so that pairs from earlier points simply stay.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
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

  /// The diagonal of 𝐇, where the first matrix is the identity: by the direct recursion of BFGS, in O(m²d) for m pairs.
  Vector precision_diagonal() const {
    const Index n = dimension(), count = Index(pairs_.size());
    Matrix changes(n, count), images(n, count);  // y/√sᵀy, and 𝐇s/√sᵀ𝐇s of the 𝐇 before each pair
    Vector out = Vector::Constant(n, 1.0 / scale_);
    for (Index k = 0; k < count; ++k) {
      const Pair& pair = pairs_[std::size_t(k)];
      const Matrix &Y = changes, &A = images;
      const Vector image = pair.step / scale_ +
                           Y.leftCols(k) * (Y.leftCols(k).transpose() * pair.step) -
                           A.leftCols(k) * (A.leftCols(k).transpose() * pair.step);
      const double along = pair.step.dot(image);
      changes.col(k) = pair.change * std::sqrt(pair.inverse);
      if (along > 0.0)
        images.col(k) = image / std::sqrt(along);
      else
        images.col(k).setZero();  // lost to rounding
      out += changes.col(k).cwiseAbs2() - images.col(k).cwiseAbs2();
    }
    return out;
  }

  bool empty() const { return pairs_.empty(); }
  void forget() {
    pairs_.clear();
    scale_ = 1.0;
  }
  /// What is still to fall if the falls go on as they did: with a in the older half of the last iterations and b in the newer
  /// one, b(q + q² + …) for q = b/a. The most of what the last 6, 10 and 20 iterations say, and of what they said in the
  /// last five iterations: falls may shrink fast, and then slowly, and a short one proves nothing. Infinite as long as they do
  /// not shrink, or are too few.
  /// Falls below `noise`, what the objective cannot tell apart, are no falls.
  double falls_to_come(double noise) const {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    const auto seen = std::ptrdiff_t(falls_.size());
    if (seen < least_falls) return unknown;
    double most = 0.0;
    for (std::ptrdiff_t back = 0; back <= std::min(most_back, seen - least_falls); ++back)
      for (const std::ptrdiff_t half : {3, 5, 10}) {
        if (seen - back < 2 * half) break;
        const auto end = falls_.end() - back, newer = end - half, older = newer - half;
        const double a = std::accumulate(older, newer, 0.0),
                     b = std::max(std::accumulate(newer, end, 0.0), 0.0);
        const bool lost = b <= noise * double(half);
        most = std::max(most, lost ? b : b < a ? b * b / (a - b) : unknown);
      }
    return most;
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
  static constexpr std::ptrdiff_t least_falls = 6, most_back = 5;
  static constexpr std::size_t most_falls = 20 + std::size_t(most_back);
  struct Pair {
    Vector step, change;
    double inverse;  // 1/sᵀy
  };
  std::deque<Pair> pairs_;
  double scale_ = 1.0;
  std::deque<double> falls_;
};

}  // namespace fisherman
