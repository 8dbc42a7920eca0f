#include "fisherman/manifold/grassmann.hpp"

#include <Eigen/LU>
#include <cmath>

#include "complement.hpp"

namespace fisherman {

Grassmann::Grassmann(const ConstMatrixRef& X, GrassmannRetraction retraction)
    : Q_(completed(X, "Grassmann")), p_(X.cols()), retraction_(retraction) {
  require(p_ < rows(), "Gr(", p_, ",", rows(), ") is a single point; p must be less than n");
}

Grassmann Grassmann::restored(const Vector& state) const {
  require_size(state, Q_.size(), "the state of a Grassmann frame");
  return Grassmann(Basis{as_matrix(state.data(), rows(), rows())}, p_, retraction_);
}

Vector Grassmann::point() const { return as_vector(Matrix(matrix())); }

Matrix Grassmann::pull(const ConstMatrixRef& E) const {
  require_size(E, rows() * p_, "a gradient with respect to a Grassmann point");
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) {
    const Matrix K = Q_.rightCols(rows() - p_).transpose() * as_matrix(E.col(k).data(), rows(), p_);
    out.col(k) = as_vector(K);
  }
  return out;
}

Matrix Grassmann::tangent(const ConstVectorRef& v) const {
  require_size(v, dimension(), "a Grassmann tangent vector");
  return as_matrix(v.data(), rows() - p_, p_);
}

Vector Grassmann::push(const ConstVectorRef& v) const {
  return as_vector(Q_.rightCols(rows() - p_) * tangent(v));
}

Grassmann Grassmann::retract(const Vector& v) const {
  require_finite(v, "a Grassmann step");
  if (retraction_ == GrassmannRetraction::exponential) return exp(v);
  const Matrix moved = matrix() + Q_.rightCols(rows() - p_) * tangent(v);
  const Matrix X = retraction_ == GrassmannRetraction::qr ? thin_qr(moved).Q : polar_factor(moved);
  return Grassmann(Basis{with_moved_complement(X, Q_)}, p_, retraction_);
}

double Grassmann::reach(const Vector& v) const {
  const double turn = v.norm();
  return turn > 1.0 ? 1.0 / turn : 1.0;
}

// Q·expm[0 −Kᵀ; K 0] with the thin SVD K = AΘBᵀ: X turns towards X⊥A by the angles Θ, X⊥ towards
// −XB.
Grassmann Grassmann::exp(const Vector& v) const {
  const auto [A, angles, B] = svd(tangent(v));
  const Vector sine = angles.array().sin();
  const Vector cosine_less_one = -2.0 * (0.5 * angles).array().sin().square();
  const Matrix XB = matrix() * B, YA = Q_.rightCols(rows() - p_) * A;
  Matrix Q = Q_;
  Q.leftCols(p_) += (XB * cosine_less_one.asDiagonal() + YA * sine.asDiagonal()) * B.transpose();
  Q.rightCols(rows() - p_) +=
      (YA * cosine_less_one.asDiagonal() - XB * sine.asDiagonal()) * A.transpose();
  return Grassmann(Basis{std::move(Q)}, p_, retraction_);
}

Vector Grassmann::log(const Grassmann& other) const {
  const Matrix overlap = matrix().transpose() * other.matrix();
  const Matrix across = Q_.rightCols(rows() - p_).transpose() * other.matrix();
  const Eigen::FullPivLU<Matrix> lu(overlap.transpose());
  require(lu.isInvertible(), "the subspaces hold orthogonal directions: their log is not unique");
  const Matrix slope = lu.solve(across.transpose()).transpose();
  const auto [A, tangents, B] = svd(slope);
  const Vector angles = tangents.array().atan();
  const Matrix K = A * angles.asDiagonal() * B.transpose();
  return as_vector(K);
}

double Grassmann::distance(const Grassmann& other) const {
  // Angles from sines and cosines together: accurate for small and for large ones.
  const Vector c = svd(matrix().transpose() * other.matrix()).s;
  const Vector s = svd(Q_.rightCols(rows() - p_).transpose() * other.matrix()).s;
  double sum = 0.0;
  for (Index k = 0; k < p_; ++k) {
    const double cosine = c(k);
    const Index mirrored = p_ - 1 - k;  // sines come in the opposite order
    const double sine = mirrored < s.size() ? s(mirrored) : 0.0;
    const double angle = std::atan2(sine, cosine);
    sum += angle * angle;
  }
  return std::sqrt(sum);
}

Transport Grassmann::transport_to(const Grassmann& next) const {
  require(retraction_ == GrassmannRetraction::exponential,
          "parallel transport on the Grassmannian follows the exponential; with QR or polar use "
          "transport by the frame");
  require(next.rows() == rows() && next.p_ == p_, "the two Grassmann points have different sizes");
  return Transport::identity();
}

}  // namespace fisherman
