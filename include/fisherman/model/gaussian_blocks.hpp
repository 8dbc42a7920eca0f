// Gaussian variational Bayes from blocks of gradients: 2d+1 of them, at the mean μ and at μ ± Lρⱼqⱼ, with qⱼ the columns of
// a random orthogonal matrix and radii ρⱼ of χ with d+2 degrees of freedom, stratified. What follows is unbiased, and has no
// noise where log p is cubic.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <utility>

#include "fisherman/core/packing.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/sounding.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

template <Target T>
class GaussianBlocks {
 public:
  explicit GaussianBlocks(T target) : target_(std::move(target)) {}

  const T& target() const { return target_; }

  /// For models in general: the gradient of one block.
  Vector gradient(const GaussianAffine& q, const Draws& draws) const {
    return sound(q, draws).gradient();
  }

  /// Throws NotFinite where the density has no value at the mean, or at more than a quarter of the pairs of points.
  Sounding sound(const GaussianAffine& q, const Draws& draws) const {
    const Index d = q.order();
    require(target_.dimension() == d, "the target has dimension ", target_.dimension(),
            ", but the Gaussian is of order ", d);
    const Matrix L = Eigen::LLT<Matrix>(q.covariance()).matrixL();
    const Matrix Q = thin_qr(draws.normals(for_directions, d, d)).Q;
    const Vector radii = chi_radii(d + 2, draws.uniforms(for_radii, d, 1));
    const Matrix steps = L * Q * radii.asDiagonal();
    Matrix points(d, 2 * d + 1), slopes(d, 2 * d + 1);
    points.col(0) = q.mean();
    points.middleCols(1, d) = steps.colwise() + q.mean();
    points.rightCols(d) = (-steps).colwise() + q.mean();
    const Vector values = -target_.log_density(points, slopes);
    const Matrix G = -(L.transpose() * slopes);
    if (!std::isfinite(values(0)) || !G.col(0).allFinite())
      throw NotFinite("the log density is not finite at the mean");

    Sounding out;
    out.gradients = 2 * d + 1;
    out.root = L;
    out.slope = G.col(0);
    out.curvature = Matrix::Zero(d, d);
    Vector bends(d);  // of which the mean is E V − V(μ)
    for (Index j = 0; j < d; ++j) {
      const Index up = 1 + j, down = 1 + d + j;
      const double r = radii(j);
      if (!std::isfinite(values(up) + values(down)) || !G.col(up).allFinite() ||
          !G.col(down).allFinite()) {
        ++out.failed;  // as if q were right in this direction
        out.curvature += Q.col(j) * Q.col(j).transpose();
        bends(j) = 0.5 * double(d);
        continue;
      }
      out.slope += (G.col(up) + G.col(down) - 2.0 * G.col(0)) / (2.0 * r * r);
      out.curvature += (G.col(up) - G.col(down)) / (2.0 * r) * Q.col(j).transpose();
      bends(j) = double(d) * (values(up) + values(down) - 2.0 * values(0)) / (2.0 * r * r);
    }
    if (4 * out.failed > d)
      throw NotFinite(
          sentence("the log density is not finite at ", out.failed, " of ", d, " pairs of points"));
    out.value = values(0) + bends.mean() - L.diagonal().array().log().sum() -
                0.5 * double(d) * (1.0 + std::log(2.0 * std::numbers::pi));
    // What the curvature does not explain of the values is noise.
    Vector rest = bends;
    for (Index j = 0; j < d; ++j)
      rest(j) -= 0.5 * double(d) * Q.col(j).dot(out.curvature * Q.col(j));
    const double spread =
        d > 1 ? (rest.array() - rest.mean()).square().sum() / double(d - 1) : rest.squaredNorm();
    out.error = std::sqrt(spread / double(d));
    return out;
  }

  /// The Hessian of −log p at share·μ, packed by svec(). By differences: d + 1 gradients.
  Vector hessian(const GaussianAffine& q, double share, std::int64_t& spent) const {
    constexpr double h = 0.1;  // standard deviations
    const Index d = q.order();
    const Matrix L = Eigen::LLT<Matrix>(q.covariance()).matrixL();
    const Vector centre = share * q.mean();
    Matrix points(d, d + 1), slopes(d, d + 1);
    points.col(0) = centre;
    points.rightCols(d) = (h * L).colwise() + centre;
    target_.log_density(points, slopes);
    spent += d + 1;
    const Matrix bends = (slopes.rightCols(d).colwise() - Vector(slopes.col(0))) / -h;  // HL
    return svec(L.transpose().triangularView<Eigen::Upper>().solve(bends.transpose()));
  }

 private:
  enum Stream : std::uint32_t { for_directions, for_radii };
  T target_;
};

}  // namespace fisherman
