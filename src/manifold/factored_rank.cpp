#include "fisherman/manifold/factored_rank.hpp"

#include <algorithm>

#include "fisherman/core/spectral.hpp"

namespace fisherman {

FactoredRank::FactoredRank(const Matrix& L, const Matrix& R) {
  require(L.cols() == R.cols() && L.cols() >= 1 && L.cols() <= std::min(L.rows(), R.rows()),
          "the factors L (", L.rows(), " x ", L.cols(), ") and R (", R.rows(), " x ", R.cols(),
          ") do not fit together");
  require(L.allFinite() && R.allFinite(),
          "the factors of a matrix of low rank hold a NaN or an infinity");
  const auto [U, s, V] = svd(R);
  require(s(s.size() - 1) > 1e-12 * s(0), "the factor R has a rank below ", R.cols());
  R_ = U * V.transpose();
  L_ = L * (V * s.asDiagonal() * V.transpose());
}

Vector FactoredRank::point() const {
  Vector out(dimension());
  out << as_vector(L_), as_vector(R_);
  return out;
}

Vector FactoredRank::pull_products(const ConstMatrixRef& ZR, const ConstMatrixRef& ZtL) const {
  require_size(ZR, rows(), "the product ZR");
  require_size(ZtL, cols(), "the product ZᵀL");
  const Matrix D = ZR, E = ZtL - R_ * (R_.transpose() * ZtL);
  Vector out(dimension());
  out << as_vector(D), as_vector(E);
  return out;
}

Matrix FactoredRank::pull(const ConstMatrixRef& E) const {
  require_size(E, dimension(), "a gradient with respect to factors");
  const Index split = rows() * rank();
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k)
    out.col(k) = pull_products(as_matrix(E.col(k).data(), rows(), rank()),
                               as_matrix(E.col(k).data() + split, cols(), rank()));
  return out;
}

Matrix FactoredRank::turned(const ConstVectorRef& v) const {
  require_size(v, dimension(), "a tangent vector of factors");
  const auto E = as_matrix(v.data() + rows() * rank(), cols(), rank());
  return E - R_ * (R_.transpose() * E);
}

Vector FactoredRank::push(const ConstVectorRef& v) const {
  const Matrix E = turned(v);
  Vector out = v;
  out.tail(E.size()) = as_vector(E);
  return out;
}

// By singular values of R + E, not by the root of I + EᵀE: R stays orthonormal however far a step goes.
FactoredRank FactoredRank::retract(const Vector& v) const {
  require_finite(v, "a step of factors");
  const auto [U, s, V] = svd(R_ + turned(v));
  FactoredRank next;
  next.L_ = (L_ + as_matrix(v.data(), rows(), rank())) * (V * s.asDiagonal() * V.transpose());
  next.R_ = U * V.transpose();
  return next;
}

double FactoredRank::reach(const Vector& v) const {
  const double turn = turned(v).norm();
  return turn > 1.0 ? 1.0 / turn : 1.0;
}

FactoredRank FactoredRank::restored(const Vector& state) const {
  require_size(state, dimension(), "the state of factors");
  FactoredRank out;
  out.L_ = as_matrix(state.data(), rows(), rank());
  out.R_ = as_matrix(state.data() + rows() * rank(), cols(), rank());
  const double error =
      (out.R_.transpose() * out.R_ - Matrix::Identity(rank(), rank())).cwiseAbs().maxCoeff();
  require(error < 1e-6, "the columns of R must be orthonormal, but RᵀR differs from I by ", error);
  return out;
}

}  // namespace fisherman
