// Sums over rows: groups cover the rows, and no bit depends on the threads.
#include "fisherman/core/row_sum.hpp"

#include <gtest/gtest.h>

#include "fisherman/core/random.hpp"

namespace fisherman::core_row_sum_test {
namespace {

TEST(RowGroups, CoverAllRowsOnceAndDependOnTheirNumberAlone) {
  for (const Index rows : {1, 2, 511, 512, 513, 1000, 1025, 60000, 2097153, 1000000007}) {
    const RowGroups groups(rows);
    EXPECT_EQ(groups.first(0), 0);
    EXPECT_EQ(groups.first(groups.count()), rows);
    EXPECT_EQ(groups.count() & (groups.count() - 1), 0) << "a power of two";
    Index smallest = rows, largest = 0;
    for (Index g = 0; g < groups.count(); ++g) {
      smallest = std::min(smallest, groups.rows_of(g));
      largest = std::max(largest, groups.rows_of(g));
    }
    EXPECT_GE(smallest, 1);
    EXPECT_LE(largest - smallest, 16);  // both ends of a group are multiples of eight
    EXPECT_LE(largest, std::max<Index>(512, rows / 4096 + 1) + 7);
  }
}

/// Neighbours first, level by level: the tree as it is defined.
double tree_of(std::vector<double> leaves) {
  while (leaves.size() > 1) {
    std::vector<double> above;
    for (std::size_t k = 0; k < leaves.size(); k += 2) above.push_back(leaves[k] + leaves[k + 1]);
    leaves = above;
  }
  return leaves[0];
}

TEST(RowSum, IsTheTreeForAnyNumberOfThreads) {
  for (const Index rows : {1, 700, 5000, 40001}) {
    // Numbers of very different sizes: another order of additions gives another sum.
    const Vector x = Draws(1, 0).normals(0, rows, 1).array().cube().exp();
    const auto leaf = [&](Index first, Index count) { return x.segment(first, count).sum(); };
    const RowGroups groups(rows);
    std::vector<double> leaves;
    for (Index g = 0; g < groups.count(); ++g)
      leaves.push_back(leaf(groups.first(g), groups.rows_of(g)));
    for (const int count : {1, 2, 3, 8}) {
      set_threads(count);
      EXPECT_EQ(sum_over_rows<double>(rows, leaf), tree_of(leaves)) << rows << ", " << count;
    }
    set_threads(1);
  }
}

TEST(RowSum, EveryRowIsVisitedByForRowGroups) {
  Vector seen = Vector::Zero(3000);
  for_row_groups(3000,
                 [&](Index first, Index count) { seen.segment(first, count).array() += 1.0; });
  EXPECT_EQ(seen, Vector::Ones(3000));
}

TEST(Draws, ColumnsAreThoseOfTheWholeMatrix) {
  for (const Index rows : {3, 4}) {
    const Matrix all = Draws(7, 5).normals(2, rows, 11);
    for (const Index first : {0, 1, 4, 10})
      for (const Index count : {Index(1), 11 - first})
        EXPECT_EQ(Draws(7, 5).normal_columns(2, rows, first, count), all.middleCols(first, count));
  }
}

}  // namespace
}  // namespace fisherman::core_row_sum_test
