// Small problems for the tests of reduced-rank fits.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/reduced_rank_path.hpp"
#include "toy.hpp"

namespace fisherman::reduced_rank_toy {

inline constexpr Index features = 5, classes = 4, rows = 600;

/// Labels drawn from a model of rank 2.
inline std::shared_ptr<const ClassData> data(Index n = rows) {
  const Matrix x = toy::random_matrix(features, n, 1);
  const Matrix B = toy::random_matrix(features, 2, 2) * toy::random_matrix(2, classes - 1, 3);
  const Matrix p = probabilities(B.transpose() * x);
  const Matrix u = Draws(4, 0).uniforms(0, n, 1);
  std::vector<int> y;
  for (Index i = 0; i < n; ++i) {
    double below = 0.0;
    int k = 0;
    while (k < classes - 1 && u(i) >= (below += p(k, i))) ++k;
    y.push_back(k);
  }
  return std::make_shared<const ClassData>(x, y, classes);
}

/// The plan for a table of this size.
inline MemoryPlan plan_of(const ReducedRankSettings& s, Index n, Index p, Index k, Index rank) {
  Table table;
  table.x = Matrix::Zero(n, p);
  return plan_memory(s, table, p, k, rank);
}

inline ErasedRun run_of(const ReducedRankSettings& s, Index rank = 2, Index start = 0) {
  return make_run(data(), s, rank, start, plan_of(s, rows, features, classes, rank));
}

/// The optimum of rank 2, to the last digits.
inline FitSummary optimum(const std::shared_ptr<const ClassData>& from,
                          ReducedRank* point = nullptr) {
  ReducedRankSettings s;
  s.ridge = 0.0;
  s.tolerance = 1e-12;
  ErasedRun run =
      make_run(from, s, 2, 0, plan_of(s, from->rows(), from->features(), from->classes(), 2));
  const FitSummary end = PlainDriver().drive(run);
  if (point != nullptr) *point = reduced_rank_point(run.state.estimate());
  return end;
}

inline Table table_of(Matrix x, std::vector<std::string> names) {
  Table out;
  out.x = std::move(x);
  out.names = std::move(names);
  return out;
}

/// A table of which a third is not zero, and the same as sparse rows.
inline std::pair<Table, Table> thinned(Index n, Index p) {
  Matrix x = toy::random_matrix(n, p, 3);
  const Matrix keep = Draws(5, 0).uniforms(0, n, p);
  auto rows_ = std::make_shared<SparseRows>();
  rows_->columns = p;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < p; ++j)
      if (keep(i, j) < 0.3) {
        rows_->column.push_back(std::int32_t(j));
        rows_->value.push_back(x(i, j));
      } else {
        x(i, j) = 0.0;
      }
    rows_->close_row();
  }
  std::vector<std::string> names;
  for (Index j = 0; j < p; ++j) names.push_back(sentence("f", j + 1));
  Table dense = table_of(x, names), sparse = table_of(Matrix(), names);
  sparse.sparse = rows_;
  return {dense, sparse};
}

}  // namespace fisherman::reduced_rank_toy
