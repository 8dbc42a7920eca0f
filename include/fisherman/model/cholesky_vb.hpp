// Gaussian variational Bayes in (μ, L) with Σ = LLᵀ, L lower triangular, as flat numbers: how ADVI
// (Kucukelbir et al. 2017) and most libraries do it. Here for comparison. The point is μ, then the lower
// triangle of L column by column; the sign of its diagonal is free, as in ADVI.
#pragma once

#include <cmath>
#include <utility>

#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/model/gaussian_vb.hpp"

namespace fisherman {

struct CholeskyVbOptions {
  Index draws = 100;
  Index minibatch = 0;  // rows of the data for each gradient; 0 = all
};

/// L out of the point's numbers.
inline Matrix cholesky_factor(const ConstVectorRef& point, Index order) {
  Matrix L = Matrix::Zero(order, order);
  for (Index j = 0, at = order; j < order; at += order - j, ++j)
    L.col(j).tail(order - j) = point.segment(at, order - j);
  return L;
}

template <Target T>
class CholeskyVb {
 public:
  explicit CholeskyVb(T target, CholeskyVbOptions options = {})
      : exact_(std::move(target)), options_(options) {
    require(options.draws > 0, "draws is ", options.draws, ", but must be positive");
  }

  static Euclidean start(const Vector& mean, const Matrix& L) { return Euclidean(packed(mean, L)); }
  /// β = μ + Lz: ∇_μ = E∇V and ∇_L = E∇V zᵀ − diag(1/Lᵢᵢ), with V = −log π̄.
  Vector gradient(const Euclidean& q, const Draws& draws) const {
    require_size(q.point(), order() + order() * (order() + 1) / 2, "a mean and Cholesky factor");
    const Matrix L = cholesky_factor(q.point(), order());
    const Matrix z = draws.normals(0, order(), options_.draws);
    const Matrix betas = (L * z).colwise() + q.point().head(order());
    Matrix slopes(order(), options_.draws);
    with_rows(target(), options_.minibatch, draws,
              [&](const T& chosen) { chosen.log_density(betas, slopes); });
    Matrix by_factor = slopes * z.transpose() / -double(options_.draws);
    by_factor.diagonal().array() -= L.diagonal().array().inverse();
    return packed(-slopes.rowwise().mean(), by_factor);
  }

  double objective(const Euclidean& q) const {
    const Matrix L = cholesky_factor(q.point(), order());
    return exact_.nelbo(q.point().head(order()), L * L.transpose());
  }

 private:
  const T& target() const { return exact_.target(); }
  Index order() const { return target().dimension(); }
  static Vector packed(const Vector& mean, const Matrix& L) {
    const Index n = mean.size();
    Vector out(n + n * (n + 1) / 2);
    out.head(n) = mean;
    for (Index j = 0, at = n; j < n; at += n - j, ++j)
      out.segment(at, n - j) = L.col(j).tail(n - j);
    return out;
  }

  GaussianVb<T> exact_;
  CholeskyVbOptions options_;
};

}  // namespace fisherman
