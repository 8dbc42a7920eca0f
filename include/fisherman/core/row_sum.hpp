// Sums over the rows of a data set, in one shape whatever computes them.
//
// Rows are cut into groups whose number depends on the number of rows alone. The groups are the leaves of a
// binary tree, in which neighbours are added first. Threads compute subtrees, and so may machines: nothing
// that they do changes which two numbers are added when, so no bit of a sum depends on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fisherman/core/parallel.hpp"
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
  Index first(Index group) const {
    return group * (rows_ / count_) + group * (rows_ % count_) / count_;
  }
  Index rows_of(Index group) const { return first(group + 1) - first(group); }

 private:
  static constexpr Index usual = 512, most = 4096;
  Index rows_, count_;
};

/// body(first row, number of rows) for each group, on the pool: for what is not a sum.
template <class Body>
void for_row_groups(Index rows, const Body& body) {
  const RowGroups groups(rows);
  parallel_for(std::size_t(groups.count()),
               [&](std::size_t g) { body(groups.first(Index(g)), groups.rows_of(Index(g))); });
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

}  // namespace detail

/// The sum of leaf(first row, number of rows) over all groups; T has +=.
template <class T, class Leaf>
T sum_over_rows(Index rows, const Leaf& leaf) {
  const RowGroups groups(rows);
  const Index tasks =
      threads() == 1 ? 1 : std::min(groups.count(), Index(std::bit_ceil(4U * unsigned(threads()))));
  const Index each = groups.count() / tasks;
  std::vector<std::optional<T>> parts(static_cast<std::size_t>(tasks));
  parallel_for(std::size_t(tasks), [&](std::size_t k) {
    parts[k].emplace(detail::subtree_sum<T>(groups, leaf, Index(k) * each, each));
  });
  for (std::size_t width = 1; width < parts.size(); width *= 2)
    for (std::size_t k = 0; k < parts.size(); k += 2 * width) {
      *parts[k] += *parts[k + width];
      parts[k + width].reset();
    }
  return std::move(*parts[0]);
}

}  // namespace fisherman
