#include "fisherman/manifold/stiefel.hpp"

#include <Eigen/LU>

#include "complement.hpp"
#include "fisherman/core/packing.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {

Stiefel::Stiefel(const ConstMatrixRef& X, StiefelRetraction retraction)
    : Q_(completed(X, "Stiefel")), p_(X.cols()), retraction_(retraction) {}

Stiefel Stiefel::restored(const Vector& state) const {
  require_size(state, Q_.size(), "the state of a Stiefel frame");
  return Stiefel(Basis{as_matrix(state.data(), rows(), rows())}, p_, retraction_);
}

Index Stiefel::dimension() const { return skew_size(p_) + (rows() - p_) * p_; }

Vector Stiefel::point() const { return as_vector(Matrix(matrix())); }

// DL[U] = tr(EᵀXΩ) + tr(EᵀX⊥K): skew(XᵀE) on Ω, X⊥ᵀE on K.
Matrix Stiefel::pull(const ConstMatrixRef& E) const {
  require_size(E, rows() * p_, "a gradient with respect to a Stiefel point");
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) {
    const Matrix A = Q_.transpose() * as_matrix(E.col(k).data(), rows(), p_);
    const Matrix K = A.bottomRows(rows() - p_);
    out.col(k) << skew_vec(A.topRows(p_)), as_vector(K);
  }
  return out;
}

Matrix Stiefel::tangent(const ConstVectorRef& v) const {
  require_size(v, dimension(), "a Stiefel tangent vector");
  Matrix a(rows(), p_);
  a.topRows(p_) = skew_mat(v.head(skew_size(p_)), p_);
  const Vector K = v.tail((rows() - p_) * p_);
  a.bottomRows(rows() - p_) = as_matrix(K.data(), rows() - p_, p_);
  return a;
}

Vector Stiefel::push(const ConstVectorRef& v) const { return as_vector(Q_ * tangent(v)); }

// The paper's W_U is, in the basis Q, the skew matrix w = [Ω −Kᵀ; K 0] = AB ᵀ of rank 2p with
// A = [a e], B = [e −a], a = [Ω/2; K], e = [I; 0]. Then (I−w/2)⁻¹(I+w/2) = I + A(I − BᵀA/2)⁻¹Bᵀ.
Matrix Stiefel::cayley(const Matrix& w) const {
  const Index n = rows(), p = p_;
  const Matrix I = Matrix::Identity(n, n);
  if (2 * p >= n) {
    Matrix full = Matrix::Zero(n, n);
    full.leftCols(p) = w;
    full.topRightCorner(p, n - p) = -w.bottomRows(n - p).transpose();
    // (I−w/2)⁻¹(I+w/2) = 2(I−w/2)⁻¹ − I, and w is skew.
    return 2.0 * (I + 0.5 * full).partialPivLu().solve(Q_.transpose()).transpose() - Q_;
  }
  Matrix A = Matrix::Zero(n, 2 * p), B = Matrix::Zero(n, 2 * p);
  A.topLeftCorner(p, p) = 0.5 * w.topRows(p);
  A.bottomLeftCorner(n - p, p) = w.bottomRows(n - p);
  A.topRightCorner(p, p).setIdentity();
  B.topLeftCorner(p, p).setIdentity();
  B.rightCols(p) = -A.leftCols(p);
  const Matrix small = Matrix::Identity(2 * p, 2 * p) - 0.5 * B.transpose() * A;
  const Matrix turned = small.partialPivLu().solve(B.transpose());
  return Q_ + (Q_ * A) * turned;
}

Stiefel Stiefel::retract(const Vector& v) const {
  require_finite(v, "a Stiefel step");
  const Matrix w = tangent(v);
  if (retraction_ == StiefelRetraction::cayley) return Stiefel(Basis{cayley(w)}, p_, retraction_);
  const Matrix moved = matrix() + Q_ * w;
  const Matrix X = retraction_ == StiefelRetraction::qr ? thin_qr(moved).Q : polar_factor(moved);
  return Stiefel(Basis{with_moved_complement(X, Q_)}, p_, retraction_);
}

double Stiefel::reach(const Vector& v) const {
  const double turn = tangent(v).norm();
  return turn > 1.0 ? 1.0 / turn : 1.0;
}

Stiefel Stiefel::exp(const Vector& v) const {
  require(p_ == rows(), "exp on St(", p_, ",", rows(),
          ") has no closed form; it exists on O(n) only");
  return Stiefel(Basis{Q_ * rotation_exp(tangent(v))}, p_, retraction_);
}

Vector Stiefel::log(const Stiefel& other) const {
  require(p_ == rows(), "log on St(", p_, ",", rows(),
          ") has no closed form; it exists on O(n) only");
  const Matrix turn = Q_.transpose() * other.Q_;
  require(turn.determinant() > 0.0, "the two orthogonal matrices lie in different components");
  return skew_vec(rotation_log(turn));
}

Transport Stiefel::transport_to(const Stiefel& next) const {
  require(retraction_ == StiefelRetraction::cayley,
          "the paper's Stiefel transport belongs to the Cayley retraction; with QR or polar use "
          "transport by the frame");
  require(next.rows() == rows() && next.p_ == p_, "the two Stiefel points have different sizes");
  return Transport::identity();
}

}  // namespace fisherman
