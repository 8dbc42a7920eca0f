// Which Fisher approximations the ranks share, each keeping a part and working with it alone; and the one rule for it.
//
// Ranks exchange the sums that a window needs, and the pieces of a direction. That takes a few messages per iteration, of some
// ten microseconds each, and a number per coordinate. It saves each rank the reading of what the others have, and the memory
// for it. So an operator is shared if every rank is saved half a million numbers at least, which take some hundred
// microseconds to read and to update. No bit depends on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// Whether an operator is in parts, one for each of the ranks that there are when it is made.
class Spread {
 public:
  /// Of `all` numbers, of which the largest part would have `most`.
  Spread(double all, double most) : parts_(all - most >= least_saved ? rank_count() : 1) {}

  static constexpr double least_saved = 1 << 19;  // numbers

  bool in_parts() const { return parts_ > 1; }
  int parts() const { return parts_; }
  /// Which of them is here.
  int here() const { return in_parts() ? this_rank() : 0; }
  /// Throws Misuse if the other parts are out of reach.
  void check() const {
    require(!in_parts() || rank_count() == parts_, "a Fisher approximation in ", parts_,
            " parts, one for each rank, is used with ", rank_count(), " ranks");
  }

 private:
  int parts_;
};

/// How ranks share square blocks of these sizes: neighbours, so that each has about the same number of numbers.
class BlockShares {
 public:
  explicit BlockShares(const std::vector<Index>& sizes)
      : first_(cut(sizes, rank_count())), spread_(spread_of(sizes)) {
    if (!spread_.in_parts()) first_ = {0, sizes.size()};
  }

  const Spread& spread() const { return spread_; }
  /// The first block of a part, which begins where the one before it ends.
  std::size_t first(int part) const { return first_[std::size_t(part)]; }
  /// The largest part's sum of what block k takes.
  template <class Takes>
  double most(const Takes& takes) const {
    double out = 0.0;
    for (std::size_t r = 0; r + 1 < first_.size(); ++r) {
      double sum = 0.0;
      for (std::size_t k = first_[r]; k < first_[r + 1]; ++k) sum += takes(k);
      out = std::max(out, sum);
    }
    return out;
  }

 private:
  static double numbers(Index size) { return double(size) * double(size); }
  static double numbers(const std::vector<Index>& sizes) {
    double sum = 0.0;
    for (const Index size : sizes) sum += numbers(size);
    return sum;
  }

  /// A block belongs to the part in which its middle lies.
  static std::vector<std::size_t> cut(const std::vector<Index>& sizes, int parts) {
    std::vector<std::size_t> first = {0};
    const double each = numbers(sizes) / double(parts);
    double before = 0.0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const double middle = before + 0.5 * numbers(sizes[k]);
      while (int(first.size()) < parts && middle >= double(first.size()) * each) first.push_back(k);
      before += numbers(sizes[k]);
    }
    first.resize(std::size_t(parts) + 1, sizes.size());
    return first;
  }
  Spread spread_of(const std::vector<Index>& sizes) const {
    return Spread(numbers(sizes), most([&](std::size_t k) { return numbers(sizes[k]); }));
  }

  std::vector<std::size_t> first_;  // of each part, and behind the last
  Spread spread_;
};

}  // namespace fisherman
