// One dense operator for each column of a block whose scores are outer products x cᵀ (outer_scores.hpp),
// in coordinates in which the columns are uncorrelated on average. What couples the columns is left out;
// in the given coordinates that is E[cᵢcⱼ xxᵀ], and it is not small. With
//     W = the mean of E[ccᵀ|x] over the scores, scaled to a mean eigenvalue of 1,
// the entries of W^-½c are uncorrelated on average, and what is left out averages to zero.
//     𝐇⁻¹G = (each column of G W^-½, times the operator of that column) W^-½
// It is exact if x and c are independent, as K-FAC is, and also if c has uncorrelated entries, however
// they depend on x, as K-FAC is not. Operators of order m, r of them, where the whole block has order mr.
//
// W follows the scores; what an operator took in before keeps the coordinates of its time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/outer_scores.hpp"
#include "fisherman/fisher/score_form.hpp"

namespace fisherman {

struct DecorrelatedOptions {
  double epsilon = 1.0;  // as Dense has it
  // Learns from one iteration in so many: those between would hardly change a mean.
  std::int64_t every = 1;
};

template <class Scalar>
class BasicDecorrelated {
 public:
  static std::string type_name() {
    return std::is_same_v<Scalar, float> ? "decorrelated-single" : "decorrelated";
  }
  /// The other coordinates have a dense operator for each of `rest`, sizes that add up to their number.
  BasicDecorrelated(OuterBlock block, const std::vector<Index>& rest,
                    DecorrelatedOptions options = {})
      : block_(block),
        options_(options),
        columns_(std::vector<Index>(std::size_t(block.cols), block.rows),
                 [rows = block.rows, dense = DenseOptions{.epsilon = options.epsilon}](
                     std::size_t) { return BasicDense<Scalar>(rows, dense); }),
        rest_(dense_blocks(rest, {.epsilon = options.epsilon})),
        moments_(Matrix::Zero(block.cols, block.cols)),
        whiten_(Matrix::Identity(block.cols, block.cols)) {
    require(block.at >= 0 && block.at <= rest_.dimension(), "an outer block begins at ", block.at,
            ", but ", rest_.dimension(), " coordinates are outside of it");
    require(options.every >= 1, "one iteration in ", options.every, " cannot be learnt from");
  }

  Index dimension() const { return block_.size() + rest_.dimension(); }

  /// From a model that offers OuterScores.
  template <class Model, class Frame, class Draws>
  void learn(Model& model, const Frame& frame, const Draws& draws) {
    if (std::int64_t(draws.index()) % options_.every == 0)
      absorb(scores_as<OuterScores>(model, frame, draws));
  }
  void absorb(const ConstMatrixRef& scores) {
    require_size(scores, dimension(), "a block of scores");
    absorb(outer_scores(scores, block_));
  }
  void absorb(const OuterScores& s) {
    require(s.block == block_, "outer scores of another shape");
    for (const Matrix* part : {&s.x, &s.moments, &s.rest})
      require_finite(*part, "a block of scores");
    rest_.absorb(s.rest);
    const Index r = block_.cols, b = s.x.cols();
    const Vector sum = s.moments.rowwise().sum();
    moments_ += as_matrix(sum.data(), r, r);
    follow_moments();

    // (W^-½ E[ccᵀ|x] W^-½)ⱼⱼ for each row and column: what weighs xxᵀ.
    Matrix squares(r * r, r);
    for (Index j = 0; j < r; ++j) {
      const Matrix outer = whiten_.col(j) * whiten_.col(j).transpose();
      squares.col(j) = as_vector(outer);
    }
    const Matrix lengths = (s.moments.transpose() * squares).cwiseMax(0.0).cwiseSqrt();
    room_.resize(block_.rows, b);
    columns_.absorb_each([&](std::size_t j) -> const Matrix& {
      room_.noalias() = s.x * lengths.col(Index(j)).asDiagonal();
      return room_;
    });
  }

  const Vector& solve(const ConstVectorRef& g) {
    require_size(g, dimension(), "a gradient");
    const Index before = block_.at, behind = rest_.dimension() - before;
    direction_.resize(dimension());
    Vector others(rest_.dimension());
    others << g.head(before), g.tail(behind);
    others = rest_.solve(others);
    direction_.head(before) = others.head(before);
    direction_.tail(behind) = others.tail(behind);

    room_.noalias() = as_matrix(g.data() + before, block_.rows, block_.cols) * whiten_;
    const Vector& solved = columns_.solve(as_vector(room_));
    Eigen::Map<Matrix>(direction_.data() + before, block_.rows, block_.cols).noalias() =
        as_matrix(solved.data(), block_.rows, block_.cols) * whiten_;
    return direction_;
  }

  /// What one takes, in bytes, with b scores per iteration, on the rank that has the most; the small blocks are not counted.
  static double memory(const OuterBlock& block, Index scores) {
    return BlockShares(std::vector<Index>(std::size_t(block.cols), block.rows))
        .most([&](std::size_t) { return BasicDense<Scalar>::memory(block.rows, scores); });
  }

  bool is_spread() const { return columns_.is_spread(); }
  void save(Writer& out) const {
    columns_.save(out);
    rest_.save(out);
    out.put(moments_);
  }
  void load(Reader& in) {
    columns_.load(in);
    rest_.load(in);
    const Matrix moments = in.get_matrix<Matrix>();
    Reader::expect(moments.rows() == block_.cols && moments.cols() == block_.cols &&
                   moments.allFinite());
    moments_ = moments;
    follow_moments();
  }

 private:
  static BlockDiagonal<Dense> dense_blocks(const std::vector<Index>& sizes,
                                           const DenseOptions& options) {
    std::vector<Dense> out;
    for (const Index size : sizes) out.emplace_back(size, options);
    return BlockDiagonal<Dense>(std::move(out));
  }

  /// W^-½. A direction of c that has hardly been seen is not stretched by more than a hundred.
  void follow_moments() {
    const double mean = moments_.trace() / double(block_.cols);
    if (!(mean > 0.0)) return;
    whiten_ =
        spectrum(moments_ / mean).map([](double v) { return 1.0 / std::sqrt(std::max(v, 1e-4)); });
  }

  OuterBlock block_;
  DecorrelatedOptions options_;
  BlockDiagonal<BasicDense<Scalar>> columns_;
  BlockDiagonal<Dense> rest_;
  Matrix moments_;  // ΣE[ccᵀ|x]
  Matrix whiten_;   // W^-½
  Matrix room_;
  Vector direction_;
};

using Decorrelated = BasicDecorrelated<double>;
using DecorrelatedSingle = BasicDecorrelated<float>;

}  // namespace fisherman
