#include "fisherman/manifold/fixed_rank.hpp"

#include <utility>

#include "fisherman/core/spectral.hpp"

namespace fisherman {
namespace {

void require_orthonormal(const Matrix& U, const char* name) {
  const double error =
      (U.transpose() * U - Matrix::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff();
  require(error < 1e-8, "the columns of ", name, " must be orthonormal, but ", name, "ᵀ", name,
          " differs from I by ", error);
}

/// Thin QR of [A B], with at most as many columns as rows.
Qr joint_basis(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return thin_qr(both);
}

}  // namespace

FixedRank::FixedRank(Matrix U, Matrix S, Matrix V)
    : U_(std::move(U)), S_(std::move(S)), V_(std::move(V)) {
  require(S_.rows() == S_.cols() && U_.cols() == S_.rows() && V_.cols() == S_.rows(),
          "the factors U (", U_.rows(), " x ", U_.cols(), "), S (", S_.rows(), " x ", S_.cols(),
          ") and V (", V_.rows(), " x ", V_.cols(), ") do not fit together");
  require(S_.rows() >= 1 && S_.rows() <= std::min(U_.rows(), V_.rows()), "rank ", S_.rows(),
          " is not between 1 and min(", U_.rows(), ", ", V_.rows(), ")");
  require(U_.allFinite() && S_.allFinite() && V_.allFinite(),
          "the factors of a fixed-rank matrix hold a NaN or an infinity");
  require_orthonormal(U_, "U");
  require_orthonormal(V_, "V");
  U_ = polar_factor(U_);  // what little was missing
  V_ = polar_factor(V_);
}

FixedRank::FixedRank(const ConstMatrixRef& X, Index rank) {
  require(rank >= 1 && rank <= std::min(X.rows(), X.cols()), "rank ", rank,
          " is not between 1 and min(", X.rows(), ", ", X.cols(), ")");
  require(X.allFinite(), "a fixed-rank matrix holds a NaN or an infinity");
  const auto [U, s, V] = svd(X);
  require(s(rank - 1) > 1e-12 * s(0), "the matrix has a rank below ", rank, ": singular value ",
          rank, " is ", s(rank - 1));
  U_ = U.leftCols(rank);
  V_ = V.leftCols(rank);
  S_ = s.head(rank).asDiagonal();
}

Vector FixedRank::point() const { return as_vector(matrix()); }

FixedRank::Tangent FixedRank::unpacked(const ConstVectorRef& v) const {
  require_size(v, dimension(), "a tangent vector of a fixed-rank matrix");
  const Index r = rank(), m = rows(), n = cols();
  return {as_matrix(v.data(), r, r), as_matrix(v.data() + r * r, m, r),
          as_matrix(v.data() + r * r + m * r, n, r)};
}

FixedRank::Tangent FixedRank::projected(Tangent t) const {
  t.Up -= U_ * (U_.transpose() * t.Up).eval();
  t.Vp -= V_ * (V_.transpose() * t.Vp).eval();
  return t;
}

Vector FixedRank::packed(const Tangent& t) const {
  Vector v(dimension());
  v << as_vector(t.M), as_vector(t.Up), as_vector(t.Vp);
  return v;
}

Matrix FixedRank::pull(const ConstMatrixRef& E) const {
  require_size(E, rows() * cols(), "a gradient with respect to a fixed-rank matrix");
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) {
    const auto Z = as_matrix(E.col(k).data(), rows(), cols());
    const Matrix ZV = Z * V_;
    out.col(k) = pull_products(ZV, Z.transpose() * U_);
  }
  return out;
}

Matrix FixedRank::pull_outer(const ConstMatrixRef& Xs, const ConstMatrixRef& Ws) const {
  Matrix out(dimension(), Xs.cols());
  pull_outer(Xs, Ws, out);
  return out;
}

void FixedRank::pull_outer(const ConstMatrixRef& Xs, const ConstMatrixRef& Ws,
                           Eigen::Ref<Matrix> out) const {
  require_size(Xs, rows(), "the left factor of a gradient");
  require_size(Ws, cols(), "the right factor of a gradient");
  require_size(out, dimension(), "the place for coordinates");
  const Index r = rank(), m = rows(), n = cols();
  const Matrix Ux = U_.transpose() * Xs, Vw = V_.transpose() * Ws;
  const Matrix across_x = Xs - U_ * Ux, across_w = Ws - V_ * Vw;
  for (Index k = 0; k < Xs.cols(); ++k) {
    double* const data = out.col(k).data();
    Eigen::Map<Matrix>(data, r, r) = Ux.col(k) * Vw.col(k).transpose();
    Eigen::Map<Matrix>(data + r * r, m, r) = across_x.col(k) * Vw.col(k).transpose();
    Eigen::Map<Matrix>(data + r * r + m * r, n, r) = across_w.col(k) * Ux.col(k).transpose();
  }
}

Vector FixedRank::pull_products(const ConstMatrixRef& ZV, const ConstMatrixRef& ZtU) const {
  require_size(ZV, rows(), "the product ZV");
  require_size(ZtU, cols(), "the product ZᵀU");
  return packed(projected({U_.transpose() * ZV, ZV, ZtU}));
}

Vector FixedRank::push(const ConstVectorRef& v) const {
  const Tangent t = projected(unpacked(v));
  const Matrix xi = (U_ * t.M + t.Up) * V_.transpose() + U_ * t.Vp.transpose();
  return as_vector(xi);
}

// X + ξ = [U U_p] [S+M I; I 0] [V V_p]ᵀ: with thin QRs of the outer factors, an SVD of order 2r.
FixedRank FixedRank::retract(const Vector& v) const {
  require_finite(v, "a step of a fixed-rank matrix");
  const Tangent t = projected(unpacked(v));
  const Index r = rank();
  const auto [Qu, Ru] = joint_basis(U_, t.Up);
  const auto [Qv, Rv] = joint_basis(V_, t.Vp);
  Matrix core = Matrix::Zero(2 * r, 2 * r);
  core.topLeftCorner(r, r) = S_ + t.M;
  core.topRightCorner(r, r).setIdentity();
  core.bottomLeftCorner(r, r).setIdentity();
  const auto [left, singular, right] = svd(Ru * core * Rv.transpose());
  const Matrix U = Qu * left.leftCols(r), V = Qv * right.leftCols(r);
  const Matrix turn_u = polar_factor(U.transpose() * U_), turn_v = polar_factor(V.transpose() * V_);
  FixedRank next = *this;
  next.U_ = U * turn_u;
  next.V_ = V * turn_v;
  next.S_ = turn_u.transpose() * singular.head(r).asDiagonal() * turn_v;
  return next;
}

double FixedRank::reach(const Vector& v) const {
  const double length = packed(projected(unpacked(v))).norm(), size = S_.norm();
  return length > 0.5 * size ? 0.5 * size / length : 1.0;
}

Transport FixedRank::transport_to(const FixedRank& next) const {
  const auto projection = [](const FixedRank& from, const FixedRank& to) {
    return [from, to](const ConstMatrixRef& columns) {
      Matrix out(columns.rows(), columns.cols());
      const Matrix VV = from.V_.transpose() * to.V_, UU = from.U_.transpose() * to.U_;
      for (Index k = 0; k < columns.cols(); ++k) {
        const Tangent t = from.projected(from.unpacked(columns.col(k)));
        const Matrix left = from.U_ * t.M + t.Up;  // ξ = left·Vᵀ + U·V_pᵀ
        const Matrix xi_V = left * VV + from.U_ * (t.Vp.transpose() * to.V_);
        const Matrix xi_U = from.V_ * (left.transpose() * to.U_) + t.Vp * UU;
        out.col(k) = to.packed(to.projected({to.U_.transpose() * xi_V, xi_V, xi_U}));
      }
      return out;
    };
  };
  return {projection(*this, next), projection(next, *this), {}};
}

Vector FixedRank::state() const {
  Vector out(U_.size() + S_.size() + V_.size());
  out << as_vector(U_), as_vector(S_), as_vector(V_);
  return out;
}

FixedRank FixedRank::restored(const Vector& state) const {
  require_size(state, U_.size() + S_.size() + V_.size(), "the state of a fixed-rank matrix");
  FixedRank next = *this;
  next.U_ = as_matrix(state.data(), rows(), rank());
  next.S_ = as_matrix(state.data() + U_.size(), rank(), rank());
  next.V_ = as_matrix(state.data() + U_.size() + S_.size(), cols(), rank());
  return next;
}

}  // namespace fisherman
