// Rows on their way between ranks. Rows are the columns of a matrix here, so that each lies in one piece.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/sparse_rows.hpp"

namespace fisherman {

/// Together: where `count` rows of ours lie among those of all ranks, one rank's after the other's.
inline RowPart rows_here(Index count) {
  RowPart out{0, count, 0};
  const std::vector<Index> counts = from_each_rank(count);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r < std::size_t(this_rank())) out.first += counts[r];
    out.all += counts[r];
  }
  return out;
}

namespace detail {

/// Together: rows as ranks happen to have them, on the ranks that sum over them. `some(first, count)` is a message with rows
/// of ours, and what comes back are messages of consecutive rows.
template <class Some>
std::vector<std::string> dealt_messages(const RowPart& here, const Some& some) {
  std::vector<std::string> to_each;
  for (int r = 0; r < rank_count(); ++r) {
    const RowPart theirs = RowPart::of_rank(here.all, r);
    const Index from = std::max(here.first, theirs.first),
                end = std::min(here.first + here.count, theirs.first + theirs.count);
    to_each.push_back(some(std::max<Index>(from - here.first, 0), std::max<Index>(end - from, 0)));
  }
  return messenger()->exchange(std::move(to_each));
}

}  // namespace detail

/// Together: rows as ranks happen to have them, on the ranks that sum over them (RowPart::of_rank).
template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> dealt(
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> x) {
  if (rank_count() == 1) return x;
  using M = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  const RowPart here = rows_here(x.cols());
  const Index p = x.rows();
  std::vector<std::string> parts = detail::dealt_messages(here, [&](Index first, Index count) {
    return as_message(M(x.middleCols(std::min(first, x.cols()), count)));
  });
  x.resize(0, 0);
  M out(p, RowPart::of_rank(here.all).count);
  Index at = 0;
  for (std::string& bytes : parts) {
    const M some = from_message<M>(std::move(bytes));
    out.middleCols(at, some.cols()) = some;
    at += some.cols();
  }
  return out;
}

inline SparseRows dealt(SparseRows x) {
  if (rank_count() == 1) return x;
  const RowPart here = rows_here(x.rows());
  const auto add_all = [](SparseRows& to, const SparseRows& from, Index first, Index count) {
    for (Index i = first; i < first + count; ++i) to.append(from, i);
  };
  std::vector<std::string> parts = detail::dealt_messages(here, [&](Index first, Index count) {
    SparseRows some;
    add_all(some, x, first, count);
    return as_message(some);
  });
  SparseRows out;
  out.columns = x.columns;
  for (std::string& bytes : parts) {
    const auto some = from_message<SparseRows>(std::move(bytes));
    add_all(out, some, 0, some.rows());
  }
  return out;
}

namespace detail {

/// Which of some rows are here, and for each of them all which rank has it.
struct Whereabouts {
  std::vector<Index> ours;
  std::vector<int> rank;
};
inline Whereabouts whereabouts(const RowPart& part, const std::vector<Index>& rows) {
  Whereabouts out;
  std::vector<Index> ends;
  for (int r = 0; r < rank_count(); ++r) {
    const RowPart theirs = RowPart::of_rank(part.all, r);
    ends.push_back(theirs.first + theirs.count);
  }
  for (const Index i : rows) {
    if (part.has(i)) out.ours.push_back(i - part.first);
    out.rank.push_back(int(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin()));
  }
  return out;
}

}  // namespace detail

/// Together, unless all rows are here: some rows of all, as columns, for every rank. pick(ours) has those of a list that are
/// here, and counts from the first that is.
template <class Pick>
auto collected_by(const RowPart& part, const std::vector<Index>& rows, const Pick& pick) {
  using M = std::invoke_result_t<Pick, const std::vector<Index>&>;
  if (part.is_whole()) return pick(rows);
  const detail::Whereabouts where = detail::whereabouts(part, rows);
  const std::vector<M> found = from_each_rank(M(pick(where.ours)));
  std::vector<Index> next(found.size(), 0);
  M out(found[0].rows(), Index(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto r = std::size_t(where.rank[k]);
    out.col(Index(k)) = found[r].col(next[r]++);
  }
  return out;
}

/// The same of rows that are columns already.
template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> collected(
    const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>& x, const RowPart& part,
    const std::vector<Index>& rows) {
  using M = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  return collected_by(part, rows,
                      [&](const std::vector<Index>& ours) { return M(x(Eigen::all, ours)); });
}

/// The same of one number for each row.
inline Vector collected(const Vector& values, const RowPart& part, const std::vector<Index>& rows) {
  return collected_by(
             part, rows,
             [&](const std::vector<Index>& ours) { return Matrix(values(ours).transpose()); })
      .transpose();
}

inline SparseRows collected(const SparseRows& x, const RowPart& part,
                            const std::vector<Index>& rows) {
  const detail::Whereabouts where = detail::whereabouts(part, rows);
  SparseRows out, mine;
  out.columns = mine.columns = x.columns;
  for (const Index i : where.ours) mine.append(x, i);
  if (part.is_whole()) return mine;
  const std::vector<SparseRows> found = from_each_rank(mine);
  std::vector<Index> next(found.size(), 0);
  for (const int rank : where.rank) out.append(found[std::size_t(rank)], next[std::size_t(rank)]++);
  return out;
}

}  // namespace fisherman
