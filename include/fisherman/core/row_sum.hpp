// Sums over the rows of a data set, in one shape whatever computes them.
//
// Rows are cut into groups whose number depends on the number of rows alone. The groups are the leaves of a
// binary tree, in which neighbours are added first. Threads compute subtrees, and so do ranks: nothing that
// they do changes which two numbers are added when, so no bit of a sum depends on them. This is the only
// place that knows of either.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fisherman/core/parallel.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// How rows are cut into groups: a power of two of them, of about 512 rows each, at most 4,096 groups.
class RowGroups {
 public:
  explicit RowGroups(Index rows)
      : rows_(rows),
        count_(Index(
            std::bit_ceil(std::uint64_t(std::clamp<Index>((rows + usual - 1) / usual, 1, most))))) {
  }

  Index count() const { return count_; }
  /// A multiple of eight: so rows lie on the same boundaries of memory wherever they are, which Eigen's sums go by.
  Index first(Index group) const {
    if (group == count_) return rows_;
    return (group * (rows_ / count_) + group * (rows_ % count_) / count_) & ~Index(7);
  }
  Index rows_of(Index group) const { return first(group + 1) - first(group); }

  /// A rank has the groups from its first to the next one's, which may be none.
  Index first_of_rank(int rank) const { return Index(rank) * count_ / Index(rank_count()); }
  int rank_of(Index group) const {
    auto rank = int(group * Index(rank_count()) / count_);
    while (first_of_rank(rank + 1) <= group) ++rank;
    return rank;
  }

 private:
  static constexpr Index usual = 512, most = 4096;
  Index rows_, count_;
};

/// The rows of a data set that are kept here: count of them, from the first on. All of them, unless ranks share them.
struct RowPart {
  Index first = 0, count = 0, all = 0;
  bool shared = false;

  /// All of them.
  static RowPart whole(Index rows) { return {0, rows, rows}; }
  /// Those of the groups that are this rank's.
  static RowPart of_rank(Index rows, int rank = this_rank()) {
    const RowGroups groups(rows);
    const Index from = groups.first(groups.first_of_rank(rank));
    return {from, groups.first(groups.first_of_rank(rank + 1)) - from, rows, rank_count() > 1};
  }

  bool is_whole() const { return !shared; }
  bool has(Index row) const { return row >= first && row < first + count; }
  /// Where a row is among those that are here. Throws Misuse if it is not, or if not all of `number` rows from it on are.
  Index at(Index row, Index number = 1) const {
    require(row >= first && row + number <= first + count, "rows ", row, " to ", row + number,
            " are asked for, but here are ", first, " to ", first + count);
    return row - first;
  }
};

/// body(first row, number of rows) for each group of which the rows are here, on the pool: for what is not a sum.
template <class Body>
void for_row_groups(const RowPart& part, const Body& body) {
  const RowGroups groups(part.all);
  parallel_for(std::size_t(groups.count()), [&](std::size_t g) {
    const Index first = groups.first(Index(g));
    if (part.has(first)) body(first, groups.rows_of(Index(g)));
  });
}
template <class Body>
void for_row_groups(Index rows, const Body& body) {
  for_row_groups(RowPart::whole(rows), body);
}

namespace detail {

/// Of `count` groups, a power of two. Depth first: no more parts are alive than the tree is deep.
template <class T, class Leaf>
T subtree_sum(const RowGroups& groups, const Leaf& leaf, Index from, Index count) {
  if (count == 1) return leaf(groups.first(from), groups.rows_of(from));
  T sum = subtree_sum<T>(groups, leaf, from, count / 2);
  sum += subtree_sum<T>(groups, leaf, from + count / 2, count / 2);
  return sum;
}

/// The same on all threads.
template <class T, class Leaf>
T shared_subtree_sum(const RowGroups& groups, const Leaf& leaf, Index from, Index count) {
  const Index tasks =
      threads() == 1 ? 1 : std::min(count, Index(std::bit_ceil(4U * unsigned(threads()))));
  const Index each = count / tasks;
  std::vector<std::optional<T>> parts(static_cast<std::size_t>(tasks));
  parallel_for(std::size_t(tasks), [&](std::size_t k) {
    parts[k].emplace(detail::subtree_sum<T>(groups, leaf, from + Index(k) * each, each));
  });
  for (std::size_t width = 1; width < parts.size(); width *= 2)
    for (std::size_t k = 0; k < parts.size(); k += 2 * width) {
      *parts[k] += *parts[k + width];
      parts[k + width].reset();
    }
  return std::move(*parts[0]);
}

/// A sum of which every rank computes the subtrees that are its own, and sends what belongs to another's subtree there. In
/// the end all have the sum, or the exception that one of them met.
template <class T, class Leaf>
class RankedSum {
 public:
  RankedSum(const RowGroups& groups, const Leaf& leaf) : groups_(groups), leaf_(leaf) {}

  T sum() {
    try {
      compute(0, groups_.count());
    } catch (...) {
      trouble_ = trouble_of(std::current_exception());
    }
    const int root = groups_.rank_of(0);
    std::optional<T> all = joined(0, groups_.count());
    std::string bytes;
    if (this_rank() == root) bytes = message(*all);
    messenger()->broadcast(bytes, root);
    return received(std::move(bytes), true);
  }

 private:
  bool is_ours(Index from, Index count) const {
    return groups_.rank_of(from) == this_rank() && groups_.rank_of(from + count - 1) == this_rank();
  }
  bool has_ours(Index from, Index count) const {
    return groups_.rank_of(from) <= this_rank() && groups_.rank_of(from + count - 1) >= this_rank();
  }

  /// All that is ours first, so that nobody waits for us while we wait for others.
  void compute(Index from, Index count) {
    if (!has_ours(from, count)) return;
    if (is_ours(from, count)) {
      parts_.push_back(shared_subtree_sum<T>(groups_, leaf_, from, count));
      return;
    }
    compute(from, count / 2);
    compute(from + count / 2, count / 2);
  }

  /// The sum of a subtree, on the rank that has its first group.
  std::optional<T> joined(Index from, Index count) {
    if (!has_ours(from, count)) return std::nullopt;
    if (is_ours(from, count)) return trouble_.empty() ? std::move(parts_[next_++]) : T{};
    std::optional<T> left = joined(from, count / 2), right = joined(from + count / 2, count / 2);
    const int at_left = groups_.rank_of(from), at_right = groups_.rank_of(from + count / 2);
    if (at_left != at_right) {
      if (at_right == this_rank()) messenger()->send(message(*right), at_left);
      if (at_left == this_rank()) right = received(messenger()->receive(at_right), false);
    }
    if (at_left != this_rank()) return std::nullopt;
    if (trouble_.empty()) *left += *right;
    return left;
  }

  std::string message(const T& value) const {
    return trouble_.empty() ? "S" + as_message(value) : "E" + trouble_;
  }
  T received(std::string bytes, bool last) {
    if (bytes[0] == 'S') return from_message<T>(bytes.substr(1));
    if (last) throw_trouble(bytes.substr(1));
    if (trouble_.empty()) trouble_ = bytes.substr(1);
    return T{};
  }

  const RowGroups& groups_;
  const Leaf& leaf_;
  std::vector<T> parts_;  // of our subtrees, from the left to the right
  std::size_t next_ = 0;
  std::string trouble_;  // instead
};

}  // namespace detail

/// The sum of leaf(first row, number of rows) over all groups; T has +=. Where there are several ranks it is a sum together,
/// leaf() is called for the groups of this rank only, and T can be sent (ranks.hpp).
template <class T, class Leaf>
T sum_over_rows(Index rows, const Leaf& leaf) {
  const RowGroups groups(rows);
  if (rank_count() == 1) return detail::shared_subtree_sum<T>(groups, leaf, 0, groups.count());
  return detail::RankedSum<T, Leaf>(groups, leaf).sum();
}

}  // namespace fisherman
