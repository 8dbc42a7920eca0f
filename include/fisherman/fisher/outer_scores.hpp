// Scores of which one block of coordinates is an outer product x cᵀ, as the scores of a linear layer
// are: there the Fisher information is E[ccᵀ ⊗ xxᵀ]. Given x, the mean of ccᵀ over the outcomes can
// often be had in closed form; learning from it leaves out the noise of sampled outcomes.
#pragma once

#include <cmath>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// Where the outer products are: an m×r matrix, column after column, from coordinate `at` on.
struct OuterBlock {
  Index at, rows, cols;

  Index size() const { return rows * cols; }
  bool operator==(const OuterBlock&) const = default;
};

struct OuterScores {
  static constexpr const char* unavailable =
      "this model's scores are no outer products; learn from them with Dense";

  OuterBlock block;
  Matrix x;        // m×b
  Matrix moments;  // r²×b: E[ccᵀ | x]
  Matrix rest;     // the coordinates before the block and those behind it, of scores as sampled
};

/// x and c, |c| = 1, of Z = x cᵀ; where Z is none, c has the direction of its largest row.
inline std::pair<Vector, Vector> outer_factors(const ConstMatrixRef& Z) {
  Index largest;
  const double size = Z.rowwise().squaredNorm().maxCoeff(&largest);
  // Every row of an outer product is a multiple of c.
  const Vector unit = size > 0.0 ? Vector(Z.row(largest).transpose() / std::sqrt(size))
                                 : Vector(Vector::Zero(Z.cols()));
  return {Z * unit, unit};
}

/// From scores that were written out: |x| = 1, and ccᵀ as sampled.
inline OuterScores outer_scores(const ConstMatrixRef& scores, const OuterBlock& block) {
  const Index behind = scores.rows() - block.at - block.size(), b = scores.cols();
  OuterScores out{block, Matrix(block.rows, b), Matrix(block.cols * block.cols, b),
                  Matrix(block.at + behind, b)};
  for (Index k = 0; k < b; ++k) {
    const auto [x, c] =
        outer_factors(as_matrix(scores.col(k).data() + block.at, block.rows, block.cols));
    out.x.col(k) = x.normalized();
    const Matrix moment = x.squaredNorm() * c * c.transpose();
    out.moments.col(k) = as_vector(moment);
  }
  out.rest.topRows(block.at) = scores.topRows(block.at);
  out.rest.bottomRows(behind) = scores.bottomRows(behind);
  return out;
}

}  // namespace fisherman
