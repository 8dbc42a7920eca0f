// A K-FAC style approximation for a block of coordinates that is an a×b matrix and whose scores are
// outer products Z = x cᵀ, as those of a linear layer are:
//     F ≈ E[ZZᵀ] ⊗ E[ZᵀZ] / E|Z|²,   F⁻¹vec(G) ≈ E|Z|² · E[ZZᵀ]⁻¹ G E[ZᵀZ]⁻¹.
// It is exact if x and c are independent and one of them has a constant norm. (K-FAC proper averages
// xxᵀ and ccᵀ apart; weighing each with the other's norm is the better fit where they are not
// independent, and costs the same.) Both factors are kept as inverses, by Dense.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/outer_scores.hpp"

namespace fisherman {

struct KroneckerOptions {
  double epsilon = 1.0;  // in the unit of one squared coordinate of a score, as Dense has it
};

template <class Scalar>
class BasicKronecker {
 public:
  static std::string type_name() {
    return std::is_same_v<Scalar, float> ? "kronecker-single" : "kronecker";
  }
  BasicKronecker(Index rows, Index cols, KroneckerOptions options = {})
      : rows_(rows),
        cols_(cols),
        // The mean eigenvalue of E[ZᵀZ]/E|Z|² is 1/b: this much on the left adds ε to F, on average.
        left_(rows, {.epsilon = options.epsilon * double(cols)}),
        right_(cols, {.epsilon = options.epsilon * double(rows)}) {}

  Index dimension() const { return rows_ * cols_; }
  Index count() const { return left_.count(); }

  /// Throws Misuse for a wrong size and NotFinite for a NaN; nothing has changed then.
  void absorb(const ConstMatrixRef& scores) {
    require_size(scores, dimension(), "a block of scores");
    require_finite(scores, "a block of scores");
    Matrix x(rows_, scores.cols()), c(cols_, scores.cols());
    for (Index k = 0; k < scores.cols(); ++k) {
      const auto [left, right] = outer_factors(as_matrix(scores.col(k).data(), rows_, cols_));
      x.col(k) = left;
      c.col(k) = left.norm() * right;
    }
    left_.absorb(x);
    right_.absorb(c);
    squares_ += x.squaredNorm();
  }

  const Vector& solve(const ConstVectorRef& g) {
    require_size(g, dimension(), "a gradient");
    direction_.resize(dimension());
    Eigen::Map<Matrix> D(direction_.data(), rows_, cols_);
    const auto G = as_matrix(g.data(), rows_, cols_);
    for (Index j = 0; j < cols_; ++j) D.col(j) = left_.solve(G.col(j));
    D = (D * right_.inverse()).eval();  // small: one product instead of a solve for each row
    // Before any score: the scale at which Dense stands then, 1/ε.
    direction_ *= count() > 0 ? squares_ / double(count()) : double(dimension());
    return direction_;
  }

  /// What one takes, in bytes, with b scores an iteration.
  static double memory(Index rows, Index cols, Index scores) {
    return BasicDense<Scalar>::memory(rows, scores) + Dense::memory(cols, scores);
  }

  void save(Writer& out) const {
    left_.save(out);
    right_.save(out);
    out.put(squares_);
  }
  void load(Reader& in) {
    left_.load(in);
    right_.load(in);
    squares_ = in.get<double>();
    Reader::expect(std::isfinite(squares_) && squares_ >= 0.0);
  }

 private:
  Index rows_, cols_;
  BasicDense<Scalar> left_;
  Dense right_;
  double squares_ = 0.0;
  Vector direction_;
};

using Kronecker = BasicKronecker<double>;
using KroneckerSingle = BasicKronecker<float>;

}  // namespace fisherman
